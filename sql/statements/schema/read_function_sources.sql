select f.name, f.checksum from jobforge.function_sources f order by f.name
