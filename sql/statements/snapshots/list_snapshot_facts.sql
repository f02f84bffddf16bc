select pg_catalog.json_build_object('fact_type', f.fact_type, 'fact_key', f.fact_key,
    'source_sha256', pg_catalog.encode(f.source_sha256, 'hex'), 'source_name', f.source_name)
from jobforge.snapshot_facts($1) f
