select jobforge.platform_read($1)::text
