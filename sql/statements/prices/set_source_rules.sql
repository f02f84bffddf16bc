select jobforge.set_source_rules($1, $2)::text
