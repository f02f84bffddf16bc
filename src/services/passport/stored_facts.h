// The facts of a stored snapshot as the compiler takes them.
#pragma once

#include <vector>

#include <jobforge/error.h>

#include "pg/connection.h"
#include "rules/eval/facts.h"

namespace jobforge::services {

// Parameter: the snapshot's id.
inline constexpr pg::Statement kSnapshotFacts{
    "snapshot_facts",
    "select fact_type, fact_key, payload_canonical, source_sha256, source_name, numbers "
    "from jobforge.snapshot_facts($1)"};

// The rows of kSnapshotFacts. INTERNAL_ERROR if a stored payload is not JSON: it was changed.
[[nodiscard]] Result<std::vector<rules::Fact>> read_snapshot_facts(const pg::Rows& rows);

}  // namespace jobforge::services
