// When two observations of a source are the same listing. Pure.
#pragma once

#include <string>

#include "prices/observation.h"

namespace jobforge::services {

// "ext_" + external_id if the source has ids of its own; else "hash_" + the first 16 hex digits of
// SHA-256 over these five, joined by '|':
//
//     the URL without query and fragment, trimmed, in lower case
//     the title in lower case, blanks at its ends cut, every run of blanks one space
//     the price in cents
//     the day of the observation in UTC, YYYY-MM-DD, or "unknown"
//     sold, ask or bid
//
// Lower case is Unicode's simple mapping (core/unicode.h). The bytes are fixed: rows of many years
// are compared by them.
[[nodiscard]] std::string dedupe_key(const Observation& observation);

// What is hashed: for tests and for people who wonder.
[[nodiscard]] std::string dedupe_text(const Observation& observation);

}  // namespace jobforge::services
