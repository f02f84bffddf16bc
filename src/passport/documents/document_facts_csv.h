// Facts from a CSV document: see document_facts.h. Internal to it. Pure.
#pragma once

#include "passport/documents/document_facts_kind.h"

namespace jobforge::passport {

// DOCUMENT_REJECTED with {"line","column"} in details.
[[nodiscard]] Result<std::vector<DocumentFact>> facts_of_csv(const DocumentKind& kind,
                                                             std::string_view bytes);

}  // namespace jobforge::passport
