select jobforge.get_document_content($1)
