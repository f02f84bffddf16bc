// Whether one text occurs in another, in linear time whatever the two are.
//
// std::string_view::find compares from every place anew: for "aaa...a" and "aaa...ab" that is the
// product of both lengths, minutes for two megabytes. Rules and proofs come from outside, so the
// search behind `contains` must not depend on being asked kindly.
#pragma once

#include <string_view>

namespace jobforge {

// Bytes are compared as they are. The empty text occurs everywhere. Takes memory for the sought
// text, four bytes for each of its own.
[[nodiscard]] bool contains_text(std::string_view where, std::string_view what);

}  // namespace jobforge
