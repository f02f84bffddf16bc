#include "workloads/passport/log_keeper.h"

#include <fmt/format.h>

#include "core/hash.h"
#include "core/merkle.h"
#include "core/signed_note.h"
#include "passport/audit_chain.h"
#include "workloads/passport/step.h"

namespace jobforge::workloads {

namespace {

constexpr pg::Statement kSetTenant{"set_tenant",
                                   "select pg_catalog.set_config('app.tenant_id', $1, true)"};
constexpr pg::Statement kOpenTenants{"tenants_with_open_events",
                                     "select t.tenant_id from "
                                     "jobforge.tenants_with_open_events() t(tenant_id)"};
constexpr pg::Statement kExtend{
    "extend_event_log", "select tree_size, frontier, new_hashes from jobforge.extend_event_log()"};
constexpr pg::Statement kStoreHead{"store_log_head",
                                   "select jobforge.store_log_head($1, $2, $3, $4, $5)::text"};

Result<Sha256> to_hash(const std::string& bytes) {
    Sha256 hash{};
    if (bytes.size() != hash.size()) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "a stored hash has not 32 bytes");
    }
    std::copy(bytes.begin(), bytes.end(), hash.begin());
    return hash;
}

Result<std::vector<Sha256>> to_hashes(const std::vector<std::string>& texts) {
    std::vector<Sha256> hashes;
    for (const std::string& text : texts) {
        auto hash = to_hash(text);
        if (!hash.ok()) {
            return std::move(hash).error();
        }
        hashes.push_back(*hash);
    }
    return hashes;
}

Result<MerkleFrontier> grown(std::int64_t size, const std::vector<std::string>& frontier,
                             const std::vector<std::string>& new_hashes) {
    auto nodes = to_hashes(frontier);
    if (!nodes.ok()) {
        return std::move(nodes).error();
    }
    auto tree = MerkleFrontier::restore(static_cast<std::uint64_t>(size), *std::move(nodes));
    if (!tree.ok()) {
        return tree;
    }
    for (const std::string& hash : new_hashes) {
        tree->append(merkle_leaf_hash(hash));
    }
    return tree;
}

Result<pg::Params> head_params(const MerkleFrontier& tree, const Uuid& tenant,
                               const Ed25519PrivateKey& key, const std::string& key_id) {
    const Sha256 root = tree.root();
    const auto note = sign_checkpoint({passport::log_origin(tenant), tree.size(), root}, key);
    if (!note.ok()) {
        return note.error();
    }
    std::vector<std::string> frontier;
    for (const Sha256& node : tree.nodes()) {
        frontier.emplace_back(view(node));
    }
    pg::Params params;
    params.int8(static_cast<std::int64_t>(tree.size()))
        .bytea(view(root))
        .bytea_array(frontier)
        .text(*note)
        .text(key_id);
    return params;
}

// In the open transaction. 0: nothing new, or another worker is at it.
Result<std::int64_t> extend_in(pg::Transaction& transaction, const Uuid& tenant,
                               const Ed25519PrivateKey& key, const std::string& key_id) {
    pg::Params set;
    set.text(tenant.to_string());
    if (auto rows = transaction.exec(kSetTenant, set); !rows.ok()) {
        return std::move(rows).error();
    }
    const auto row = transaction.exec(kExtend, {});
    if (!row.ok()) {
        return row.error();
    }
    if (row->empty() || row->is_null(0, 2)) {
        return 0;
    }
    const auto added = row->text_array(0, 2);
    if (added.empty()) {
        return 0;
    }
    const auto tree = grown(row->integer(0, 0), row->text_array(0, 1), added);
    if (!tree.ok()) {
        return tree.error();
    }
    const auto params = head_params(*tree, tenant, key, key_id);
    if (!params.ok()) {
        return params.error();
    }
    if (auto stored = transaction.exec(kStoreHead, *params); !stored.ok()) {
        return std::move(stored).error();
    }
    return static_cast<std::int64_t>(added.size());
}

}  // namespace

Result<std::int64_t> extend_log(pg::Connection& connection, const Uuid& tenant,
                                const SigningKeys& keys, const std::string& key_id) {
    const Ed25519PrivateKey* key = keys.find(key_id);
    if (key == nullptr) {
        return Error::of(ErrorCode::SIGNING_KEY_MISSING,
                         fmt::format("this worker does not hold the signing key \"{}\", so log "
                                     "heads are not signed",
                                     key_id));
    }
    auto transaction = pg::Transaction::begin(connection);
    if (!transaction.ok()) {
        return std::move(transaction).error();
    }
    auto added = extend_in(*transaction, tenant, *key, key_id);
    if (!added.ok() || *added == 0) {
        return added;  // rolled back by the transaction's end
    }
    if (auto committed = transaction->commit(); !committed.ok()) {
        return std::move(committed).error();
    }
    return added;
}

Result<std::int64_t> extend_logs(pg::Connection& connection, const SigningKeys& keys,
                                 const std::string& key_id) {
    const auto tenants = connection.exec(kOpenTenants, {});
    if (!tenants.ok()) {
        return tenants.error();
    }
    std::int64_t total = 0;
    for (int row = 0; row < tenants->size(); ++row) {
        const auto added = extend_log(connection, tenants->uuid(row, 0), keys, key_id);
        if (!added.ok()) {
            return added.error();
        }
        total += *added;
    }
    return total;
}

LogKeeper::LogKeeper(LogKeeperOptions options)
    : options_(std::move(options)), thread_([this](const std::stop_token& stop) { run(stop); }) {}

LogKeeper::~LogKeeper() {
    thread_.request_stop();
    wake_.notify_all();
}

Status LogKeeper::pass(std::optional<pg::Connection>& connection, const std::stop_token& stop) {
    if (!connection) {
        pg::ConnectOptions connect;
        connect.url = options_.database_url;
        connect.application_name = "jobforge log keeper";
        connect.prepare_statements = true;
        // A hung server must not keep the process from ending.
        connect.give_up = [stop] { return stop.stop_requested(); };
        auto connected = pg::Connection::connect(connect);
        if (!connected.ok()) {
            return std::move(connected).error();
        }
        connection.emplace(*std::move(connected));
    }
    auto added = extend_logs(*connection, *options_.signing_keys, options_.key_id);
    if (!added.ok()) {
        connection.reset();
        return std::move(added).error();
    }
    return ok_status();
}

void LogKeeper::run(const std::stop_token& stop) {
    std::optional<pg::Connection> connection;
    bool failing = false;
    while (!stop.stop_requested()) {
        const Status done = pass(connection, stop);
        if (stop.stop_requested()) {
            return;
        }
        if (!done.ok() && !failing) {
            options_.log.warn("the event log is not extended",
                              {{"error", done.error().describe()}});
        }
        if (done.ok() && failing) {
            options_.log.info("the event log is extended again");
        }
        failing = !done.ok();
        std::unique_lock lock(mutex_);
        (void)wake_.wait_for(lock, stop, options_.interval, [] { return false; });
    }
}

}  // namespace jobforge::workloads
