// Many statements, one round trip. Private to src/pg; callers use Connection::queue and flush.
#pragma once

#include <vector>

#include "pg/connection_state.h"

namespace jobforge::pg {

// Sends all statements with one Sync at the end and collects one result each. The first failure is
// the error. On return the connection is out of pipeline mode, or broken.
[[nodiscard]] Result<std::vector<Rows>> run_pipeline(Connection::State& state,
                                                     const std::vector<Queued>& queued);

}  // namespace jobforge::pg
