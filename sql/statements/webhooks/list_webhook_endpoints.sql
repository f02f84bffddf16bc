select pg_catalog.row_to_json(e) from jobforge.list_webhook_endpoints() e
