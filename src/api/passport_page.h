// The public page of a passport version: HTML for a phone that has read a QR code. No script,
// nothing from elsewhere, everything that came from a tenant escaped. Pure.
//
// Knows no access rules: what may be shown was chosen by the SQL function public_passport, and
// whatever stands here is shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <jobforge/json.h>

namespace jobforge::api {

struct PublicField {
    std::string path;  // "carbon.footprint"
    Json value;        // as the payload has it
};

struct PublicPassport {
    std::string passport_version_id;
    std::string status;  // SIGNED, ACTIVE, SUPERSEDED or REVOKED
    std::string product_name;
    std::string issued_on;  // YYYY-MM-DD
    std::optional<std::string> superseded_on, revoked_on;
    std::optional<std::string> revocation_reason;
    std::string payload_hash, proof_root_hash, receipt_hash;  // hex
    std::string signing_key_id;
    std::optional<std::string> qr_text;
    std::vector<PublicField> fields;
};

[[nodiscard]] std::string passport_page(const PublicPassport& passport);
// The one page for everything that is not there: it says nothing of why.
[[nodiscard]] std::string no_passport_page();
// What a browser may do with either page: apply their style, and nothing else.
[[nodiscard]] const std::string& passport_page_policy();

}  // namespace jobforge::api
