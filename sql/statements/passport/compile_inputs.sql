select snapshot_status, rules_status, dsl_sha256, tests_sha256, battery_product_id, sku, name
from jobforge.compile_inputs($1, $2, $3)
