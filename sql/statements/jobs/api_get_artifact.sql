select content, media_type from jobforge.get_artifact($1)
