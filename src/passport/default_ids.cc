#include "passport/default_ids.h"

#include <algorithm>

#include <fmt/format.h>
#include <jobforge/uuid.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "passport/snapshot.h"

namespace jobforge::passport {
namespace {

void fill(std::string& id, std::string_view member, std::string_view material) {
    if (id.empty()) {
        id = content_uuid(member, material);
    }
}

}  // namespace

std::string content_uuid(std::string_view member, std::string_view material) {
    const Sha256 digest = sha256(fmt::format("jobforge/{}/{}", member, material));
    Uuid id;
    std::copy_n(digest.begin(), id.bytes.size(), id.bytes.begin());
    id.bytes[6] = static_cast<std::uint8_t>((id.bytes[6] & 0x0F) | 0x80);
    id.bytes[8] = static_cast<std::uint8_t>((id.bytes[8] & 0x3F) | 0x80);
    return id.to_string();
}

Status fill_default_ids(CompileInputs& inputs) {
    Issue& issue = inputs.issue;
    auto facts = rules::FactSet::make(inputs.facts);
    if (!facts.ok()) {
        return std::move(facts).error();
    }
    const auto snapshot = snapshot_document({}, *facts);
    if (!snapshot.ok()) {
        return snapshot.error();
    }
    const auto items = canonical(*snapshot->find("facts"));
    if (!items.ok()) {
        return items.error();
    }
    fill(issue.tenant_id, "tenant_id", "offline");
    fill(issue.passport_id, "passport_id", inputs.product.battery_product_id);
    fill(issue.snapshot_id, "snapshot_id", sha256_hex(*items));
    fill(issue.rule_package_version_id, "rule_package_version_id",
         sha256_hex(inputs.dsl_source) + "/" + sha256_hex(inputs.tests_source));
    fill(issue.passport_version_id, "passport_version_id",
         fmt::format("{}/{}/{}/{}", issue.passport_id, issue.snapshot_id,
                     issue.rule_package_version_id, issue.issued_at));
    return ok_status();
}

}  // namespace jobforge::passport
