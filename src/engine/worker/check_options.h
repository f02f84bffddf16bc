// Whether the options of a worker are in their ranges, which <jobforge/worker.h> documents.
#pragma once

#include <jobforge/worker.h>

#include "engine/worker/job_type.h"

namespace jobforge::engine {

// After worker_id and slots were filled in. CONFIG_MISSING that names the first option that is out
// of its range, and the range; or says that there is no handler.
[[nodiscard]] Status check_options(const WorkerOptions& options, const JobTypes& types);

}  // namespace jobforge::engine
