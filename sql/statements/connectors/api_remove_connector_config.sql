select jobforge.remove_connector_config($1)::text
