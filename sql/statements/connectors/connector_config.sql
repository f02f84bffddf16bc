select jobforge.get_connector_config($1), pg_catalog.clock_timestamp()
