// Reads the payload that a claim's answer left out because it is large. The thread that runs the
// job does it, on a connection for handlers: no other job waits.
#pragma once

#include "engine/worker/held_jobs.h"
#include "pg/pool.h"

namespace jobforge::engine {

// Errors: JOB_PAYLOAD_INVALID when this payload can never be read; LEASE_LOST when the job is no
// longer ours; others when it could not be read now.
[[nodiscard]] Status read_payload(pg::Pool& pool, const HeldJob& held, Job& job);

}  // namespace jobforge::engine
