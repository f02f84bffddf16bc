select document_id, document_version_id, version, deduplicated, job_id
from jobforge.upload_document(p_kind => $1, p_name => $2, p_content => $3, p_media_type => $4,
    p_document_id => $5, p_document_version_id => $6, p_actor_id => $7)
