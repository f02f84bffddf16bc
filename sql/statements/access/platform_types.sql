select pg_catalog.row_to_json(t) from jobforge.platform_types() t
