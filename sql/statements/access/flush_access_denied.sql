select jobforge.flush_access_denied(100)
