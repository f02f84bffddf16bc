select pg_catalog.row_to_json(s) from jobforge.set_webhook_subscriptions($1, $2) s
