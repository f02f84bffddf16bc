#include "passport/receipt.h"

#include <array>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "base/text/base64.h"
#include "passport/text_forms.h"

namespace jobforge::passport {
namespace {

constexpr std::string_view kVersion = "BPC-RECEIPT-1";
constexpr std::string_view kAlgorithm = "ED25519";
constexpr std::size_t kSignatureBytes = 64;

bool is_any_text(std::string_view text) {
    return !text.empty();
}

bool is_signature_text(std::string_view text) {
    const auto bytes = base64_decode(text);
    return bytes.ok() && bytes->size() == kSignatureBytes;
}

struct Row {
    std::string_view name;
    std::string Receipt::* text;
    bool (*has_form)(std::string_view);
    std::string_view form;
};

constexpr std::string_view kUuid = "a UUID in lower case";
constexpr std::string_view kHash = "64 lower-case hex digits";
constexpr std::string_view kText = "a text that is not empty";

// Every member but the two constants and the signature.
constexpr std::array<Row, 14> kRows{{
    {"issued_at", &Receipt::issued_at, is_time_text, "a time YYYY-MM-DDTHH:MM:SS.ffffffZ"},
    {"tenant_id", &Receipt::tenant_id, is_uuid_text, kUuid},
    {"passport_version_id", &Receipt::passport_version_id, is_uuid_text, kUuid},
    {"passport_id", &Receipt::passport_id, is_uuid_text, kUuid},
    {"battery_product_id", &Receipt::battery_product_id, is_uuid_text, kUuid},
    {"snapshot_id", &Receipt::snapshot_id, is_uuid_text, kUuid},
    {"snapshot_hash", &Receipt::snapshot_hash, is_hash_text, kHash},
    {"rule_package_version_id", &Receipt::rule_package_version_id, is_uuid_text, kUuid},
    {"dsl_sha256", &Receipt::dsl_sha256, is_hash_text, kHash},
    {"tests_sha256", &Receipt::tests_sha256, is_hash_text, kHash},
    {"compiler_build_id", &Receipt::compiler_build_id, is_any_text, kText},
    {"payload_hash", &Receipt::payload_hash, is_hash_text, kHash},
    {"proof_root_hash", &Receipt::proof_root_hash, is_hash_text, kHash},
    {"signing_key_id", &Receipt::signing_key_id, is_any_text, kText},
}};

Error wrong(std::string_view member, std::string_view form) {
    return Error::of(ErrorCode::VALIDATION_ERROR,
                     fmt::format("The receipt's {} is not {}.", member, form));
}

const std::string* text_of(const Json& document, std::string_view name) {
    const Json* member = document.find(name);
    return member == nullptr ? nullptr : member->as_string();
}

bool is_constant(const Json& document, std::string_view name, std::string_view text) {
    const std::string* found = text_of(document, name);
    return found != nullptr && *found == text;
}

}  // namespace

Json Receipt::document() const {
    Json document = Json::object(
        {{"receipt_version", std::string(kVersion)}, {"signature_alg", std::string(kAlgorithm)}});
    for (const Row& row : kRows) {
        document.set(std::string(row.name), this->*row.text);
    }
    if (!signature.empty()) {
        document.set("signature", signature);
    }
    return document;
}

std::string Receipt::unsigned_bytes() const {
    Receipt plain = *this;
    plain.signature.clear();
    // Texts that were read or checked are valid UTF-8; canonical refuses nothing else.
    return canonical(plain.document()).value();
}

std::string Receipt::hash() const {
    return sha256_hex(unsigned_bytes());
}

Status check_receipt(const Receipt& receipt) {
    for (const Row& row : kRows) {
        const std::string& text = receipt.*row.text;
        if (!row.has_form(text) || !canonical(Json(text)).ok()) {
            return wrong(row.name, row.form);
        }
    }
    return ok_status();
}

Result<Receipt> read_receipt(const Json& document, Signed is_signed) {
    const std::size_t members = kRows.size() + (is_signed == Signed::yes ? 3 : 2);
    if (!document.is_object() || document.as_object()->size() != members) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         fmt::format("A receipt is an object with exactly {} members.", members));
    }
    if (!is_constant(document, "receipt_version", kVersion)) {
        return wrong("receipt_version", kVersion);
    }
    if (!is_constant(document, "signature_alg", kAlgorithm)) {
        return wrong("signature_alg", kAlgorithm);
    }
    Receipt receipt;
    for (const Row& row : kRows) {
        const std::string* text = text_of(document, row.name);
        if (text == nullptr) {
            return wrong(row.name, row.form);
        }
        receipt.*row.text = *text;
    }
    if (auto checked = check_receipt(receipt); !checked.ok()) {
        return std::move(checked).error();
    }
    if (is_signed == Signed::yes) {
        const std::string* signature = text_of(document, "signature");
        if (signature == nullptr || !is_signature_text(*signature)) {
            return wrong("signature", "64 bytes in base64");
        }
        receipt.signature = *signature;
    }
    return receipt;
}

}  // namespace jobforge::passport
