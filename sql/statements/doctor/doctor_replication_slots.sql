select s.slot_name::text, s.active, coalesce(pg_catalog.age(s.xmin),
    pg_catalog.age(s.catalog_xmin), 0) as age
from pg_catalog.pg_replication_slots s
where s.xmin is not null or s.catalog_xmin is not null
order by 3 desc limit 1
