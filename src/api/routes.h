// The API's table, one function a resource (resource_*.cc).
#pragma once

#include <span>
#include <vector>

#include "api/route.h"

namespace jobforge::api {

[[nodiscard]] std::span<const Route> job_routes();
[[nodiscard]] std::span<const Route> job_action_routes();
[[nodiscard]] std::span<const Route> program_routes();

// All of them. Lives as long as the program.
[[nodiscard]] std::span<const std::span<const Route>> all_routes();

}  // namespace jobforge::api
