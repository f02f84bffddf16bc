select pg_catalog.row_to_json(d)
from jobforge.list_webhook_deliveries($1, $2, $3, p_limit => $4, p_before => $5) d
