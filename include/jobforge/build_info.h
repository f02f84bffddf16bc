// Which build this is: what `jobforge --version` prints and workers register with.
//
// The texts are constants of the library: valid for ever, safe from every thread.
#pragma once

#include <string_view>

namespace jobforge {

// The release, e.g. "0.1.0".
[[nodiscard]] std::string_view version() noexcept;
// The commit it was built from, 12 hexadecimal digits, "-dirty" appended when tracked files were
// changed; "unknown" outside a git checkout.
[[nodiscard]] std::string_view build_commit() noexcept;

}  // namespace jobforge
