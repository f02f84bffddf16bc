select jobforge.publish_rules($1, $2)::text
