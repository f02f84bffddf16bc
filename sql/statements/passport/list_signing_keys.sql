select pg_catalog.json_build_object('key_id', k.key_id, 'public_key',
    pg_catalog.encode(k.public_key, 'base64'), 'created_at', k.created_at, 'retired_at',
    k.retired_at)
from jobforge.list_signing_keys() k
