#include "workloads/passport/step.h"

#include <utility>

#include <fmt/format.h>

#include "engine/completion_transaction.h"

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
    auto* own = dynamic_cast<engine::CompletionTransaction*>(*transaction);
    Step step = own != nullptr ? Step(own->connection()) : Step((*transaction)->native());
    step.trace_id_ = context.job().trace_id;
    return step;
}

Result<pg::Rows> Step::call(const pg::Statement& statement, const pg::Params& params) {
    if (trace_id_.empty()) {
        return connection().exec(statement, params);
    }
    queue(statement, params);
    auto rows = flush();
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return std::move(rows->front());
}

void Step::queue(const pg::Statement& statement, pg::Params params) {
    if (!trace_id_.empty() && !says_trace_) {
        connection().queue(kSetTrace, std::move(pg::Params().text(trace_id_)));
        says_trace_ = true;
    }
    connection().queue(statement, std::move(params));
}

Result<std::vector<pg::Rows>> Step::flush() {
    auto rows = connection().flush();
    if (rows.ok() && std::exchange(says_trace_, false)) {
        rows->erase(rows->begin());
        trace_id_.clear();
    }
    return rows;
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
