select jobforge.build_snapshot($1, p_actor_id => $2)
