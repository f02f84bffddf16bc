select jobforge.collection_inputs($1, $2), pg_catalog.clock_timestamp()
