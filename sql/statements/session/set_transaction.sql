select set_config('app.tenant_id', $1, true), set_config('idle_in_transaction_session_timeout',
    $2, true), set_config('app.actor_id', $3, true)
