// Use cases: data snapshots, BUILDING -> READY -> SEALED. Threads: as TenantCalls.
#pragma once

#include "services/passport/documents.h"

namespace jobforge::services {

struct NewSnapshot {
    std::string label = {};
    std::optional<Uuid> snapshot_id = {};
    std::string actor_id = {};
};
[[nodiscard]] Result<Uuid> create_snapshot(engine::TenantCalls& calls, const NewSnapshot& snapshot);

// Single facts, and all facts of whole documents. How many were new in the snapshot.
// SNAPSHOT_SEALED, INVALID_TRANSITION (READY: reopen it), VALIDATION_ERROR (two facts of one type
// and key), NOT_FOUND.
struct SnapshotFacts {
    std::vector<Uuid> fact_ids = {};
    std::vector<Uuid> document_version_ids = {};
    std::string actor_id = {};
};
[[nodiscard]] Result<int> add_snapshot_facts(engine::TenantCalls& calls, const Uuid& snapshot,
                                             const SnapshotFacts& facts);
[[nodiscard]] Status remove_snapshot_fact(engine::TenantCalls& calls, const Uuid& snapshot,
                                          const std::string& fact_type,
                                          const std::string& fact_key);
[[nodiscard]] Status reopen_snapshot(engine::TenantCalls& calls, const Uuid& snapshot,
                                     const std::string& actor_id);
// Enqueues BUILD_SNAPSHOT; its job.
[[nodiscard]] Result<Uuid> build_snapshot(engine::TenantCalls& calls, const Uuid& snapshot,
                                          const std::string& actor_id);
// The snapshot's hash, hex. SNAPSHOT_NOT_READY, SNAPSHOT_SEALED.
[[nodiscard]] Result<std::string> seal_snapshot(engine::TenantCalls& calls, const Uuid& snapshot,
                                                const std::string& actor_id);
[[nodiscard]] Result<Json> get_snapshot(engine::TenantCalls& calls, const Uuid& snapshot);
// What is in it, in byte order, without the payloads: fact_type, fact_key, source_sha256 (hex),
// source_name.
[[nodiscard]] Result<std::vector<Json>> list_snapshot_facts(engine::TenantCalls& calls,
                                                            const Uuid& snapshot);

struct SnapshotFilter : Page {
    std::optional<std::string> status = {};
};
[[nodiscard]] Result<std::vector<Json>> list_snapshots(engine::TenantCalls& calls,
                                                       const SnapshotFilter& filter);

}  // namespace jobforge::services
