// Whether a text is JSON: the grammar of RFC 8259, all of it and nothing else.
//
// Json::parse refuses more, since what it reads must have one meaning and fit the database. The
// grammar alone has repeated keys, any depth, any number, and escapes for U+0000 and for surrogates
// without their other half.
#pragma once

#include <string_view>

#include <jobforge/error.h>

namespace jobforge {

// VALIDATION_ERROR with the place of the first fault, as from Json::parse, if `text` is not JSON
// text in UTF-8 without byte order mark. Takes linear time, no recursion, and memory for one bit a
// level of nesting. Pure.
[[nodiscard]] Status check_json(std::string_view text);

}  // namespace jobforge
