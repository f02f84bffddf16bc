select jobforge.redeliver_webhook($1)
