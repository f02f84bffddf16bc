select jobforge.resume_source($1)::text
