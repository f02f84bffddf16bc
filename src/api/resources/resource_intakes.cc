// /v1/intakes: what is to be priced, its collections, price points and valuation.
#include "api/answers.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "services/prices/intakes.h"

namespace jobforge::api {

namespace {

using services::Permission;

constexpr std::string_view kId = "intake_id";
constexpr int kLongestStagger = 86400;

// The body is the intake, as jobforge.add_intake reads it.
Result<http::Response> add(RequestContext& context) {
    const auto id = services::add_intake(*context.calls, context.body, context.actor());
    if (!id.ok()) {
        return id.error();
    }
    return created_response("/v1/intakes/" + id->to_string(),
                            Json::object({{"intake_id", id->to_string()}}).dump());
}

Result<http::Response> list(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    services::Page wanted;
    wanted.limit = page.rows_to_ask();
    wanted.before = page.before_id(query);
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return answer_page(services::list_intakes(*context.calls, wanted), page, kId);
}

Result<http::Response> get(RequestContext& context) {
    const auto id = context.id(kId);
    return id.ok() ? answer_object(services::get_intake(*context.calls, *id))
                   : Result<http::Response>(id.error());
}

Result<http::Response> collect(RequestContext& context) {
    const auto id = context.id(kId);
    BodyFields body(context.body);
    services::CollectRequest request;
    request.sources = body.texts("sources");
    request.stagger_seconds = body.opt_int("stagger_seconds", 0, kLongestStagger).value_or(10);
    request.actor_id = context.actor();
    const Status read = body.finish();
    if (!id.ok() || !read.ok()) {
        return id.ok() ? read.error() : id.error();
    }
    request.intake_id = *id;
    const auto rows = services::enqueue_collections(*context.calls, request);
    if (!rows.ok()) {
        return rows.error();
    }
    return json_response(whole_list(*rows), 202);
}

Result<http::Response> list_collections(RequestContext& context) {
    const auto id = context.id(kId);
    if (!id.ok()) {
        return id.error();
    }
    if (auto row = services::get_intake(*context.calls, *id); !row.ok()) {
        return std::move(row).error();
    }
    return answer_list(services::list_collections(*context.calls, *id));
}

Result<http::Response> list_prices(RequestContext& context) {
    const auto id = context.id(kId);
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    services::PriceFilter filter;
    filter.limit = page.rows_to_ask();
    filter.before = page.before_id(query);
    filter.source = query.opt_text("source");
    const Status read = query.finish();
    if (!id.ok() || !read.ok()) {
        return id.ok() ? read.error() : id.error();
    }
    if (auto row = services::get_intake(*context.calls, *id); !row.ok()) {
        return std::move(row).error();
    }
    filter.intake_id = *id;
    return answer_page(services::list_price_points(*context.calls, filter), page, "price_point_id");
}

Result<http::Response> valuation(RequestContext& context) {
    const auto id = context.id(kId);
    return id.ok() ? answer_object(services::get_valuation(*context.calls, *id))
                   : Result<http::Response>(id.error());
}

constexpr Permission kRead = Permission::sources_read;
constexpr Permission kWrite = Permission::sources_write;
}  // namespace

std::span<const Route> intake_routes() {
    static constexpr Route kRoutes[] = {
        {"POST", "/v1/intakes", kWrite, Work::change, &add, kSmallBody},
        {"GET", "/v1/intakes", kRead, Work::read, &list},
        {"GET", "/v1/intakes/{intake_id}", kRead, Work::read, &get},
        {"POST", "/v1/intakes/{intake_id}/collections", kWrite, Work::change, &collect, kSmallBody},
        {"GET", "/v1/intakes/{intake_id}/collections", kRead, Work::read, &list_collections},
        {"GET", "/v1/intakes/{intake_id}/price-points", kRead, Work::read, &list_prices},
        {"GET", "/v1/intakes/{intake_id}/valuation", kRead, Work::read, &valuation},
    };
    return kRoutes;
}

}  // namespace jobforge::api
