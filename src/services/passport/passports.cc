#include "services/passport/passports.h"

#include "statements/passport.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

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
    return one_id(
        calls.run_one(statements::passport::kCreateProduct, std::move(params), Repeat::always));
}

Result<std::vector<Json>> list_products(engine::TenantCalls& calls, const Page& page) {
    return calls.json_rows(statements::passport::kListProducts, page_params(page));
}

Result<Uuid> create_passport(engine::TenantCalls& calls, const NewPassport& passport) {
    pg::Params params;
    params.uuid(passport.battery_product_id)
        .opt_uuid(passport.passport_id)
        .opt_text(unless_empty(passport.actor_id));
    return one_id(calls.run_one(statements::passport::kCreatePassport, std::move(params),
                                Repeat::if_not_done));
}

Result<std::vector<Json>> list_passports(engine::TenantCalls& calls, const Page& page) {
    return calls.json_rows(statements::passport::kListPassports, page_params(page));
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
    const auto row = calls.run_one(statements::passport::kRequestCompile, std::move(params),
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
    return calls.json_row(statements::passport::kGetPassportVersion, std::move(params));
}

Result<std::vector<Json>> list_passport_versions(engine::TenantCalls& calls,
                                                 const VersionFilter& filter) {
    pg::Params params;
    params.opt_uuid(filter.passport_id)
        .opt_text(filter.status)
        .int4(filter.limit)
        .opt_uuid(filter.before);
    return calls.json_rows(statements::passport::kListPassportVersions, std::move(params));
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
    const auto row = calls.run_one(statements::passport::kActivatePassportVersion,
                                   std::move(params), Repeat::always);
    if (!row.ok()) {
        return row.error();
    }
    return row->opt_uuid(0, 0);
}

Status revoke_passport_version(engine::TenantCalls& calls, const Uuid& version,
                               const std::string& reason, const std::string& actor_id) {
    pg::Params params;
    params.uuid(version).text(reason).opt_text(unless_empty(actor_id));
    auto row = calls.run_one(statements::passport::kRevokePassportVersion, std::move(params),
                             Repeat::always);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

Result<std::vector<Json>> list_signing_keys(engine::TenantCalls& calls) {
    return calls.json_rows(statements::passport::kListSigningKeys, {});
}

}  // namespace jobforge::services
