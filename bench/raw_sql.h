// What plain SQL reaches on the same machine in the same run: the ceiling we are compared with.
// No tenants, no fence, no retries, no idempotency, no roles: only rows, keys and durable commits.
#pragma once

#include "bench_world.h"

namespace jobforge::bench {

// Jobs a second, one insert per transaction.
[[nodiscard]] double raw_single_inserts(const World& world, int clients, int jobs);
// Jobs a second, `batch` rows per transaction.
[[nodiscard]] double raw_batch_inserts(const World& world, int clients, int batch, int jobs);
// Jobs a second of claim (CTE, SKIP LOCKED) + delete + history row in batches, two connections.
[[nodiscard]] double raw_drain(const World& world, int batch, int jobs);
// Milliseconds of one durable insert and then one durable claim, on two connections, one by one.
[[nodiscard]] std::vector<double> raw_pings(const World& world, int pings);

}  // namespace jobforge::bench
