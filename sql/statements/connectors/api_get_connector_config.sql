select pg_catalog.row_to_json(c) from jobforge.list_connector_configs() c where c.connector = $1
