select verdict, wait_ms, generation, probe, reason from jobforge.governor_enter($1, $2, $3)
