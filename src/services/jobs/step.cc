#include "services/jobs/step.h"

#include <utility>

#include <fmt/format.h>

#include "engine/worker/job_context.h"
#include "statements/session.h"

namespace jobforge::services {

namespace {

Error bad_member(std::string_view member, std::string_view wanted) {
    return Error::of(ErrorCode::JOB_PAYLOAD_INVALID,
                     fmt::format("the payload's \"{}\" must be {}", member, wanted));
}

}  // namespace

// Handlers of this program are only ever run by this program's worker.
Step::Step(JobContext& context)
    : transaction_(dynamic_cast<engine::HandlerContext&>(context).completion()),
      trace_id_(context.job().trace_id) {}

Result<pg::Rows> Step::call(const pg::Statement& statement, pg::Params params) {
    queue(statement, std::move(params));
    auto rows = flush();
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return std::move(rows->front());
}

void Step::queue(const pg::Statement& statement, pg::Params params) {
    queued_.push_back({statement, std::move(params)});
}

Result<std::vector<pg::Rows>> Step::flush() {
    std::vector<engine::TenantCall> calls = std::exchange(queued_, {});
    const bool says_trace = !trace_id_.empty();
    if (says_trace) {
        calls.insert(calls.begin(),
                     {statements::session::kSetTrace, std::move(pg::Params().text(trace_id_))});
    }
    auto rows = transaction_.run(calls);
    if (rows.ok() && says_trace) {
        rows->erase(rows->begin());
        trace_id_.clear();
    }
    return rows;
}

void Step::call_at_end(const pg::Statement& statement, pg::Params params) {
    if (!trace_id_.empty()) {
        transaction_.run_at_end(
            {statements::session::kSetTrace, std::move(pg::Params().text(trace_id_))});
    }
    transaction_.run_at_end({statement, std::move(params)});
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

}  // namespace jobforge::services
