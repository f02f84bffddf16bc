// The API's table, one function a resource (resource_*.cc).
#pragma once

#include <span>
#include <vector>

#include "api/route.h"

namespace jobforge::api {

[[nodiscard]] std::span<const Route> job_routes();
[[nodiscard]] std::span<const Route> job_action_routes();
[[nodiscard]] std::span<const Route> work_routes();
[[nodiscard]] std::span<const Route> registry_routes();
[[nodiscard]] std::span<const Route> document_routes();
[[nodiscard]] std::span<const Route> snapshot_routes();
[[nodiscard]] std::span<const Route> rule_routes();
[[nodiscard]] std::span<const Route> product_routes();
[[nodiscard]] std::span<const Route> passport_version_routes();
[[nodiscard]] std::span<const Route> audit_routes();
[[nodiscard]] std::span<const Route> webhook_routes();
[[nodiscard]] std::span<const Route> source_routes();
[[nodiscard]] std::span<const Route> intake_routes();
[[nodiscard]] std::span<const Route> access_routes();
[[nodiscard]] std::span<const Route> program_routes();
[[nodiscard]] std::span<const Route> public_routes();
[[nodiscard]] std::span<const Route> stream_routes();
[[nodiscard]] std::span<const Route> artifact_routes();
[[nodiscard]] std::span<const Route> connector_routes();
[[nodiscard]] std::span<const Route> platform_routes();
[[nodiscard]] std::span<const Route> webhook_change_routes();
[[nodiscard]] std::span<const Route> audit_trail_routes();

// All of them. Lives as long as the program.
[[nodiscard]] std::span<const std::span<const Route>> all_routes();

}  // namespace jobforge::api
