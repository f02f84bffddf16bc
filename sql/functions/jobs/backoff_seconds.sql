-- Seconds until the next attempt after p_attempts attempts, before jitter. The exponent is capped
-- before the power is taken: power(2, 31)::int overflows before least() sees it.
create or replace function jobforge.backoff_seconds(p_backoff text, p_attempts integer,
    p_base_seconds integer default 300) returns double precision
    language sql immutable set search_path = pg_catalog, pg_temp as $$
    select case p_backoff
        when 'bpc' then least(1024, power(2, least(greatest(p_attempts, 0), 10)))
        when 'source' then least(86400,
            p_base_seconds * power(2, least(greatest(p_attempts::bigint - 1, 0), 20)))
        else least(3600, power(2, least(greatest(p_attempts::bigint - 1, 0), 12)))
    end
$$;
alter function jobforge.backoff_seconds owner to jobforge_engine;
revoke execute on function jobforge.backoff_seconds from public;
grant execute on function jobforge.backoff_seconds to jobforge_definer, jobforge_worker, jobforge_observer;
