// JOB_LOCK_TIMEOUT_SECONDS: the lease of COLLECT_PRICES jobs.
//
// A lease is the type's, in the database, so that every worker and the maintenance agree on it. The
// variable is therefore applied where policies are made, by `migrate` and `up`; a worker's login
// may not change them.
#pragma once

#include <string>

#include <jobforge/error.h>

#include "cli/config.h"

namespace jobforge::cli {

// Does nothing when the variable is not set: what `jobforge types set` made stays. FORBIDDEN when
// the login may not change types.
[[nodiscard]] Status apply_source_lease(const std::string& admin_url, const Config& config);

}  // namespace jobforge::cli
