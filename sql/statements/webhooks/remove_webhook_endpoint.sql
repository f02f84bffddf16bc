select jobforge.remove_webhook_endpoint($1)::text
