select jobforge.unsubscribe_webhook($1, $2)
