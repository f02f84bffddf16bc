// Ids that were not given, made from the content: the same inputs give the same ids, and so the
// same bytes (docs/formats.md, BPC-COMPILE-1). Pure.
#pragma once

#include <string>

#include "passport/compile.h"

namespace jobforge::passport {

// Version 8 (RFC 9562) from sha256("jobforge/" + member + "/" + material).
[[nodiscard]] std::string content_uuid(std::string_view member, std::string_view material);

// Fills the ids of `inputs.issue` that are empty; the others stay. VALIDATION_ERROR if the facts
// cannot make a snapshot.
[[nodiscard]] Status fill_default_ids(CompileInputs& inputs);

}  // namespace jobforge::passport
