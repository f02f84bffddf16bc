#include "workloads/passport/audit.h"

#include <algorithm>

namespace jobforge::workloads {

namespace {

constexpr int kPage = 10000;

constexpr pg::Statement kOneSnapshot{"one_snapshot",
                                     "set transaction isolation level repeatable read, read only"};
constexpr pg::Statement kSetTenant{"set_tenant",
                                   "select pg_catalog.set_config('app.tenant_id', $1, true)"};
constexpr pg::Statement kEvents{
    "audit_events",
    "select event_seq, tenant_id, event_id, aggregate_type, aggregate_id, aggregate_version, "
    "event_type, actor_id, payload_canonical, payload_hash, prev_event_hash, event_hash, "
    "occurred_at from jobforge.audit_events($1, $2)"};
constexpr pg::Statement kLog{"audit_log",
                             "select log_index, event_id, event_hash from jobforge.audit_log($1, "
                             "$2)"};
constexpr pg::Statement kHeads{
    "audit_heads", "select tree_size, root_hash, checkpoint, key_id from jobforge.audit_heads()"};
constexpr pg::Statement kKeys{"list_signing_keys",
                              "select public_key from jobforge.list_signing_keys()"};

constexpr pg::Statement kListEvents{
    "list_events",
    "select pg_catalog.row_to_json(e) from jobforge.list_events(p_aggregate_id => $1, "
    "p_event_type => $2, p_limit => $3, p_after => $4) e"};

passport::AuditEvent read_event(const pg::Rows& rows, int row) {
    passport::AuditEvent event;
    event.tenant_id = rows.uuid(row, 1);
    event.event_id = rows.uuid(row, 2);
    event.aggregate_type = rows.text(row, 3);
    event.aggregate_id = rows.uuid(row, 4);
    event.aggregate_version = rows.integer(row, 5);
    event.event_type = rows.text(row, 6);
    event.actor_id = rows.opt_text(row, 7);
    event.payload_canonical = rows.text(row, 8);
    event.payload_hash = rows.text(row, 9);
    event.prev_event_hash = rows.opt_text(row, 10);
    event.event_hash = rows.text(row, 11);
    event.occurred_at_us = rows.timestamp(row, 12).unix_us;
    return event;
}

passport::AuditHead read_head(const pg::Rows& rows, int row) {
    return {rows.integer(row, 0), std::string(rows.text(row, 1)), std::string(rows.text(row, 2)),
            std::string(rows.text(row, 3))};
}

// Pages of a statement ($1: after, $2: limit) whose first column is the place to go on from.
Status for_each_row(pg::Transaction& transaction, const pg::Statement& statement,
                    std::int64_t before_first,
                    const std::function<Status(const pg::Rows&, int)>& take) {
    for (std::int64_t after = before_first;;) {
        pg::Params params;
        params.int8(after).int4(kPage);
        const auto rows = transaction.exec(statement, params);
        if (!rows.ok()) {
            return rows.error();
        }
        for (int row = 0; row < rows->size(); ++row) {
            if (auto taken = take(*rows, row); !taken.ok()) {
                return taken;
            }
        }
        if (rows->size() < kPage) {
            return ok_status();
        }
        after = rows->integer(rows->size() - 1, 0);
    }
}

Result<pg::Transaction> begin_reading(pg::Connection& connection, const Uuid& tenant) {
    auto transaction = pg::Transaction::begin(connection);
    if (!transaction.ok()) {
        return transaction;
    }
    pg::Params params;
    params.text(tenant.to_string());
    if (auto set = transaction->exec(kOneSnapshot, {}); !set.ok()) {
        return std::move(set).error();
    }
    if (auto set = transaction->exec(kSetTenant, params); !set.ok()) {
        return std::move(set).error();
    }
    return transaction;
}

Status read_heads(pg::Transaction& transaction,
                  const std::function<Status(const passport::AuditHead&)>& take) {
    const auto rows = transaction.exec(kHeads, {});
    if (!rows.ok()) {
        return rows.error();
    }
    for (int row = 0; row < rows->size(); ++row) {
        if (auto taken = take(read_head(*rows, row)); !taken.ok()) {
            return taken;
        }
    }
    return ok_status();
}

}  // namespace

Status read_audit(pg::Connection& connection, const Uuid& tenant, const AuditSink& sink) {
    auto transaction = begin_reading(connection, tenant);
    if (!transaction.ok()) {
        return std::move(transaction).error();
    }
    if (auto done = for_each_row(
            *transaction, kEvents, 0,
            [&sink](const pg::Rows& rows, int row) { return sink.event(read_event(rows, row)); });
        !done.ok()) {
        return done;
    }
    if (auto done = for_each_row(*transaction, kLog, -1,
                                 [&sink](const pg::Rows& rows, int row) {
                                     return sink.log_entry({rows.integer(row, 0), rows.uuid(row, 1),
                                                            std::string(rows.text(row, 2))});
                                 });
        !done.ok()) {
        return done;
    }
    return read_heads(*transaction, sink.head);
}

Result<passport::AuditReport> verify_audit(pg::Connection& connection,
                                           const AuditQuestion& question) {
    passport::AuditVerifier verifier(question.tenant, question.keys);
    AuditSink sink;
    sink.event = [&verifier](const passport::AuditEvent& event) {
        verifier.add_event(event);
        return ok_status();
    };
    sink.log_entry = [&verifier](const passport::AuditLogEntry& entry) {
        verifier.add_log_entry(entry);
        return ok_status();
    };
    sink.head = [&verifier](const passport::AuditHead& head) {
        verifier.add_head(head);
        return ok_status();
    };
    if (auto done = read_audit(connection, question.tenant, sink); !done.ok()) {
        return std::move(done).error();
    }
    for (const std::string& head : question.outside_heads) {
        verifier.add_outside_head(head);
    }
    return verifier.finish();
}

Result<std::vector<Ed25519PublicKey>> stored_signing_keys(pg::Connection& connection,
                                                          const Uuid& tenant) {
    auto transaction = begin_reading(connection, tenant);
    if (!transaction.ok()) {
        return std::move(transaction).error();
    }
    const auto rows = transaction->exec(kKeys, {});
    if (!rows.ok()) {
        return rows.error();
    }
    std::vector<Ed25519PublicKey> keys;
    for (int row = 0; row < rows->size(); ++row) {
        auto key = Ed25519PublicKey::from_bytes(rows->text(row, 0));
        if (!key.ok()) {
            return std::move(key).error();
        }
        keys.push_back(*key);
    }
    return keys;
}

Result<passport::AuditHead> newest_head(pg::Connection& connection, const Uuid& tenant) {
    auto transaction = begin_reading(connection, tenant);
    if (!transaction.ok()) {
        return std::move(transaction).error();
    }
    std::optional<passport::AuditHead> newest;
    auto read = read_heads(*transaction, [&newest](const passport::AuditHead& head) {
        if (!newest || head.tree_size > newest->tree_size) {
            newest = head;
        }
        return ok_status();
    });
    if (!read.ok()) {
        return std::move(read).error();
    }
    if (!newest) {
        Error error = Error::of(ErrorCode::NOT_FOUND, "there is no signed head yet");
        error.hint = "A running worker signs one within seconds of the first event.";
        return error;
    }
    return *std::move(newest);
}

Result<std::vector<Json>> list_events(engine::TenantCalls& calls, const EventFilter& filter) {
    pg::Params params;
    params.opt_uuid(filter.aggregate_id)
        .opt_text(filter.event_type)
        .int4(filter.limit)
        .int8(filter.after);
    return calls.json_rows(kListEvents, std::move(params));
}

}  // namespace jobforge::workloads
