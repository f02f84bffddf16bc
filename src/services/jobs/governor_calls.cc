#include "services/jobs/governor_calls.h"

#include <fmt/format.h>

#include "statements/governors.h"

namespace jobforge::services {

namespace {

Result<connect::Verdict::Kind> verdict_kind(std::string_view word) {
    using Kind = connect::Verdict::Kind;
    for (const auto& [known, kind] : {std::pair<std::string_view, Kind>{"go", Kind::go},
                                      {"wait", Kind::wait},
                                      {"paused", Kind::paused},
                                      {"disabled", Kind::disabled}}) {
        if (word == known) {
            return kind;
        }
    }
    // A database newer than this program: nothing may be sent that it has not allowed.
    return Error::of(
        ErrorCode::INTERNAL_ERROR,
        fmt::format("governor_enter answered \"{}\", which this program does not know", word));
}

}  // namespace

std::string_view to_string(GovernorKind kind) noexcept {
    switch (kind) {
        case GovernorKind::source:
            return "source";
        case GovernorKind::endpoint:
            return "endpoint";
        case GovernorKind::host:
            return "host";
    }
    return "";
}

Result<connect::Verdict> verdict_in(const pg::Rows& rows, int first) {
    const auto kind = verdict_kind(rows.text(0, first));
    if (!kind.ok()) {
        return kind.error();
    }
    connect::Verdict verdict;
    verdict.kind = *kind;
    verdict.wait = std::chrono::milliseconds(rows.opt_integer(0, first + 1).value_or(0));
    verdict.permit.generation = rows.opt_integer(0, first + 2).value_or(0);
    verdict.permit.probe = rows.opt_boolean(0, first + 3).value_or(false);
    verdict.reason = rows.opt_text(0, first + 4).value_or("");
    return verdict;
}

PostgresGovernor::PostgresGovernor(TenantReads& reads, const Uuid& tenant, GovernorKind kind,
                                   std::string key, std::optional<std::int32_t> rate_per_minute)
    : reads_(reads),
      tenant_(tenant),
      kind_(kind),
      key_(std::move(key)),
      rate_per_minute_(rate_per_minute) {}

Result<connect::Verdict> PostgresGovernor::enter() {
    pg::Params params;
    params.text(to_string(kind_)).text(key_).opt_int4(rate_per_minute_);
    const auto row = reads_.read(tenant_, statements::governors::kGovernorEnter, params);
    if (!row.ok()) {
        return row.error();
    }
    return verdict_in(*row);
}

Status PostgresGovernor::report(const connect::Permit& permit, const connect::Report& report) {
    pg::Params params;
    params.text(to_string(kind_))
        .text(key_)
        .int8(permit.generation)
        .boolean(report.ok)
        .opt_int8(report.retry_after ? std::optional(std::int64_t{report.retry_after->count()})
                                     : std::nullopt);
    auto row = reads_.read(tenant_, statements::governors::kGovernorReport, params);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

}  // namespace jobforge::services
