select fact_type, fact_key, payload_canonical, source_sha256, source_name, numbers
from jobforge.snapshot_facts($1)
