set local jobforge.lent_roles = ''
