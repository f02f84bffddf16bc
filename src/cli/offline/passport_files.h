// Files that the passport commands write. Whole or not at all: a reader never sees half a document.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge::cli {

// Replaces the file with these bytes. `mode` are its permissions from the first byte on (0600 for
// secrets). VALIDATION_ERROR with the system's reason.
[[nodiscard]] Status write_whole_file(const std::string& path, std::string_view bytes,
                                      unsigned mode = 0644);
// The same, but an existing file stays and is VALIDATION_ERROR: a key must not be lost.
[[nodiscard]] Status write_new_file(const std::string& path, std::string_view bytes, unsigned mode);
// Makes the directory and those above it.
[[nodiscard]] Status make_directory(const std::string& path);

}  // namespace jobforge::cli
