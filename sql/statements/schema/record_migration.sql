insert into jobforge.migrations (name, checksum, applied_by, duration_ms)
values ($1, $2, session_user || ' with jobforge ' || $3, $4)
