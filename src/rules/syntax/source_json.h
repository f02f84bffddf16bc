// Where a part of a JSON value stands in its text: so that a message about "/packs/0/mass" can
// point at the place.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace jobforge::rules {

// [begin, end) of the value that an RFC 6901 pointer names; of the innermost value on the way that
// exists, if it does not (a missing member: its object). Precondition: `json` was parsed without an
// error. Linear in the text.
[[nodiscard]] std::pair<std::size_t, std::size_t> place_in_json(std::string_view json,
                                                                std::string_view pointer);

}  // namespace jobforge::rules
