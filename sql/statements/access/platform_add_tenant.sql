select jobforge.platform_add_tenant($1, $2)
