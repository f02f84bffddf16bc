select tenant_id, type, running from jobforge.metric_running()
