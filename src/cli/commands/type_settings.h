// What the environment says about job types.
//
// JOB_LOCK_TIMEOUT_SECONDS is the lease of COLLECT_PRICES jobs; BPC_ENV decides whether the test.*
// types can be used (not in prod: test.crash kills its worker). Both are the database's, so that
// every worker agrees on them. They are therefore applied where policies are made, by `migrate` and
// `up`; a worker's login may not change them. `migrate` opens the test types of a new database;
// those of an older one only where BPC_ENV is given: an upgrade of a production database must not
// open them because a variable was forgotten.
#pragma once

#include <string>

#include <jobforge/error.h>

#include "cli/config.h"

namespace jobforge::cli {

// A lease that the environment does not name stays what `jobforge types set` made it. FORBIDDEN
// when the login may not change types.
[[nodiscard]] Status apply_type_settings(const std::string& admin_url, const Config& config,
                                         bool new_database);

}  // namespace jobforge::cli
