-- The part of claims that goes to tenants whose best priority is lower than the best of all, in per
-- cent (claim_reserve).
alter table jobforge.tenant_defaults add column reserved_percent integer not null default 10,
    add constraint tenant_defaults_reserve_range check (reserved_percent between 1 and 50);
