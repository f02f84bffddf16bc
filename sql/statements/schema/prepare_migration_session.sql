-- Names in our SQL are qualified; nothing of the login's own schemas may get in between. A timeout
-- set for the role must not end a migration halfway.
set search_path = pg_catalog, pg_temp;
set statement_timeout = 0;
set idle_in_transaction_session_timeout = 0;
set client_min_messages = warning
