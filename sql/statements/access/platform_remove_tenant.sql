select jobforge.platform_remove_tenant($1, $2)
