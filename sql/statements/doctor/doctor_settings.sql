select s.name, s.reset_val
from pg_catalog.pg_settings s
where s.name in ('fsync', 'full_page_writes', 'synchronous_commit')
order by s.name
