// One step of the pipeline inside its job's completion transaction.
//
// What a step writes commits with the job's outcome or not at all; the functions of sql/functions
// carry the audit event, the follow-up job and the webhooks with it. Threads: the handler's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/worker.h>

#include "pg/connection.h"

namespace jobforge::workloads {

// The transaction of the context, with binary parameters and results. On the worker's own
// connections statements are prepared once: without that, parsing and planning the calls took a
// tenth of the server's time for a passport.
class Step final {
public:
    // DB_UNAVAILABLE, TIMEOUT.
    [[nodiscard]] static Result<Step> begin(JobContext& context);

    [[nodiscard]] Result<pg::Rows> call(const pg::Statement& statement, const pg::Params& params);
    // Several in one round trip: flush() answers one result each, in order, or the first error.
    void queue(const pg::Statement& statement, pg::Params params);
    [[nodiscard]] Result<std::vector<pg::Rows>> flush();

private:
    explicit Step(pg::Connection& worker) : worker_(&worker) {}
    explicit Step(pg_conn* native) : borrowed_(pg::Connection::borrow(native)) {}
    [[nodiscard]] pg::Connection& connection() noexcept {
        return worker_ != nullptr ? *worker_ : *borrowed_;
    }

    pg::Connection* worker_ = nullptr;  // the transaction's own; null: somebody else's transaction
    std::optional<pg::Connection> borrowed_;
    std::string trace_id_;     // still to be said in the transaction
    bool says_trace_ = false;  // it is queued, before the first statement
};

// A member of the payload. JOB_PAYLOAD_INVALID that names it.
[[nodiscard]] Result<Uuid> uuid_member(const Json& payload, std::string_view member);
[[nodiscard]] Result<std::string> text_member(const Json& payload, std::string_view member);
[[nodiscard]] Result<std::int64_t> integer_member(const Json& payload, std::string_view member);

// Raw bytes (a hash, a signature) as a parameter takes them.
[[nodiscard]] inline std::string_view view(const auto& bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace jobforge::workloads
