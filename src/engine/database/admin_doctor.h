// What is wrong with this database and what to do about it.
//
// Each check is one look at catalogs or counts; none takes a lock that work would wait for. A check
// that the login may not make is reported as a warning, not left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pg/connection.h"

namespace jobforge::engine {

struct Finding {
    enum class Level { ok, warn, fail };
    std::string check;  // "connection", "server_version", "settings", ...
    Level level = Level::ok;
    std::string what;    // one sentence
    std::string advice;  // what to do; empty when ok
};
[[nodiscard]] std::string_view to_string(Finding::Level level) noexcept;

// From where on something is worth a finding.
struct DoctorLimits {
    double old_transaction_seconds = 60;
    double stuck_seconds = 60;         // a job that is due, or a lease that is expired, for so long
    std::int64_t dead_rows = 100'000;  // and more dead rows than live ones
};

// All checks, in a fixed order. Always returns; a lost connection shows up as a failed check.
[[nodiscard]] std::vector<Finding> examine(pg::Connection& connection,
                                           const DoctorLimits& limits = {});

}  // namespace jobforge::engine
