// /v1/battery-products, /v1/passports: what passports are about, and asking for a new version.
#include "api/answers.h"
#include "api/job_fields.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "base/text/time_text.h"
#include "services/passport/passports.h"

namespace jobforge::api {

namespace {

using services::Permission;

Result<services::Page> read_page(QueryFields& query, const PageQuery& page) {
    services::Page wanted;
    wanted.limit = page.rows_to_ask();
    wanted.before = page.before_id(query);
    if (auto read = query.finish(); !read.ok()) {
        return std::move(read).error();
    }
    return wanted;
}

Result<http::Response> create_product(RequestContext& context) {
    BodyFields body(context.body);
    services::NewProduct product;
    product.sku = body.text("sku");
    product.name = body.text("name");
    product.battery_product_id = body.opt_uuid("battery_product_id");
    product.actor_id = context.actor();
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto id = services::create_product(*context.calls, product);
    if (!id.ok()) {
        return id.error();
    }
    return json_response(Json::object({{"battery_product_id", id->to_string()}}).dump(), 201);
}

Result<http::Response> list_products(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    const auto wanted = read_page(query, page);
    return wanted.ok() ? answer_page(services::list_products(*context.calls, *wanted), page,
                                     "battery_product_id")
                       : Result<http::Response>(wanted.error());
}

Result<http::Response> create_passport(RequestContext& context) {
    BodyFields body(context.body);
    services::NewPassport passport;
    passport.battery_product_id = body.uuid("battery_product_id");
    passport.passport_id = body.opt_uuid("passport_id");
    passport.actor_id = context.actor();
    if (auto read = body.finish(); !read.ok()) {
        return std::move(read).error();
    }
    const auto id = services::create_passport(*context.calls, passport);
    if (!id.ok()) {
        return id.error();
    }
    return json_response(Json::object({{"passport_id", id->to_string()}}).dump(), 201);
}

Result<http::Response> list_passports(RequestContext& context) {
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    const auto wanted = read_page(query, page);
    return wanted.ok()
               ? answer_page(services::list_passports(*context.calls, *wanted), page, "passport_id")
               : Result<http::Response>(wanted.error());
}

Result<http::Response> list_versions(RequestContext& context) {
    const auto passport = context.id("passport_id");
    QueryFields query(context.request);
    const PageQuery page = PageQuery::read(query);
    services::VersionFilter filter;
    filter.limit = page.rows_to_ask();
    filter.before = page.before_id(query);
    filter.status = query.opt_text("status");
    const Status read = query.finish();
    if (!passport.ok() || !read.ok()) {
        return passport.ok() ? read.error() : passport.error();
    }
    filter.passport_id = *passport;
    return answer_page(services::list_passport_versions(*context.calls, filter), page,
                       "passport_version_id");
}

Result<http::Response> compile(RequestContext& context) {
    const auto passport = context.id("passport_id");
    BodyFields body(context.body);
    services::CompileRequest request;
    request.snapshot_id = body.uuid("snapshot_id");
    request.rule_package_version_id = body.uuid("rule_package_version_id");
    request.signing_key_id = body.opt_text("signing_key_id").value_or(context.tools.signing_key_id);
    request.issued_at = body.opt_time("issued_at");
    request.passport_version_id = body.opt_uuid("passport_version_id");
    request.actor_id = context.actor();
    const Status read = body.finish();
    if (!passport.ok() || !read.ok()) {
        return passport.ok() ? read.error() : passport.error();
    }
    request.passport_id = *passport;
    const auto made = services::request_compile(*context.calls, request);
    if (!made.ok()) {
        return made.error();
    }
    context.enqueued.push_back(made->job_id);
    const std::string version = made->passport_version_id.to_string();
    http::Response response = json_response(
        Json::object({{"passport_version_id", version},
                      {"job_id", made->job_id.to_string()},
                      {"issued_at", format_time(made->issued_at.time_since_epoch().count())}})
            .dump(),
        202);
    http::set_header(response, "Location", "/v1/passport-versions/" + version);
    return response;
}

}  // namespace

std::span<const Route> product_routes() {
    static constexpr Route kRoutes[] = {
        {"POST", "/v1/battery-products", Permission::passport_compile, Work::change,
         &create_product, kSmallBody},
        {"GET", "/v1/battery-products", Permission::passport_read, Work::read, &list_products},
        {"POST", "/v1/passports", Permission::passport_compile, Work::change, &create_passport,
         kSmallBody},
        {"GET", "/v1/passports", Permission::passport_read, Work::read, &list_passports},
        {"GET", "/v1/passports/{passport_id}/versions", Permission::passport_read, Work::read,
         &list_versions},
        {"POST", "/v1/passports/{passport_id}/compile", Permission::passport_compile, Work::change,
         &compile, kSmallBody},
    };
    return kRoutes;
}

}  // namespace jobforge::api
