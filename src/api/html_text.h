// Text inside of HTML. Pure.
#pragma once

#include <string>
#include <string_view>

namespace jobforge::api {

// The text as HTML that shows exactly it, between tags and inside of a quoted attribute. What HTML
// has no character for (control characters but tab and line feed) becomes U+FFFD.
[[nodiscard]] std::string html_escaped(std::string_view text);

}  // namespace jobforge::api
