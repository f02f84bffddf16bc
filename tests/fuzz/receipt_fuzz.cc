// Any bytes as a receipt and as a bundle. What must hold: no crash, no bad memory, no endless work;
// a receipt that is read is written as it was; nothing but the issuer's own bundle is valid under
// his key, and this key has issued nothing. A violation aborts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/json/canonical.h"
#include "passport/bundle_verify.h"
#include "passport/qr_text.h"
#include "passport/receipt.h"
#include "passport/sign.h"

namespace {

using namespace jobforge;

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }
}

const Ed25519PrivateKey& key() {
    static const Ed25519PrivateKey kKey =
        Ed25519PrivateKey::from_seed("a key that has issued nothing...").value();
    return kKey;
}

void check_receipt(const passport::Receipt& receipt, const Json& document) {
    require(receipt.document() == document, "a receipt is written as it was read");
    require(passport::qr_text(receipt).size() == 212, "the QR text has 212 characters");
    require(!passport::verify_signature(receipt, key().public_key()).ok(), "nobody signed it");
    const passport::Receipt own = passport::sign_receipt(receipt, key());
    require(passport::verify_signature(own, key().public_key()).ok(), "what is signed verifies");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto report = passport::verify_bundle(text, key().public_key());
    require(!report.ok() && report.first_failure() != nullptr, "no bundle is valid");
    const auto document = Json::parse(text);
    if (!document.ok()) return 0;
    const auto receipt = passport::read_receipt(*document, passport::Signed::yes);
    if (receipt.ok()) check_receipt(*receipt, *document);
    return 0;
}
