select kind, media_type, content from jobforge.document_to_parse($1)
