#include "engine/worker/large_payload.h"

#include "statements/claims.h"

namespace jobforge::engine {

namespace {

// Connections of the pool that died while they were idle are met one by one.
constexpr int kMostTries = 10;

// Data exceptions, exceeded limits and a payload that is gone are the row's; everything else is the
// server's or ours.
bool is_of_the_row(const Error& error) {
    return error.sqlstate.starts_with("22") || error.sqlstate.starts_with("54") ||
           error.code == ErrorCode::JOB_PAYLOAD_INVALID;
}

Result<pg::Rows> ask(pg::Pool& pool, const HeldJob& held) {
    pg::Params params;
    params.uuid(held.tenant_id).uuid(held.job_id).uuid(held.claim_id);
    for (int tries = 1;; ++tries) {
        auto connection = pool.acquire();
        if (!connection) {
            return connection.error();
        }
        auto rows = (*connection)->exec(statements::claims::kReadPayload, params);
        if (rows || !rows.error().connection_lost || tries == kMostTries) {
            return rows;
        }
    }
}

}  // namespace

Status read_payload(pg::Pool& pool, const HeldJob& held, Job& job) {
    auto rows = ask(pool, held);
    if (!rows) {
        return is_of_the_row(rows.error())
                   ? Error::of(ErrorCode::JOB_PAYLOAD_INVALID,
                               "the payload cannot be read: " + rows.error().message)
                   : rows.error();
    }
    if (rows->is_null(0, 0)) {
        return Error::of(ErrorCode::LEASE_LOST, "the job has another claim, or has ended");
    }
    return parse_payload(rows->json(0, 0), job);
}

}  // namespace jobforge::engine
