select jobforge.generate_report($1)
