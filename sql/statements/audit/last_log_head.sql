-- unnest: what was written by hand may have dimensions and NULLs, and must not end this process.
select h.tree_size, h.root_hash, h.checkpoint, h.key_id,
    array(select f.node from pg_catalog.unnest(h.frontier) with ordinality f(node, place)
    where f.node is not null order by f.place)
from jobforge.last_log_head($1) h
