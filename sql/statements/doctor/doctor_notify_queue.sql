select pg_catalog.pg_notification_queue_usage()
