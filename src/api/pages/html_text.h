// Text inside of HTML. Pure.
#pragma once

#include <string>
#include <string_view>

namespace jobforge::api {

// The text as HTML that shows exactly it, between tags and inside of a quoted attribute. What HTML
// has no character for (control characters but tab and line feed) becomes U+FFFD.
[[nodiscard]] std::string html_escaped(std::string_view text);

// The Content-Security-Policy of a page that has one <style> of this text, no script, no form, and
// nothing from elsewhere: by the style's hash, so that an injected one has no effect.
[[nodiscard]] std::string page_policy(std::string_view style);

}  // namespace jobforge::api
