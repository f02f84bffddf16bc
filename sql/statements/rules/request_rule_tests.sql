select jobforge.request_rule_tests($1, $2, p_actor_id => $3)
