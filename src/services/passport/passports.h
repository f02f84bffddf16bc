// Use cases: products, passports and their versions. Threads: as TenantCalls.
#pragma once

#include <jobforge/job.h>

#include "services/passport/documents.h"

namespace jobforge::services {

struct NewProduct {
    std::string sku;
    std::string name;
    std::optional<Uuid> battery_product_id = {};
    std::string actor_id = {};
};
// The existing product if sku and name are the same; VALIDATION_ERROR if only the sku is.
[[nodiscard]] Result<Uuid> create_product(engine::TenantCalls& calls, const NewProduct& product);
[[nodiscard]] Result<std::vector<Json>> list_products(engine::TenantCalls& calls, const Page& page);

struct NewPassport {
    Uuid battery_product_id;
    std::optional<Uuid> passport_id = {};
    std::string actor_id = {};
};
[[nodiscard]] Result<Uuid> create_passport(engine::TenantCalls& calls, const NewPassport& passport);
[[nodiscard]] Result<std::vector<Json>> list_passports(engine::TenantCalls& calls,
                                                       const Page& page);

struct CompileRequest {
    Uuid passport_id, snapshot_id, rule_package_version_id;
    std::string signing_key_id;
    std::optional<TimePoint> issued_at = {};  // default: now, by the database's clock
    std::optional<Uuid> passport_version_id = {};
    std::string actor_id = {};
};
struct RequestedCompile {
    Uuid passport_version_id, job_id;
    TimePoint issued_at;
};
// SNAPSHOT_NOT_SEALED, RULE_PKG_NOT_PUBLISHED, NOT_FOUND. Signing and the QR code follow by
// themselves.
[[nodiscard]] Result<RequestedCompile> request_compile(engine::TenantCalls& calls,
                                                       const CompileRequest& request);

// With its `findings`: how many compliance entries have which status, and those that fail or warn.
[[nodiscard]] Result<Json> get_passport_version(engine::TenantCalls& calls, const Uuid& version);
struct VersionFilter : Page {
    std::optional<Uuid> passport_id = {};
    std::optional<std::string> status = {};
};
[[nodiscard]] Result<std::vector<Json>> list_passport_versions(engine::TenantCalls& calls,
                                                               const VersionFilter& filter);
// A failing compliance entry that the issuer accepts, and why. The reason is public.
struct Acceptance {
    std::string id;
    std::string reason;
};
// The version that it supersedes, if there was an ACTIVE one. INVALID_PASSPORT_STATUS;
// COMPLIANCE_FAILED unless each failing entry of its document is accepted. Where entries share an
// id, each needs its own acceptance.
[[nodiscard]] Result<std::optional<Uuid>> activate_passport_version(
    engine::TenantCalls& calls, const Uuid& version, const std::string& actor_id,
    const std::vector<Acceptance>& accepted = {});
[[nodiscard]] Status revoke_passport_version(engine::TenantCalls& calls, const Uuid& version,
                                             const std::string& reason,
                                             const std::string& actor_id);

// The public keys that signed passports of the tenant: key_id, public_key (base64), created_at,
// retired_at.
[[nodiscard]] Result<std::vector<Json>> list_signing_keys(engine::TenantCalls& calls);

}  // namespace jobforge::services
