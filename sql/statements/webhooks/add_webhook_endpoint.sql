select jobforge.add_webhook_endpoint($1, $2, $3, $4, $5)
