// Many statements, one round trip. Private to src/pg; callers use Connection::queue and flush.
#pragma once

#include <optional>
#include <vector>

#include "pg/connection_state.h"

namespace jobforge::pg {

// Sends all statements with one Sync at the end and collects one result each. The first failure is
// the error. On return the connection is out of pipeline mode, or broken.
[[nodiscard]] Result<std::vector<Rows>> run_pipeline(Connection::State& state,
                                                     std::vector<Queued> queued);

// The same in two halves that do not wait; state.under_way is between them. What the system does
// not take at once is an error, and the connection is lost.
[[nodiscard]] Status start_pipeline(Connection::State& state, std::vector<Queued> queued);
// nullopt: not all has come.
[[nodiscard]] std::optional<Result<std::vector<Rows>>> take_pipeline(Connection::State& state);

}  // namespace jobforge::pg
