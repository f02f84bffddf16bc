// What a relative URL means. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace jobforge::connect {

// The URL that `reference` means when seen from `base` (RFC 3986, 5.2: absolute, "//host/x", "/x",
// "x", "../x", "?q"), without its fragment. `base` must be a CheckedUrl::text(). The result is as
// trustworthy as the reference: check_url() it.
[[nodiscard]] std::string resolve_reference(std::string_view base, std::string_view reference);

}  // namespace jobforge::connect
