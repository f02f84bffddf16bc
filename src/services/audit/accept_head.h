// Use case: an operator lets a log go on although it does not fit the head that was kept.
//
// After a restored backup the database is older than the kept head, and the log keeper refuses to
// sign. Only a person can tell a restored backup from a forgery, so a person says it, with a
// reason, and the audit trail has it as LOG_HEAD_ACCEPTED {kept, accepted, reason}.
#pragma once

#include <string>

#include <jobforge/error.h>
#include <jobforge/uuid.h>

#include "pg/connection.h"
#include "services/audit/log_keeper.h"

namespace jobforge::services {

struct AcceptHead {
    Uuid tenant;
    std::string reason;
    std::string actor;
};
// The new head's note, signed over the whole log with the event in it, and kept. LOG_HEAD_MISMATCH
// if the trail contradicts itself (a database like that needs a better backup, not a signature);
// INVALID_TRANSITION if the kept head fits; SIGNING_KEY_MISSING.
[[nodiscard]] Result<std::string> accept_head(pg::Connection& connection, const AcceptHead& request,
                                              const LogSigner& signer);

}  // namespace jobforge::services
