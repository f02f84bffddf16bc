select jobforge.save_collection_progress($1, $2, $3)::text
