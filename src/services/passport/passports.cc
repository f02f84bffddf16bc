#include "services/passport/passports.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

constexpr pg::Statement kCreateProduct{"create_product",
                                       "select jobforge.create_product($1, $2, $3, $4)"};
constexpr pg::Statement kListProducts{
    "list_products",
    "select pg_catalog.row_to_json(p) from jobforge.list_products(p_limit => $1, "
    "p_before => $2) p"};
constexpr pg::Statement kCreatePassport{"create_passport",
                                        "select jobforge.create_passport($1, $2, $3)"};
constexpr pg::Statement kListPassports{
    "list_passports",
    "select pg_catalog.row_to_json(p) from jobforge.list_passports(p_limit => $1, "
    "p_before => $2) p"};
constexpr pg::Statement kRequestCompile{
    "request_compile",
    "select passport_version_id, issued_at, job_id from jobforge.request_compile($1, $2, $3, $4, "
    "p_issued_at => $5, p_passport_version_id => $6, p_actor_id => $7)"};
constexpr pg::Statement kGetVersion{
    "get_passport_version",
    "select pg_catalog.row_to_json(v) from jobforge.get_passport_version($1) v"};
constexpr pg::Statement kListVersions{
    "list_passport_versions",
    "select pg_catalog.row_to_json(v) from jobforge.list_passport_versions(p_passport_id => $1, "
    "p_status => $2, p_limit => $3, p_before => $4) v"};
constexpr pg::Statement kActivate{"activate_passport_version",
                                  "select jobforge.activate_passport_version($1, $2, $3)"};
constexpr pg::Statement kRevoke{"revoke_passport_version",
                                "select jobforge.revoke_passport_version($1, $2, $3)::text"};
constexpr pg::Statement kSigningKeys{
    "list_signing_keys",
    "select pg_catalog.json_build_object('key_id', k.key_id, 'public_key', "
    "pg_catalog.encode(k.public_key, 'base64'), 'created_at', k.created_at, 'retired_at', "
    "k.retired_at) from jobforge.list_signing_keys() k"};

Result<Uuid> one_id(const Result<pg::Rows>& row) {
    return row.ok() ? Result<Uuid>(row->uuid(0, 0)) : Result<Uuid>(row.error());
}

pg::Params page_params(const Page& page) {
    pg::Params params;
    params.int4(page.limit).opt_uuid(page.before);
    return params;
}

}  // namespace

Result<Uuid> create_product(engine::TenantCalls& calls, const NewProduct& product) {
    pg::Params params;
    params.text(product.sku)
        .text(product.name)
        .opt_uuid(product.battery_product_id)
        .opt_text(unless_empty(product.actor_id));
    return one_id(calls.run_one(kCreateProduct, std::move(params), Repeat::always));
}

Result<std::vector<Json>> list_products(engine::TenantCalls& calls, const Page& page) {
    return calls.json_rows(kListProducts, page_params(page));
}

Result<Uuid> create_passport(engine::TenantCalls& calls, const NewPassport& passport) {
    pg::Params params;
    params.uuid(passport.battery_product_id)
        .opt_uuid(passport.passport_id)
        .opt_text(unless_empty(passport.actor_id));
    return one_id(calls.run_one(kCreatePassport, std::move(params), Repeat::if_not_done));
}

Result<std::vector<Json>> list_passports(engine::TenantCalls& calls, const Page& page) {
    return calls.json_rows(kListPassports, page_params(page));
}

Result<RequestedCompile> request_compile(engine::TenantCalls& calls,
                                         const CompileRequest& request) {
    std::optional<pg::Timestamp> issued_at;
    if (request.issued_at) {
        issued_at = pg::Timestamp{request.issued_at->time_since_epoch().count()};
    }
    pg::Params params;
    params.uuid(request.passport_id)
        .uuid(request.snapshot_id)
        .uuid(request.rule_package_version_id)
        .text(request.signing_key_id)
        .opt_timestamp(issued_at)
        .opt_uuid(request.passport_version_id)
        .opt_text(unless_empty(request.actor_id));
    // With both chosen by the caller the call is the same call: its key finds the first one's job.
    const bool same = request.issued_at && request.passport_version_id;
    const auto row = calls.run_one(kRequestCompile, std::move(params),
                                   same ? Repeat::always : Repeat::if_not_done);
    if (!row.ok()) {
        return row.error();
    }
    return RequestedCompile{row->uuid(0, 0), row->uuid(0, 2),
                            TimePoint(std::chrono::microseconds(row->timestamp(0, 1).unix_us))};
}

Result<Json> get_passport_version(engine::TenantCalls& calls, const Uuid& version) {
    pg::Params params;
    params.uuid(version);
    return calls.json_row(kGetVersion, std::move(params));
}

Result<std::vector<Json>> list_passport_versions(engine::TenantCalls& calls,
                                                 const VersionFilter& filter) {
    pg::Params params;
    params.opt_uuid(filter.passport_id)
        .opt_text(filter.status)
        .int4(filter.limit)
        .opt_uuid(filter.before);
    return calls.json_rows(kListVersions, std::move(params));
}

Result<std::optional<Uuid>> activate_passport_version(engine::TenantCalls& calls,
                                                      const Uuid& version,
                                                      const std::string& actor_id,
                                                      const std::vector<Acceptance>& accepted) {
    Json list = Json::array();
    for (const Acceptance& one : accepted) {
        list.push_back(Json::object({{"id", one.id}, {"reason", one.reason}}));
    }
    pg::Params params;
    params.uuid(version).opt_text(unless_empty(actor_id)).jsonb(list.dump());
    const auto row = calls.run_one(kActivate, std::move(params), Repeat::always);
    if (!row.ok()) {
        return row.error();
    }
    return row->opt_uuid(0, 0);
}

Status revoke_passport_version(engine::TenantCalls& calls, const Uuid& version,
                               const std::string& reason, const std::string& actor_id) {
    pg::Params params;
    params.uuid(version).text(reason).opt_text(unless_empty(actor_id));
    auto row = calls.run_one(kRevoke, std::move(params), Repeat::always);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

Result<std::vector<Json>> list_signing_keys(engine::TenantCalls& calls) {
    return calls.json_rows(kSigningKeys, {});
}

}  // namespace jobforge::services
