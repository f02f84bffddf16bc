// Errors in what a person typed: the command line can be read, and a value in it makes no sense.
// They are exit code 2, like an option that is missing; what a database or a file refuses is 1.
#pragma once

#include <string>

#include <jobforge/error.h>

namespace jobforge::cli {

// VALIDATION_ERROR with a mark that exit_code_of() knows.
[[nodiscard]] Error usage_error(std::string message, std::string hint = {});
[[nodiscard]] bool is_usage_error(const Error& error) noexcept;

}  // namespace jobforge::cli
