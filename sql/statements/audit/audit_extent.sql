select tree_size, heads from jobforge.audit_extent()
