select jobforge.delete_tenant($1, $2)
