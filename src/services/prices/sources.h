// Use cases: where prices come from. The command line and the HTTP API call these.
//
// A source is named by its name or its id as text. Rows come as JSON objects whose members are the
// columns of the SQL functions (docs/sql.md). Threads: as TenantCalls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/database/tenant_calls.h"

namespace jobforge::services {

// New, or changed where it is named: by its name. `source` has the members of
// jobforge.save_source; its config is checked as its adapter reads it, so that a mistake is told
// now and not by a failed job. VALIDATION_ERROR, SSRF_BLOCKED (a base_url that is not a plain URL).
[[nodiscard]] Result<Uuid> save_source(engine::TenantCalls& calls, const Json& source,
                                       const std::string& actor_id);
// The check alone; `adapter` is that of a source that does not name it. Pure.
[[nodiscard]] Status check_source(const Json& source, std::string adapter = "http_json");

// Members exclude_keywords, require_keywords, allowed_path, rate_limit_override (null: none); what
// is not named stays. VALIDATION_ERROR for a keyword without any letter or number.
[[nodiscard]] Status set_source_rules(engine::TenantCalls& calls, const std::string& source,
                                      const Json& rules);
[[nodiscard]] Status set_source_enabled(engine::TenantCalls& calls, const std::string& source,
                                        bool enabled);

// With what their governors say: state, failure_streak, paused_until ...
[[nodiscard]] Result<std::vector<Json>> list_sources(engine::TenantCalls& calls);
[[nodiscard]] Result<Json> get_source(engine::TenantCalls& calls, const std::string& source);

// Neither of them: until resume_source.
struct PauseEnd {
    std::optional<pg::Timestamp> until = {};
    std::optional<std::int64_t> after_ms = {};  // from now, by the database's clock
};
// Its jobs are snoozed until then. They go on by themselves and keep their attempts.
[[nodiscard]] Status pause_source(engine::TenantCalls& calls, const std::string& source,
                                  const PauseEnd& end, const std::string& reason);
// Ends a pause and closes the breaker.
[[nodiscard]] Status resume_source(engine::TenantCalls& calls, const std::string& source);

}  // namespace jobforge::services
