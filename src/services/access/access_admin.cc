#include "services/access/access_admin.h"

#include "base/text/bytes.h"
#include "engine/database/json_rows.h"
#include "statements/access.h"

namespace jobforge::services {

namespace {

using engine::Repeat;

std::optional<std::string> unless_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

// The one row of a statement that must not be sent twice.
Result<Json> changed_row(engine::TenantCalls& calls, const pg::Statement& statement,
                         pg::Params params) {
    auto rows = calls.run_one(statement, std::move(params), Repeat::if_not_done);
    auto parsed = rows.ok() ? engine::parse_json_rows(*rows)
                            : Result<std::vector<Json>>(std::move(rows).error());
    if (!parsed.ok()) {
        return std::move(parsed).error();
    }
    return std::move(parsed->front());
}

}  // namespace

Result<CreatedApiKey> create_api_key(engine::TenantCalls& calls, const Pepper& pepper,
                                     std::string_view environment, const NewApiKey& key) {
    const auto text = ApiKeyText::make(environment);
    if (!text.ok()) {
        return text.error();
    }
    pg::Params params;
    params.text(text->key_id)
        .bytea(bytes_of(pepper.mac(*text)))
        .text(key.name)
        .text_array(key.roles)
        .opt_timestamp(key.expires_at)
        .opt_text(unless_empty(key.actor_id));
    auto row = changed_row(calls, statements::access::kCreateApiKey, std::move(params));
    if (!row.ok()) {
        return std::move(row).error();
    }
    return CreatedApiKey{text->text(), *std::move(row)};
}

Result<CreatedApiKey> rotate_api_key(engine::TenantCalls& calls, const Pepper& pepper,
                                     std::string_view environment, const std::string& key_id,
                                     std::chrono::seconds overlap, const std::string& actor_id) {
    const auto text = ApiKeyText::make(environment);
    if (!text.ok()) {
        return text.error();
    }
    pg::Params params;
    params.text(key_id)
        .text(text->key_id)
        .bytea(bytes_of(pepper.mac(*text)))
        .real(static_cast<double>(overlap.count()))
        .opt_text(unless_empty(actor_id));
    auto row = changed_row(calls, statements::access::kRotateApiKey, std::move(params));
    if (!row.ok()) {
        return std::move(row).error();
    }
    return CreatedApiKey{text->text(), *std::move(row)};
}

Result<Json> revoke_api_key(engine::TenantCalls& calls, const std::string& key_id,
                            const std::string& reason, const std::string& actor_id) {
    pg::Params params;
    params.text(key_id).text(reason).opt_text(unless_empty(actor_id));
    return calls.json_row(statements::access::kRevokeApiKey,
                          std::move(params));  // again is the same: it may be repeated
}

Result<Json> get_api_key(engine::TenantCalls& calls, const std::string& key_id) {
    return calls.json_row(statements::access::kGetApiKey, std::move(pg::Params().text(key_id)));
}

Result<std::vector<Json>> list_api_keys(engine::TenantCalls& calls, const KeyFilter& filter) {
    pg::Params params;
    params.opt_text(filter.status).int4(filter.limit).opt_text(filter.before);
    return calls.json_rows(statements::access::kListApiKeys, std::move(params));
}

Result<Json> add_access_policy(engine::TenantCalls& calls, const NewPolicy& policy) {
    pg::Params params;
    params.text(policy.effect)
        .text(policy.path_pattern)
        .int4(policy.priority)
        .text(policy.method)
        .opt_text(policy.role)
        .opt_text(policy.key_id)
        .text(policy.note)
        .opt_text(unless_empty(policy.actor_id));
    return changed_row(calls, statements::access::kAddAccessPolicy, std::move(params));
}

Status remove_access_policy(engine::TenantCalls& calls, const Uuid& policy_id,
                            const std::string& actor_id) {
    pg::Params params;
    params.uuid(policy_id).opt_text(unless_empty(actor_id));
    auto row = calls.run_one(statements::access::kRemoveAccessPolicy, std::move(params),
                             Repeat::if_not_done);
    return row.ok() ? ok_status() : Status(std::move(row).error());
}

Result<std::vector<Json>> list_access_policies(engine::TenantCalls& calls) {
    return calls.json_rows(statements::access::kListAccessPolicies, {});
}

}  // namespace jobforge::services
