// Numbers from documents: kept exactly, never through a double.
//
// Canonical JSON knows integers up to 2^53-1 only. Every other number of a document becomes a
// string with its plain decimal expansion, the written digits kept:
//
//   75.50       "75.50"     a fraction keeps its zeros
//   7.55e1      "75.5"      an exponent moves the point
//   1E2         "100"       an exponent makes a string of whole numbers too
//   1.50e1      "15.0"
//   5e-3        "0.005"     one zero before the point, no others: 0.05e1 is "0.5"
//   -0          0           an integer stays an integer, and zero has no sign:
//   -0.0        "0.0"
//   0e-2        "0.00"
//   0e5         "0"
//   9007199254740992  "9007199254740992"
//
// At most 38 digits after expansion, where a lone zero before the point does not count: 1e37 and
// 1e-38 are kept, 1e38 and 1e-39 refused. Strings, true, false and null pass as they are. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge {

// The document with exact numbers, its order kept. DOCUMENT_REJECTED for a number of more than 38
// digits, found before anything is expanded (1e999999999 costs nothing), and for nesting deeper
// than 128 (only in values that were built rather than parsed); the place is in the message and as
// a JSON pointer in details, {"pointer"}.
[[nodiscard]] Result<Json> with_exact_numbers(const Json& document);

// One step of a JSON pointer to a member (RFC 6901): "/" and the name with ~ and / escaped.
[[nodiscard]] std::string json_pointer_token(std::string_view name);

// The JSON pointers, sorted, of the numbers that became strings: where `document` has a number and
// `exact`, which was made of it, a string. The string alone does not show it, and a number must not
// pass for a text that was written so.
[[nodiscard]] std::vector<std::string> numbers_made_text(const Json& document, const Json& exact);

}  // namespace jobforge
