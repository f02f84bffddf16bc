// Variables of the environment that look like ours and are not: a misspelt one is otherwise
// silence, and the program runs with a default that was not wanted.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace jobforge::cli {

// A sentence for each name that begins with BPC_ or JOBFORGE_ and means nothing to this program,
// with the nearest known one. Names of the project's tests and tools are left out, and so are
// secrets.
[[nodiscard]] std::vector<std::string> unknown_variables(std::span<const std::string> names);

// The names in this process's environment.
[[nodiscard]] std::vector<std::string> process_variable_names();

}  // namespace jobforge::cli
