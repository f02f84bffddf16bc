// BPC-SNAPSHOT-1: which facts a passport was made from, as one document with one hash.
#pragma once

#include <string_view>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "rules/eval/facts.h"

namespace jobforge::passport {

// The document, facts in the set's order. VALIDATION_ERROR if a source_sha256 is not 64 lower-case
// hex digits. Pure.
[[nodiscard]] Result<Json> snapshot_document(std::string_view snapshot_id,
                                             const rules::FactSet& facts);

}  // namespace jobforge::passport
