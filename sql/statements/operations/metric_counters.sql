select tenant_id, type, counter, value from jobforge.metric_counters()
