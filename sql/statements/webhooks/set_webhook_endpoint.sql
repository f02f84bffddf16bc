select jobforge.set_webhook_endpoint($1, $2)::text
