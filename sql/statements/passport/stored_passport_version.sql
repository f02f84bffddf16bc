select status, snapshot_id, rule_package_version_id, battery_product_id, sku, name
from jobforge.get_passport_version($1)
