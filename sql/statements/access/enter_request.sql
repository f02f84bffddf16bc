-- A request's transaction holds nothing of the client's but the calls that the request stands for,
-- so a settling call may be repeated in it (sql/functions/claims/tenant_work.sql).
-- A node that freezes between two statements must not keep what it has locked: a claim of a limited
-- type has the type's turn. Nothing in a request takes half a minute between statements.
select jobforge.enter_request($1, $2, $3, $4), pg_catalog.set_config('jobforge.only_settles',
    'true', true), pg_catalog.set_config('idle_in_transaction_session_timeout', '30000', true)
