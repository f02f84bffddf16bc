select jobforge.rotate_webhook_secret($1, $2, pg_catalog.make_interval(secs => $3))
