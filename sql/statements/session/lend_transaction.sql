-- Of a transaction whose connection a handler uses by itself (Transaction::native).
select set_config('idle_in_transaction_session_timeout', '0', true),
    set_config('application_name', $1, true)
