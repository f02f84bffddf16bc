#include "services/prices/sources.h"

#include <fmt/format.h>

#include "prices/keyword_rules.h"
#include "prices/price_members.h"
#include "services/prices/http_json_config.h"
#include "services/prices/manual_prices.h"
#include "services/prices/source_url.h"
#include "statements/prices.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

Status run(engine::TenantCalls& calls, const pg::Statement& statement, pg::Params params) {
    auto row = calls.run_one(statement, std::move(params), Repeat::always);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

// The adapter of a source that does not name it: the one it has, or that of a new one.
Result<std::string> adapter_of(engine::TenantCalls& calls, const Json& source) {
    std::string name, adapter = "http_json";
    Members given(source);
    given.text("name", name);
    const auto known = get_source(calls, name);
    if (!known.ok()) {
        return known.error().code == ErrorCode::NOT_FOUND ? Result<std::string>(adapter)
                                                          : Result<std::string>(known.error());
    }
    Members row(*known);
    row.text("adapter", adapter);
    return adapter;
}

}  // namespace

Status check_source(const Json& source, std::string adapter) {
    std::string base_url;
    Members members(source);
    members.text("adapter", adapter).text("base_url", base_url);
    const Json* const config = members.any("config");
    if (auto read = members.end(); !read.ok()) {
        return read;
    }
    if (!base_url.empty()) {
        if (auto origin = SourceOrigin::make(base_url, ""); !origin.ok()) {
            return std::move(origin).error();
        }
    }
    if (config == nullptr) {
        return ok_status();
    }
    if (adapter == "manual") {
        auto read = ManualConfig::from_json(*config);
        return read.ok() ? ok_status() : Status(std::move(read).error());
    }
    auto read = HttpJsonConfig::from_json(*config);
    return read.ok() ? ok_status() : Status(std::move(read).error());
}

Result<Uuid> save_source(engine::TenantCalls& calls, const Json& source,
                         const std::string& actor_id) {
    const auto adapter = adapter_of(calls, source);
    if (!adapter.ok()) {
        return adapter.error();
    }
    if (auto checked = check_source(source, *adapter); !checked.ok()) {
        return std::move(checked).error();
    }
    pg::Params params;
    params.jsonb(source.dump()).text(actor_id);
    const auto row =
        calls.run_one(statements::prices::kSaveSource, std::move(params), Repeat::always);
    return row.ok() ? Result<Uuid>(row->uuid(0, 0)) : Result<Uuid>(row.error());
}

Status set_source_rules(engine::TenantCalls& calls, const std::string& source, const Json& rules) {
    if (auto checked = check_keywords(rules, {"exclude_keywords", "require_keywords"});
        !checked.ok()) {
        return checked;
    }
    pg::Params params;
    params.text(source).jsonb(rules.dump());
    return run(calls, statements::prices::kSetSourceRules, std::move(params));
}

Status set_source_enabled(engine::TenantCalls& calls, const std::string& source, bool enabled) {
    pg::Params params;
    params.text(source).boolean(enabled);
    return run(calls, statements::prices::kSetSourceEnabled, std::move(params));
}

Result<std::vector<Json>> list_sources(engine::TenantCalls& calls) {
    return calls.json_rows(statements::prices::kListSources, {});
}

Result<Json> get_source(engine::TenantCalls& calls, const std::string& source) {
    pg::Params params;
    params.text(source);
    return calls.json_row(statements::prices::kGetSource, std::move(params));
}

Status pause_source(engine::TenantCalls& calls, const std::string& source, const PauseEnd& end,
                    const std::string& reason) {
    pg::Params params;
    params.text(source).opt_timestamp(end.until).opt_int8(end.after_ms).text(reason);
    return run(calls, statements::prices::kPauseSource, std::move(params));
}

Status resume_source(engine::TenantCalls& calls, const std::string& source) {
    pg::Params params;
    params.text(source);
    return run(calls, statements::prices::kResumeSource, std::move(params));
}

}  // namespace jobforge::services
