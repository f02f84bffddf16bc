#include "workloads/passport/step.h"

#include <fmt/format.h>

namespace jobforge::workloads {

namespace {

// Follow-up jobs of this step take it over (docs/sql.md).
constexpr pg::Statement kSetTrace{"set_trace",
                                  "select pg_catalog.set_config('app.trace_id', $1, true)"};

Error bad_member(std::string_view member, std::string_view wanted) {
    return Error::of(ErrorCode::JOB_PAYLOAD_INVALID,
                     fmt::format("the payload's \"{}\" must be {}", member, wanted));
}

}  // namespace

Result<Step> Step::begin(JobContext& context) {
    auto transaction = context.transaction();
    if (!transaction.ok()) {
        return std::move(transaction).error();
    }
    Step step(pg::Connection::borrow((*transaction)->native()));
    if (const std::string& trace_id = context.job().trace_id; !trace_id.empty()) {
        pg::Params params;
        params.text(trace_id);
        if (auto set = step.call(kSetTrace, params); !set.ok()) {
            return std::move(set).error();
        }
    }
    return step;
}

Result<pg::Rows> Step::call(const pg::Statement& statement, const pg::Params& params) {
    return connection_.exec(statement, params);
}

Result<Uuid> uuid_member(const Json& payload, std::string_view member) {
    auto text = text_member(payload, member);
    auto id = text.ok() ? Uuid::parse(*text) : Result<Uuid>(text.error());
    return id.ok() ? id : Result<Uuid>(bad_member(member, "a UUID"));
}

Result<std::string> text_member(const Json& payload, std::string_view member) {
    const Json* value = payload.find(member);
    const std::string* text = value == nullptr ? nullptr : value->as_string();
    if (text == nullptr || text->empty()) {
        return bad_member(member, "a text");
    }
    return *text;
}

Result<std::int64_t> integer_member(const Json& payload, std::string_view member) {
    const Json* value = payload.find(member);
    const auto number = value == nullptr ? std::nullopt : value->as_int64();
    if (!number) {
        return bad_member(member, "a whole number");
    }
    return *number;
}

}  // namespace jobforge::workloads
