select pg_catalog.json_build_object('tree_size', h.tree_size, 'root_hash',
    pg_catalog.encode(h.root_hash, 'hex'), 'checkpoint', h.checkpoint, 'key_id', h.key_id,
    'signed_at', h.signed_at)
from jobforge.audit_heads() h
order by h.tree_size desc limit $1
