select jobforge.prune_api_requests(1000)
