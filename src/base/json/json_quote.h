// The one place that escapes strings: the plain and the canonical writer share it.
#pragma once

#include <string>
#include <string_view>

namespace jobforge {

// Appends `text` as a JSON string literal: the short escapes of RFC 8785, other controls as
// \u00xx, all else as it is; what JSON text cannot hold (see json.h, dump) becomes U+FFFD.
void append_json_quoted(std::string& out, std::string_view text);

}  // namespace jobforge
