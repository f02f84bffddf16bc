select jobforge.set_connector_config($1, $2, $3)::text
