// BPC-CJSON-1: the one byte form of a JSON value, so that equal content has an equal hash for ever.
//
// RFC 8785 (JCS) restricted to integers: keys sorted by UTF-16 code units, no white space, integers
// from -(2^53-1) to 2^53-1 without fraction or exponent, -0 written 0. Exact decimals travel as
// strings. Every output is valid JCS. Pure.
#pragma once

#include <string>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge {

// The canonical bytes. Fails with the place as a JSON pointer in details, {"pointer"}:
// CANONICAL_NUMBER_NOT_ALLOWED for any other number; VALIDATION_ERROR for a repeated key, invalid
// UTF-8 (lone surrogates included), U+0000, or nesting deeper than 128. The last four occur only in
// values that were built rather than parsed.
[[nodiscard]] Result<std::string> canonical(const Json& value);

}  // namespace jobforge
