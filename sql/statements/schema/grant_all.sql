-- The rights that one person on his own machine wants: to administer, work and enqueue.
grant jobforge_owner, jobforge_worker, jobforge_gateway, jobforge_observer to jobforge;
grant pg_read_all_stats to jobforge
