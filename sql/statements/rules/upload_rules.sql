select rule_package_id, rule_package_version_id, version, deduplicated
from jobforge.upload_rules($1, $2, $3, $4, $5, $6)
