-- A version 7 uuid (RFC 9562) for this time: 48 bits of milliseconds, then the microseconds within
-- them in the 12 bits the RFC leaves free, then random bits. Ids sort by time of birth, so the
-- primary keys grow at their right edge and a list by id is a list by age.
-- Plain SQL without SET: the planner inlines it into the insert.
create or replace function jobforge.uuid_v7(p_at timestamptz) returns uuid
    language sql volatile parallel safe as $$
    select pg_catalog.encode(pg_catalog.overlay(
        pg_catalog.overlay(pg_catalog.uuid_send(pg_catalog.gen_random_uuid()),
            pg_catalog.substring(pg_catalog.int8send(
                (pg_catalog.date_part('epoch', p_at) * 1000000)::bigint / 1000), 3), 1),
        pg_catalog.int2send((28672
            + ((pg_catalog.date_part('epoch', p_at) * 1000000)::bigint % 1000) * 4)::smallint), 7),
        'hex')::uuid
$$;
alter function jobforge.uuid_v7 owner to jobforge_owner;
revoke execute on function jobforge.uuid_v7 from public;
grant execute on function jobforge.uuid_v7 to jobforge_definer, jobforge_engine;
