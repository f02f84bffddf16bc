// An API key as it is typed. Pure.
#pragma once

#include <string>

#include <jobforge/error.h>

namespace jobforge::cli {

// The id of a key that is named by it, or by its whole text: a person who finds a key should not
// have to cut it up before revoking it. VALIDATION_ERROR, which never quotes the text.
[[nodiscard]] Result<std::string> key_argument(const std::string& text);

}  // namespace jobforge::cli
