// The facts of a stored snapshot as the compiler takes them.
#pragma once

#include <vector>

#include <jobforge/error.h>

#include "pg/connection.h"
#include "rules/eval/facts.h"

namespace jobforge::services {

// The rows of statements::snapshots::kSnapshotFacts, whose parameter is the snapshot's id.
// INTERNAL_ERROR if a stored payload is not JSON: it was changed by hand.
[[nodiscard]] Result<std::vector<rules::Fact>> read_snapshot_facts(const pg::Rows& rows);

}  // namespace jobforge::services
