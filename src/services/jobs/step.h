// One step of the pipeline inside its job's completion transaction.
//
// What a step writes commits with the job's outcome or not at all; the functions of sql/functions
// carry the audit event, the follow-up job and the webhooks with it. Threads: the handler's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <jobforge/worker.h>

#include "engine/database/tenant_calls.h"

namespace jobforge::engine {
class CompletionTransaction;
}

namespace jobforge::services {

// The transaction of the context, with binary parameters and results, and as few round trips as
// the calls allow: it begins with the first ones and may end with the last. Statements are prepared
// once on the worker's own connections: without that, parsing and planning the calls took a tenth
// of the server's time for a passport.
class Step final {
public:
    // Sends nothing yet.
    explicit Step(JobContext& context);

    // Errors: those of the statement, DB_UNAVAILABLE, TIMEOUT (no connection became free).
    [[nodiscard]] Result<pg::Rows> call(const pg::Statement& statement, pg::Params params);
    // Several in one round trip: flush() answers one result each, in order, or the first error.
    void queue(const pg::Statement& statement, pg::Params params);
    [[nodiscard]] Result<std::vector<pg::Rows>> flush();
    // The step's last call, in the round trip that settles the job and commits. The handler returns
    // its outcome without an answer; if the call fails, its error takes that outcome's place.
    void call_at_end(const pg::Statement& statement, pg::Params params);

private:
    engine::CompletionTransaction& transaction_;
    std::vector<engine::TenantCall> queued_;
    std::string trace_id_;  // still to be said in the transaction
};

// A member of the payload. JOB_PAYLOAD_INVALID that names it.
[[nodiscard]] Result<Uuid> uuid_member(const Json& payload, std::string_view member);
[[nodiscard]] Result<std::string> text_member(const Json& payload, std::string_view member);
[[nodiscard]] Result<std::int64_t> integer_member(const Json& payload, std::string_view member);

// Raw bytes (a hash, a signature) as a parameter takes them.
[[nodiscard]] inline std::string_view view(const auto& bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace jobforge::services
