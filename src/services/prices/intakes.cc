#include "services/prices/intakes.h"

#include <fmt/format.h>

#include "prices/keyword_rules.h"
#include "prices/price_members.h"
#include "services/prices/manual_prices.h"
#include "services/prices/sources.h"
#include "statements/prices.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

}  // namespace

Result<Uuid> add_intake(engine::TenantCalls& calls, const Json& intake,
                        const std::string& actor_id) {
    if (auto checked = check_keywords(intake, {"keywords_include", "keywords_exclude"});
        !checked.ok()) {
        return std::move(checked).error();
    }
    pg::Params params;
    params.jsonb(intake.dump()).text(actor_id);
    // With an id of the caller's own a repeated call finds its intake again.
    const auto repeat = intake.find("intake_id") != nullptr ? Repeat::always : Repeat::if_not_done;
    const auto row = calls.run_one(statements::prices::kAddIntake, std::move(params), repeat);
    return row.ok() ? Result<Uuid>(row->uuid(0, 0)) : Result<Uuid>(row.error());
}

Result<Json> get_intake(engine::TenantCalls& calls, const Uuid& intake) {
    pg::Params params;
    params.uuid(intake);
    return calls.json_row(statements::prices::kGetIntake, std::move(params));
}

Result<std::vector<Json>> list_intakes(engine::TenantCalls& calls, const Page& page) {
    pg::Params params;
    params.int4(page.limit).opt_uuid(page.before);
    return calls.json_rows(statements::prices::kListIntakes, std::move(params));
}

Result<std::vector<Json>> enqueue_collections(engine::TenantCalls& calls,
                                              const CollectRequest& request) {
    constexpr unsigned kTextArray = 1009;
    pg::Params params;
    params.uuid(request.intake_id);
    request.sources.empty() ? params.null(kTextArray) : params.text_array(request.sources);
    params.real(request.stagger_seconds).text(request.actor_id);
    return calls.json_rows(statements::prices::kEnqueueCollections, std::move(params));
}

Result<std::vector<Json>> list_collections(engine::TenantCalls& calls, const Uuid& intake) {
    pg::Params params;
    params.uuid(intake);
    return calls.json_rows(statements::prices::kListCollections, std::move(params));
}

Result<std::vector<Json>> list_price_points(engine::TenantCalls& calls, const PriceFilter& filter) {
    pg::Params params;
    params.uuid(filter.intake_id)
        .opt_text(filter.source)
        .int4(filter.limit)
        .opt_uuid(filter.before);
    return calls.json_rows(statements::prices::kListPricePoints, std::move(params));
}

Result<Json> get_valuation(engine::TenantCalls& calls, const Uuid& intake) {
    pg::Params params;
    params.uuid(intake);
    return calls.json_row(statements::prices::kGetValuation, std::move(params));
}

Result<Uuid> add_manual_prices(engine::TenantCalls& calls, const Uuid& intake,
                               const std::string& source, const Json& prices,
                               const std::string& actor_id) {
    if (auto read = manual_prices(prices); !read.ok()) {
        return std::move(read).error();
    }
    pg::Params params;
    params.uuid(intake).text(source).jsonb(prices.dump()).text(actor_id);
    auto rows = calls.run_one(statements::prices::kAddManualPrices, std::move(params),
                              engine::Repeat::if_not_done);
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return rows->uuid(0, 0);
}

}  // namespace jobforge::services
