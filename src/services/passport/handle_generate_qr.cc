// GENERATE_QR: what the code says, and a picture of it.
#include "passport/bundle.h"
#include "passport/qr_text.h"
#include "services/jobs/step.h"
#include "services/passport/passport_handlers.h"
#include "services/passport/qr_png.h"
#include "statements/passport.h"

namespace jobforge::services {

namespace {

Result<passport::Receipt> signed_receipt(const pg::Rows& row) {
    if (row.is_null(0, 1)) {
        return Error::of(ErrorCode::INVALID_PASSPORT_STATUS,
                         "the passport version is " + std::string(row.text(0, 0)) +
                             "; only a SIGNED one gets a QR code");
    }
    const auto document = passport::read_canonical_document(row.text(0, 1));
    if (!document.ok()) {
        return document.error();
    }
    return passport::read_receipt(*document, passport::Signed::yes);
}

// What the code says. A link that an earlier release made led to the version; it stays as it was
// printed.
std::string code_of(const passport::Receipt& receipt, const std::optional<std::string>& stored,
                    const std::string& base_url) {
    std::string text = passport::qr_text(receipt, base_url);
    const bool same_base =
        stored && !base_url.empty() && passport::is_qr_text_of(receipt, *stored) &&
        stored->substr(0, stored->rfind("/p/")) == text.substr(0, text.rfind("/p/"));
    return same_base ? *stored : text;
}

}  // namespace

Outcome handle_generate_qr(JobContext& context, const PassportTools& tools) {
    const auto version = uuid_member(context.job().payload, "passport_version_id");
    if (!version.ok()) {
        return Fail{JobError(version.error())};
    }
    Step step(context);
    pg::Params id;
    id.uuid(*version);
    const auto row = step.call(statements::passport::kPassportForQr, id);
    if (!row.ok()) {
        return outcome_of(row.error());
    }
    const auto receipt = signed_receipt(*row);
    if (!receipt.ok()) {
        return outcome_of(receipt.error());
    }
    const std::string text = code_of(*receipt, row->opt_text(0, 2), tools.settings.qr_base_url);
    const auto png = qr_png(text);
    if (!png.ok()) {
        return outcome_of(png.error());
    }
    pg::Params params;
    params.uuid(*version).text(text).bytea(*png);
    step.call_at_end(statements::passport::kStoreQr, std::move(params));
    return Done{Json::object({{"passport_version_id", version->to_string()},
                              {"png_bytes", static_cast<std::uint64_t>(png->size())},
                              {"qr_payload", text}})};
}

}  // namespace jobforge::services
