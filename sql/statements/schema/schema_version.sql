select jobforge.schema_version()
