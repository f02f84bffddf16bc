// BPC-PASSPORT-1: what a passport says. Nothing in it changes from run to run.
#pragma once

#include <string>

#include "passport/compile.h"
#include "rules/eval/evaluator.h"

namespace jobforge::passport {

// The canonical bytes. VALIDATION_ERROR if a text of the product is not valid UTF-8.
[[nodiscard]] Result<std::string> payload_bytes(const rules::CheckedPackage& package,
                                                const rules::Evaluation& evaluation,
                                                const Product& product);

}  // namespace jobforge::passport
