#include "services/passport/snapshots.h"

#include "base/crypto/hash.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

constexpr pg::Statement kCreate{"create_snapshot", "select jobforge.create_snapshot($1, $2, $3)"};
constexpr pg::Statement kAdd{"add_snapshot_facts",
                             "select jobforge.add_snapshot_facts($1, $2, $3, $4)"};
constexpr pg::Statement kRemove{"remove_snapshot_fact",
                                "select jobforge.remove_snapshot_fact($1, $2, $3)::text"};
constexpr pg::Statement kReopen{"reopen_snapshot", "select jobforge.reopen_snapshot($1, $2)::text"};
constexpr pg::Statement kBuild{"build_snapshot",
                               "select jobforge.build_snapshot($1, p_actor_id => $2)"};
constexpr pg::Statement kSeal{"seal_snapshot", "select jobforge.seal_snapshot($1, $2)"};
constexpr pg::Statement kGet{"get_snapshot",
                             "select pg_catalog.row_to_json(s) from jobforge.get_snapshot($1) s"};
constexpr pg::Statement kFacts{
    "list_snapshot_facts",
    "select pg_catalog.json_build_object('fact_type', f.fact_type, 'fact_key', f.fact_key, "
    "'source_sha256', pg_catalog.encode(f.source_sha256, 'hex'), 'source_name', f.source_name) "
    "from jobforge.snapshot_facts($1) f"};
constexpr pg::Statement kList{
    "list_snapshots",
    "select pg_catalog.row_to_json(s) from jobforge.list_snapshots(p_status => $1, "
    "p_limit => $2, p_before => $3) s"};

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
    const auto row = calls.run_one(kCreate, std::move(params), Repeat::if_not_done);
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
    const auto row = calls.run_one(kAdd, std::move(params), Repeat::always);
    return row.ok() ? Result<int>(static_cast<int>(row->integer(0, 0))) : Result<int>(row.error());
}

Status remove_snapshot_fact(engine::TenantCalls& calls, const Uuid& snapshot,
                            const std::string& fact_type, const std::string& fact_key) {
    pg::Params params;
    params.uuid(snapshot).text(fact_type).text(fact_key);
    auto row = calls.run_one(kRemove, std::move(params), Repeat::if_not_done);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

Status reopen_snapshot(engine::TenantCalls& calls, const Uuid& snapshot,
                       const std::string& actor_id) {
    auto row = calls.run_one(kReopen, snapshot_and_actor(snapshot, actor_id), Repeat::if_not_done);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

Result<Uuid> build_snapshot(engine::TenantCalls& calls, const Uuid& snapshot,
                            const std::string& actor_id) {
    const auto row =
        calls.run_one(kBuild, snapshot_and_actor(snapshot, actor_id), Repeat::if_not_done);
    return row.ok() ? Result<Uuid>(row->uuid(0, 0)) : Result<Uuid>(row.error());
}

Result<std::string> seal_snapshot(engine::TenantCalls& calls, const Uuid& snapshot,
                                  const std::string& actor_id) {
    const auto row =
        calls.run_one(kSeal, snapshot_and_actor(snapshot, actor_id), Repeat::if_not_done);
    return row.ok() ? Result<std::string>(hex_encode(row->text(0, 0)))
                    : Result<std::string>(row.error());
}

Result<Json> get_snapshot(engine::TenantCalls& calls, const Uuid& snapshot) {
    pg::Params params;
    params.uuid(snapshot);
    return calls.json_row(kGet, std::move(params));
}

Result<std::vector<Json>> list_snapshot_facts(engine::TenantCalls& calls, const Uuid& snapshot) {
    pg::Params params;
    params.uuid(snapshot);
    return calls.json_rows(kFacts, std::move(params));
}

Result<std::vector<Json>> list_snapshots(engine::TenantCalls& calls, const SnapshotFilter& filter) {
    pg::Params params;
    params.opt_text(filter.status).int4(filter.limit).opt_uuid(filter.before);
    return calls.json_rows(kList, std::move(params));
}

}  // namespace jobforge::services
