select jobforge.retire_rules($1, $2)::text
