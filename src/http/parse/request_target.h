// What a request asks for, decoded: the path once and safely, the query into names and values.
//
// Strict where leniency has broken others: an encoded slash, a backslash or a dot segment would let
// a policy see one path and a handler another; a NUL would end a C string early. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobforge::http {

struct DecodedTarget {
    std::string path;                                        // see RequestHead::path
    std::vector<std::pair<std::string, std::string>> query;  // see RequestHead::query
    std::string_view fault;  // empty: all is well; else what is wrong, for a 400
};

// `target` in origin-form: "/path?query".
[[nodiscard]] DecodedTarget decode_target(std::string_view target);

}  // namespace jobforge::http
