// /p/{passport_id}: the page behind a passport's QR code, for anybody. The id is that of the
// passport, which leads to its current version for the life of the battery, or that of one version.
#include "api/answers.h"
#include "api/pages/passport_page.h"
#include "api/request_context.h"
#include "api/routes.h"
#include "base/crypto/ed25519.h"
#include "base/crypto/hash.h"
#include "statements/passport.h"

namespace jobforge::api {

namespace {

using engine::Repeat;

// A phone that scans twice asks once; a revocation shows within the minute.
constexpr std::string_view kCacheControl = "public, max-age=60";

enum Column : int {
    kStatus,
    kProductName,
    kIssuedOn,
    kSupersededOn,
    kRevokedOn,
    kRevocationReason,
    kPayloadHash,
    kProofRootHash,
    kReceiptHash,
    kSigningKeyId,
    kQrText,
    kFields,
    kPassportId,
    kVersionId,
    kVersionNumber,
    kCurrent,
    kSignature,
    kSigningKey,
    kReceiptIsOfVersion,
    kFindings,
    kVersions,
};

Result<std::vector<PublicField>> fields_of(std::string_view text) {
    const auto list = Json::parse(text);
    if (!list.ok() || !list->is_array()) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "the public fields are not a list");
    }
    std::vector<PublicField> fields;
    for (const Json& item : *list->as_array()) {
        const Json* path = item.find("path");
        const Json* value = item.find("value");
        if (path == nullptr || path->as_string() == nullptr || value == nullptr) {
            return Error::of(ErrorCode::INTERNAL_ERROR, "a public field has no path or value");
        }
        fields.push_back({*path->as_string(), *value});
    }
    return fields;
}

std::string text_of(const Json& object, std::string_view member) {
    const Json* value = object.find(member);
    return value != nullptr && value->as_string() != nullptr ? *value->as_string() : std::string();
}

std::optional<std::string> opt_text_of(const Json& object, std::string_view member) {
    const Json* value = object.find(member);
    return value != nullptr && value->as_string() != nullptr ? std::optional(*value->as_string())
                                                             : std::nullopt;
}

int int_of(const Json& object, std::string_view member) {
    const Json* value = object.find(member);
    return value == nullptr ? 0 : static_cast<int>(value->as_int64().value_or(0));
}

// Both members of what public_findings answers.
void take_findings(const Json& findings, PublicPassport& passport) {
    if (const Json* counts = findings.find("counts")) {
        passport.counts = {.pass = int_of(*counts, "PASS"),
                           .fail = int_of(*counts, "FAIL"),
                           .warn = int_of(*counts, "WARN"),
                           .pending = int_of(*counts, "PENDING"),
                           .not_applicable = int_of(*counts, "NOT_APPLICABLE"),
                           .unknown = int_of(*counts, "UNKNOWN")};
    }
    const Json* entries = findings.find("entries");
    if (entries == nullptr || !entries->is_array()) {
        return;
    }
    for (const Json& entry : *entries->as_array()) {
        passport.findings.push_back({.status = text_of(entry, "status"),
                                     .id = opt_text_of(entry, "id"),
                                     .evidence = opt_text_of(entry, "evidence"),
                                     .reason = opt_text_of(entry, "reason"),
                                     .accepted_on = opt_text_of(entry, "accepted_on")});
    }
}

std::vector<PublicVersion> versions_of(const Json& list) {
    std::vector<PublicVersion> versions;
    if (!list.is_array()) {
        return versions;
    }
    for (const Json& item : *list.as_array()) {
        versions.push_back(
            {.version_number = int_of(item, "version_number"),
             .status = text_of(item, "status"),
             .issued_on = text_of(item, "issued_on"),
             .hashes = {text_of(item, "payload_hash"), text_of(item, "proof_root_hash"),
                        text_of(item, "receipt_hash")}});
    }
    return versions;
}

// Verified at each view: the page says it, so it is so at this moment.
bool signature_fits(const pg::Rows& rows) {
    const auto key = Ed25519PublicKey::from_bytes(rows.text(0, kSigningKey));
    const auto hash = hex_decode(rows.text(0, kReceiptHash));
    return rows.boolean(0, kReceiptIsOfVersion) && key.ok() && hash.ok() &&
           key->verify(*hash, rows.text(0, kSignature)).ok();
}

Result<PublicPassport> passport_of(const pg::Rows& rows) {
    auto fields = fields_of(rows.json(0, kFields));
    const auto findings = Json::parse(rows.json(0, kFindings));
    const auto versions = Json::parse(rows.json(0, kVersions));
    if (!fields.ok()) {
        return std::move(fields).error();
    }
    if (!findings.ok() || !versions.ok()) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "the findings or versions cannot be read");
    }
    PublicPassport passport;
    passport.passport_id = rows.uuid(0, kPassportId).to_string();
    passport.passport_version_id = rows.uuid(0, kVersionId).to_string();
    passport.version_number = static_cast<int>(rows.integer(0, kVersionNumber));
    passport.status = rows.text(0, kStatus);
    passport.product_name = rows.opt_text(0, kProductName).value_or("");
    passport.issued_on = rows.text(0, kIssuedOn);
    passport.superseded_on = rows.opt_text(0, kSupersededOn);
    passport.revoked_on = rows.opt_text(0, kRevokedOn);
    passport.revocation_reason = rows.opt_text(0, kRevocationReason);
    passport.hashes = {std::string(rows.text(0, kPayloadHash)),
                       std::string(rows.text(0, kProofRootHash)),
                       std::string(rows.text(0, kReceiptHash))};
    passport.signing_key_id = rows.text(0, kSigningKeyId);
    passport.signature_fits = signature_fits(rows);
    const auto current = rows.opt_uuid(0, kCurrent);
    passport.another_is_current = current && *current != rows.uuid(0, kVersionId);
    passport.qr_text = rows.opt_text(0, kQrText);
    passport.fields = *std::move(fields);
    take_findings(*findings, passport);
    passport.versions = versions_of(*versions);
    return passport;
}

http::Response page(http::Response response) {
    response.content_type = "text/html; charset=utf-8";
    http::set_header(response, "Content-Security-Policy", passport_page_policy());
    http::set_header(response, "Referrer-Policy", "no-referrer");
    return response;
}

// The same bytes whatever is wrong with the id: it does not tell what exists.
http::Response nothing() {
    http::Response response;
    response.status = 404;
    response.body = no_passport_page();
    return page(std::move(response));
}

Result<http::Response> show(RequestContext& context) {
    const auto id = context.id("passport_id");
    if (!id.ok()) {
        return nothing();
    }
    pg::Params params;
    params.uuid(*id);
    const auto rows = context.calls->run_one(statements::passport::kApiPublicPassport,
                                             std::move(params), Repeat::always);
    if (!rows.ok()) {
        return rows.error();
    }
    if (rows->empty()) {
        return nothing();
    }
    const auto passport = passport_of(*rows);
    if (!passport.ok()) {
        return passport.error();
    }
    return page(tagged_response(context.request, passport_page(*passport), "text/html",
                                std::string(kCacheControl)));
}

}  // namespace

std::span<const Route> public_routes() {
    static constexpr Route kRoutes[] = {
        {"GET", "/p/{passport_id}", {}, Work::open_read, &show},
    };
    return kRoutes;
}

}  // namespace jobforge::api
