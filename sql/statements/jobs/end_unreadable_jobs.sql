-- Ends waiting jobs whose payload cannot be sent; asked when a claim fails.
select jobforge.end_unreadable_jobs($1)
