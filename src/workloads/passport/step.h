// One step of the pipeline inside its job's completion transaction.
//
// What a step writes commits with the job's outcome or not at all; the functions of sql/functions
// carry the audit event, the follow-up job and the webhooks with it. Threads: the handler's.
#pragma once

#include <string_view>

#include <jobforge/worker.h>

#include "pg/connection.h"

namespace jobforge::workloads {

// The transaction of the context, with binary parameters and results.
class Step final {
public:
    // DB_UNAVAILABLE, TIMEOUT.
    [[nodiscard]] static Result<Step> begin(JobContext& context);

    [[nodiscard]] Result<pg::Rows> call(const pg::Statement& statement, const pg::Params& params);

private:
    explicit Step(pg::Connection connection) : connection_(std::move(connection)) {}
    pg::Connection connection_;
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
