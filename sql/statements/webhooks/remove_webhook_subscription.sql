select jobforge.remove_webhook_subscription($1)::text
