select pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'usage')
