select jobforge.platform_refused($1)::text
