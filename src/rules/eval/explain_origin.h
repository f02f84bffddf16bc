// Where a value of a proof came from: a fact, and the place in its document.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <jobforge/json.h>

#include "rules/eval/proof_builder.h"

namespace jobforge::rules {

struct Origin {
    std::string fact_type;
    std::string fact_key;
    std::string pointer;  // JSON pointer; empty: the whole fact
};

// Follows members, elements and choices (requireSome, unwrapOr, if, filter ...) down to a fact.
// nullopt if the value was computed, or written in the rules.
[[nodiscard]] std::optional<Origin> origin_of(const Proof& proof, std::uint32_t node);

// A node's data, parsed.
[[nodiscard]] Json node_data(const ProofNode& node);

}  // namespace jobforge::rules
