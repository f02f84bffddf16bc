-- The level is named: a database's default may be another one, and a completion at a higher level
-- conflicts with the renewals of its own lease.
begin isolation level read committed
