// BPC-BUNDLE-1: everything about one passport in one file, to be verified offline.
//
// Writing is a pure function of what compile and sign made. Reading is strict: the bytes must equal
// their own canonical form and every object must have exactly its members, so that no byte is free.
// Whether what it says is true is another question: bundle_verify.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "passport/compile.h"
#include "passport/receipt.h"

namespace jobforge::passport {

struct Bundle {
    std::vector<rules::Fact> facts;  // in the file's order
    Json payload;
    Product product;
    Json proof;
    Receipt receipt;
    std::string dsl_source;
    std::string tests_source;
    Json snapshot;
};

// The file's bytes, for a compiled passport and its signed receipt. VALIDATION_ERROR if a source or
// a fact is not a valid text.
[[nodiscard]] Result<std::string> write_bundle(const CompileInputs& inputs,
                                               const Compiled& compiled,
                                               const Receipt& signed_receipt);

// The file as JSON. VALIDATION_ERROR, with the place, unless the bytes are canonical JSON.
[[nodiscard]] Result<Json> read_canonical_document(std::string_view bytes);
// VALIDATION_ERROR naming the member that is missing, unknown, reserved, or not of its kind.
[[nodiscard]] Result<Bundle> read_bundle(const Json& document);

}  // namespace jobforge::passport
