select type, seconds from jobforge.metric_oldest()
