select pg_catalog.row_to_json(d) from jobforge.get_document_version($1) d
