select jobforge.set_webhook_endpoint_status($1, $2)::text
