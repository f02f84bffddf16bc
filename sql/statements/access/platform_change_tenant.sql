select jobforge.platform_change_tenant($1, $2)::text
