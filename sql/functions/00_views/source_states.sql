-- A source with its rules and the state of its governor: what list_sources and get_source answer.
-- A pause that is over is none.
create or replace view jobforge.source_states with (security_invoker = true) as
    select s.tenant_id, s.source_id, s.name, s.adapter, s.enabled, s.base_url, s.rate_limit_per_minute,
        r.rate_limit_override, s.reputation_weight, s.tier, coalesce(g.state, 'CLOSED') as state,
        coalesce(g.failure_streak, 0) as failure_streak,
        case when g.paused_until > clock_timestamp() then g.paused_until end as paused_until,
        case when g.paused_until > clock_timestamp() then g.pause_reason end as pause_reason,
        g.open_until, g.last_success_at, g.last_failure_at, g.burst,
        coalesce(r.exclude_keywords, '{}') as exclude_keywords,
        coalesce(r.require_keywords, '{}') as require_keywords, r.allowed_path, s.config, s.created_at,
        s.created_by, s.updated_at
    from jobforge.sources s
    left join jobforge.source_rules r on r.tenant_id = s.tenant_id and r.source_id = s.source_id
    left join jobforge.governors g
        on g.tenant_id = s.tenant_id and g.kind = 'source' and g.key = s.source_id::text;
alter view jobforge.source_states owner to jobforge_owner;
