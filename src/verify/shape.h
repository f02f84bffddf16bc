// From JSON to values: facts by the type that the rules declare for them, literals by their own.
#pragma once

#include <optional>

#include <jobforge/json.h>

#include "verify/proof_type.h"
#include "verify/proof_value.h"

namespace jobforge::verify {

// A fact's payload as a value of `type` (docs/formats.md, "Fact to value"): members that the type
// does not name are ignored, quantities converted to its unit. nullopt if it does not fit.
[[nodiscard]] std::optional<Value> shape(const Json& json, const Type& type);
// A value that is written exactly as the payload would write it; nullopt for anything else.
[[nodiscard]] std::optional<Value> read_exact(const Json& json, const Type& type);

}  // namespace jobforge::verify
