select m.name, m.checksum from jobforge.migrations m order by m.name
