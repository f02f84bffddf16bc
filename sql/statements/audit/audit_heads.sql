-- unnest: a frontier that was written by hand may have dimensions and NULLs, and stands in the
-- report like any other wrong one.
select h.tree_size, h.root_hash, h.checkpoint, h.key_id,
    array(select f.node from pg_catalog.unnest(h.frontier) with ordinality f(node, place)
    where f.node is not null order by f.place)
from jobforge.audit_heads() h
