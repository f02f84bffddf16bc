#include "passport/qr_text.h"

#include <fmt/format.h>

#include "core/base32.h"
#include "core/hash.h"

namespace jobforge::passport {
namespace {

// Precondition: hex digits, which every hash of a checked receipt is.
std::string base32_of_hex(std::string_view hex) {
    return base32_encode(hex_decode(hex).value());
}

}  // namespace

std::string qr_text(const Receipt& receipt, std::string_view base_url) {
    const std::string payload = base32_of_hex(receipt.payload_hash);
    const std::string proof = base32_of_hex(receipt.proof_root_hash);
    const std::string hash = base32_of_hex(receipt.hash());
    if (base_url.empty()) {
        return fmt::format("BPC1|pv={}|ph={}|pr={}|rh={}", receipt.passport_version_id, payload,
                           proof, hash);
    }
    if (base_url.ends_with('/')) {
        base_url.remove_suffix(1);
    }
    return fmt::format("{}/p/{}#ph={}&pr={}&rh={}", base_url, receipt.passport_version_id, payload,
                       proof, hash);
}

}  // namespace jobforge::passport
