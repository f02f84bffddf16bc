// The proof checker for third parties: does this proof derive these values from these facts?
//
// It shares nothing with the rule language but the page docs/formats.md: its own reader of types,
// its own values, its own operations, on top of core's exact numbers. What it cannot say is whether
// the steps are those of the rules; recompiling says that (passport/bundle_verify.h).
//
// Pure; any thread. Bounded for hostile input: time and memory grow linearly with the proof and the
// facts, and values beyond Environment::kBudget are refused.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "values/date.h"

namespace jobforge::verify {

// One fact of the snapshot. The checker hashes the payload itself.
struct Fact {
    std::string_view fact_type;
    std::string_view fact_key;
    const Json* payload = nullptr;
};

struct ProofInputs {
    std::span<const Fact> facts;  // any order
    std::string_view product_name;
    std::string_view product_sku;
    Date issued_on;
    // Whether a COMPLIANCE_EMIT may have any status: proofs from before the set was closed do.
    bool any_status = false;
};

// What the proof derives: the parts of the payload that follow from it, and the root's hash.
struct Derived {
    Json fields;
    Json compliance;
    std::string root_hash;
    std::vector<std::string> foreign_statuses;  // those outside the set, each once, by bytes
};

// VALIDATION_ERROR naming the first node that is wrong and why ("node 17: ..."; {"node"} in
// details), or what is wrong with the proof or the facts as a whole.
[[nodiscard]] Result<Derived> check_proof(const Json& proof, const ProofInputs& inputs);

}  // namespace jobforge::verify
