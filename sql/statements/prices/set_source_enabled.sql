select jobforge.set_source_enabled($1, $2)::text
