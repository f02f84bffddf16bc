select jobforge.ask_for_wake($1, $2)
