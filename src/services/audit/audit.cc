#include "services/audit/audit.h"

#include "services/audit/audit_rows.h"
#include "services/audit/log_check.h"

namespace jobforge::services {

namespace {

constexpr int kPage = 10000;

constexpr pg::Statement kEvents{
    "audit_events",
    "select event_seq, tenant_id, event_id, aggregate_type, aggregate_id, aggregate_version, "
    "event_type, actor_id, payload_canonical, payload_hash, prev_event_hash, event_hash, "
    "occurred_at from jobforge.audit_events($1, $2)"};
constexpr pg::Statement kWaiting{"audit_waiting",
                                 "select event_seq, event_id from jobforge.audit_waiting($1, $2)"};
// unnest: a frontier that was written by hand may have dimensions and NULLs, and stands in the
// report like any other wrong one.
constexpr pg::Statement kHeads{
    "audit_heads",
    "select h.tree_size, h.root_hash, h.checkpoint, h.key_id, array(select f.node from "
    "pg_catalog.unnest(h.frontier) with ordinality f(node, place) where f.node is not null "
    "order by f.place) from jobforge.audit_heads() h"};

constexpr pg::Statement kListEvents{
    "list_events",
    "select pg_catalog.row_to_json(e) from jobforge.list_events(p_aggregate_id => $1, "
    "p_event_type => $2, p_limit => $3, p_after => $4) e"};

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

Status read_heads(pg::Transaction& transaction,
                  const std::function<Status(const passport::AuditHead&)>& take) {
    const auto rows = transaction.exec(kHeads, {});
    if (!rows.ok()) {
        return rows.error();
    }
    for (int row = 0; row < rows->size(); ++row) {
        if (auto taken = take(audit_head_of(*rows, row)); !taken.ok()) {
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
            *transaction, kWaiting, 0,
            [&sink](const pg::Rows& rows, int row) { return sink.waiting(rows.uuid(row, 1)); });
        !done.ok()) {
        return done;
    }
    if (auto done = for_each_row(*transaction, kEvents, 0,
                                 [&sink](const pg::Rows& rows, int row) {
                                     return sink.event(audit_event_of(rows, row));
                                 });
        !done.ok()) {
        return done;
    }
    if (auto done = for_each_log_entry(*transaction, 0, sink.log_entry); !done.ok()) {
        return done;
    }
    return read_heads(*transaction, sink.head);
}

Result<passport::AuditReport> verify_audit(pg::Connection& connection,
                                           const AuditQuestion& question) {
    passport::AuditVerifier verifier(question.tenant, question.keys, question.trust);
    AuditSink sink;
    sink.waiting = [&verifier](const Uuid& event_id) {
        verifier.add_waiting(event_id);
        return ok_status();
    };
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
    for (const passport::OutsideHead& head : question.outside_heads) {
        verifier.add_outside_head(head);
    }
    return verifier.finish();
}

Result<std::vector<Sha256>> read_log_leaves(pg::Connection& connection, const Uuid& tenant) {
    auto transaction = begin_reading(connection, tenant);
    if (!transaction.ok()) {
        return std::move(transaction).error();
    }
    std::vector<Sha256> leaves;
    auto done =
        for_each_log_entry(*transaction, 0, [&leaves](const passport::AuditLogEntry& entry) {
            leaves.push_back(passport::log_leaf_hash(entry));
            return ok_status();
        });
    return done.ok() ? Result<std::vector<Sha256>>(std::move(leaves))
                     : Result<std::vector<Sha256>>(std::move(done).error());
}

Result<passport::AuditHead> newest_head(pg::Connection& connection, const Uuid& tenant) {
    auto transaction = begin_reading(connection, tenant);
    if (!transaction.ok()) {
        return std::move(transaction).error();
    }
    auto head = last_stored_head(*transaction);
    if (!head.ok()) {
        return std::move(head).error();
    }
    if (!*head) {
        Error error = Error::of(ErrorCode::NOT_FOUND, "there is no signed head yet");
        error.hint = "A running worker signs one within seconds of the first event.";
        return error;
    }
    return **std::move(head);
}

Result<std::vector<Json>> list_events(engine::TenantCalls& calls, const EventFilter& filter) {
    pg::Params params;
    params.opt_uuid(filter.aggregate_id)
        .opt_text(filter.event_type)
        .int4(filter.limit)
        .int8(filter.after);
    return calls.json_rows(kListEvents, std::move(params));
}

}  // namespace jobforge::services
