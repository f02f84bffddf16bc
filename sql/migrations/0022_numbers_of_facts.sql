-- Which strings of a fact its document has as numbers. Exact numbers that are no canonical integers are
-- kept as text, and a rule that declares Text must not take 7.5 for a text that somebody wrote. It is
-- a property of the document, not of the fact: another document may have the same fact with quotes.
-- An array of JSON pointers; NULL in rows of earlier releases, and where there is none.
alter table jobforge.fact_sources add column numbers jsonb;
-- The sources of one fact, for snapshot_facts.
create index fact_sources_by_fact on jobforge.fact_sources (tenant_id, fact_id);
