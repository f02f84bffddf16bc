select jobforge.run_schedules()
