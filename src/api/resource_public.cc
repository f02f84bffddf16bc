// /p/{passport_version_id}: the page behind a passport's QR code, for anybody.
#include "api/answers.h"
#include "api/passport_page.h"
#include "api/request_context.h"
#include "api/routes.h"

namespace jobforge::api {

namespace {

using engine::Repeat;

// A phone that scans twice asks once; a revocation shows within the minute.
constexpr std::string_view kCacheControl = "public, max-age=60";

constexpr pg::Statement kPassport{
    "api_public_passport",
    "select p.status, p.product_name, "
    "pg_catalog.to_char(p.issued_at at time zone 'UTC', 'YYYY-MM-DD'), "
    "pg_catalog.to_char(p.superseded_at at time zone 'UTC', 'YYYY-MM-DD'), "
    "pg_catalog.to_char(p.revoked_at at time zone 'UTC', 'YYYY-MM-DD'), p.revocation_reason, "
    "p.payload_hash, p.proof_root_hash, p.receipt_hash, p.signing_key_id, p.qr_payload, p.fields "
    "from jobforge.public_passport($1) p"};
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
};

Result<std::vector<PublicField>> fields_of(std::string_view text) {
    const auto list = Json::parse(text);
    if (!list.ok() || !list->is_array()) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "the public fields are no list");
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

Result<PublicPassport> passport_of(const pg::Rows& rows, const Uuid& id) {
    auto fields = fields_of(rows.json(0, kFields));
    if (!fields.ok()) {
        return std::move(fields).error();
    }
    PublicPassport passport;
    passport.passport_version_id = id.to_string();
    passport.status = rows.text(0, kStatus);
    passport.product_name = rows.opt_text(0, kProductName).value_or("");
    passport.issued_on = rows.text(0, kIssuedOn);
    passport.superseded_on = rows.opt_text(0, kSupersededOn);
    passport.revoked_on = rows.opt_text(0, kRevokedOn);
    passport.revocation_reason = rows.opt_text(0, kRevocationReason);
    passport.payload_hash = rows.text(0, kPayloadHash);
    passport.proof_root_hash = rows.text(0, kProofRootHash);
    passport.receipt_hash = rows.text(0, kReceiptHash);
    passport.signing_key_id = rows.text(0, kSigningKeyId);
    passport.qr_text = rows.opt_text(0, kQrText);
    passport.fields = *std::move(fields);
    return passport;
}

Response page(Response response) {
    response.content_type = "text/html; charset=utf-8";
    set_header(response, "Content-Security-Policy", passport_page_policy());
    set_header(response, "Referrer-Policy", "no-referrer");
    return response;
}

// The same bytes whatever is wrong with the id: nobody learns what exists.
Response nothing() {
    Response response;
    response.status = 404;
    response.body = no_passport_page();
    return page(std::move(response));
}

Result<Response> show(RequestContext& context) {
    const auto id = context.id("passport_version_id");
    if (!id.ok()) {
        return nothing();
    }
    pg::Params params;
    params.uuid(*id);
    const auto rows = context.calls->run_one(kPassport, std::move(params), Repeat::always);
    if (!rows.ok()) {
        return rows.error();
    }
    if (rows->empty()) {
        return nothing();
    }
    const auto passport = passport_of(*rows, *id);
    if (!passport.ok()) {
        return passport.error();
    }
    return page(tagged_response(context.request, passport_page(*passport), "text/html",
                                std::string(kCacheControl)));
}

constexpr Route kRoutes[] = {
    {"GET", "/p/{passport_version_id}", {}, Work::open_read, &show},
};

}  // namespace

std::span<const Route> public_routes() {
    return kRoutes;
}

}  // namespace jobforge::api
