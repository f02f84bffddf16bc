select jobforge.end_frozen_sessions($1)
