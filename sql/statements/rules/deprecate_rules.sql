select jobforge.deprecate_rules($1, $2)::text
