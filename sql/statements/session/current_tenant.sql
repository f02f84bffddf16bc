select jobforge.current_tenant()
