-- set_transaction, and a limit to waits for locks: CompletionTransaction::run.
select set_config('app.tenant_id', $1, true), set_config('idle_in_transaction_session_timeout',
    $2, true), set_config('app.actor_id', $3, true), set_config('lock_timeout', '5000', true)
