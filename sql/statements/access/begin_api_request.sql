select status, headers, body from jobforge.begin_api_request($1, $2, $3)
