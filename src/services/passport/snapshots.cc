#include "services/passport/snapshots.h"

#include "base/crypto/hash.h"
#include "statements/snapshots.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

pg::Params snapshot_and_actor(const Uuid& snapshot, const std::string& actor_id) {
    pg::Params params;
    params.uuid(snapshot).opt_text(unless_empty(actor_id));
    return params;
}

}  // namespace

Result<Uuid> create_snapshot(engine::TenantCalls& calls, const NewSnapshot& snapshot) {
    pg::Params params;
    params.text(snapshot.label)
        .opt_uuid(snapshot.snapshot_id)
        .opt_text(unless_empty(snapshot.actor_id));
    const auto row = calls.run_one(statements::snapshots::kCreateSnapshot, std::move(params),
                                   Repeat::if_not_done);
    return row.ok() ? Result<Uuid>(row->uuid(0, 0)) : Result<Uuid>(row.error());
}

Result<int> add_snapshot_facts(engine::TenantCalls& calls, const Uuid& snapshot,
                               const SnapshotFacts& facts) {
    pg::Params params;
    params.uuid(snapshot)
        .uuid_array(facts.fact_ids)
        .uuid_array(facts.document_version_ids)
        .opt_text(unless_empty(facts.actor_id));
    // A fact that is in already is not added again, so repeating is harmless.
    const auto row =
        calls.run_one(statements::snapshots::kAddSnapshotFacts, std::move(params), Repeat::always);
    return row.ok() ? Result<int>(static_cast<int>(row->integer(0, 0))) : Result<int>(row.error());
}

Status remove_snapshot_fact(engine::TenantCalls& calls, const Uuid& snapshot,
                            const std::string& fact_type, const std::string& fact_key) {
    pg::Params params;
    params.uuid(snapshot).text(fact_type).text(fact_key);
    auto row = calls.run_one(statements::snapshots::kRemoveSnapshotFact, std::move(params),
                             Repeat::if_not_done);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

Status reopen_snapshot(engine::TenantCalls& calls, const Uuid& snapshot,
                       const std::string& actor_id) {
    auto row = calls.run_one(statements::snapshots::kReopenSnapshot,
                             snapshot_and_actor(snapshot, actor_id), Repeat::if_not_done);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

Result<Uuid> build_snapshot(engine::TenantCalls& calls, const Uuid& snapshot,
                            const std::string& actor_id) {
    const auto row = calls.run_one(statements::snapshots::kBuildSnapshot,
                                   snapshot_and_actor(snapshot, actor_id), Repeat::if_not_done);
    return row.ok() ? Result<Uuid>(row->uuid(0, 0)) : Result<Uuid>(row.error());
}

Result<std::string> seal_snapshot(engine::TenantCalls& calls, const Uuid& snapshot,
                                  const std::string& actor_id) {
    const auto row = calls.run_one(statements::snapshots::kSealSnapshot,
                                   snapshot_and_actor(snapshot, actor_id), Repeat::if_not_done);
    return row.ok() ? Result<std::string>(hex_encode(row->text(0, 0)))
                    : Result<std::string>(row.error());
}

Result<Json> get_snapshot(engine::TenantCalls& calls, const Uuid& snapshot) {
    pg::Params params;
    params.uuid(snapshot);
    return calls.json_row(statements::snapshots::kGetSnapshot, std::move(params));
}

Result<std::vector<Json>> list_snapshot_facts(engine::TenantCalls& calls, const Uuid& snapshot) {
    pg::Params params;
    params.uuid(snapshot);
    return calls.json_rows(statements::snapshots::kListSnapshotFacts, std::move(params));
}

Result<std::vector<Json>> list_snapshots(engine::TenantCalls& calls, const SnapshotFilter& filter) {
    pg::Params params;
    params.opt_text(filter.status).int4(filter.limit).opt_uuid(filter.before);
    return calls.json_rows(statements::snapshots::kListSnapshots, std::move(params));
}

}  // namespace jobforge::services
