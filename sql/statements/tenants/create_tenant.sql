select jobforge.create_tenant($1, $2)
