// SIGN_PASSPORT: signs the stored receipt with the key that was chosen when the compile job was
// enqueued. Ed25519 is deterministic, so signing again gives the same bytes.
#include <fmt/format.h>

#include "base/json/canonical.h"
#include "base/text/base64.h"
#include "passport/bundle.h"
#include "passport/sign.h"
#include "services/jobs/step.h"
#include "services/passport/passport_handlers.h"
#include "statements/passport.h"

namespace jobforge::services {

namespace {

Result<passport::Receipt> stored_receipt(std::string_view bytes) {
    const auto document = passport::read_canonical_document(bytes);
    if (!document.ok()) {
        return document.error();
    }
    return passport::read_receipt(*document, passport::Signed::no);
}

Error key_missing(std::string_view key_id) {
    Error error =
        Error::of(ErrorCode::SIGNING_KEY_MISSING,
                  fmt::format("this worker does not hold the signing key \"{}\"", key_id));
    error.hint =
        "Set BPC_SIGNING_ED25519_PRIVATE_KEY_BASE64 and BPC_SIGNING_KEY_ID, or put the key into "
        "BPC_SIGNING_KEYS_DIR; then: jobforge jobs retry.";
    return error;
}

Result<pg::Params> signature_params(const Uuid& version, const passport::Receipt& receipt,
                                    const Ed25519PrivateKey& key) {
    const passport::Receipt signed_receipt = passport::sign_receipt(receipt, key);
    auto signature = base64_decode(signed_receipt.signature);
    auto document = canonical(signed_receipt.document());
    if (!signature.ok() || !document.ok()) {
        return signature.ok() ? std::move(document).error() : std::move(signature).error();
    }
    pg::Params params;
    params.uuid(version)
        .bytea(*signature)
        .text(receipt.signing_key_id)
        .bytea(view(key.public_key().bytes()))
        .bytea(*document);
    return params;
}

}  // namespace

Outcome handle_sign_passport(JobContext& context, const PassportTools& tools) {
    const auto version = uuid_member(context.job().payload, "passport_version_id");
    if (!version.ok()) {
        return Fail{JobError(version.error())};
    }
    Step step(context);
    pg::Params id;
    id.uuid(*version);
    const auto row = step.call(statements::passport::kPassportToSign, id);
    if (!row.ok()) {
        return outcome_of(row.error());
    }
    const std::string key_id(row->text(0, 1));
    const auto& keys = tools.settings.signing_keys;
    const Ed25519PrivateKey* key = keys ? keys->find(key_id) : nullptr;
    if (key == nullptr) {
        return Fail{JobError(key_missing(key_id))};
    }
    const auto receipt = stored_receipt(row->text(0, 0));
    if (!receipt.ok()) {
        return outcome_of(receipt.error());
    }
    auto params = signature_params(*version, *receipt, *key);
    if (!params.ok()) {
        return outcome_of(params.error());
    }
    step.call_at_end(statements::passport::kStoreSignature, *std::move(params));
    return Done{Json::object({{"key_id", key_id},
                              {"passport_version_id", version->to_string()},
                              {"receipt_hash", receipt->hash()}})};
}

}  // namespace jobforge::services
