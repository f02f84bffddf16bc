#include "passport/qr_text.h"

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/text/base32.h"

namespace jobforge::passport {
namespace {

// Precondition: hex digits, which every hash of a checked receipt is.
std::string base32_of_hex(std::string_view hex) {
    return base32_encode(hex_decode(hex).value());
}

// What stands behind the # of a link.
std::string hashes(const Receipt& receipt) {
    return fmt::format("ph={}&pr={}&rh={}", base32_of_hex(receipt.payload_hash),
                       base32_of_hex(receipt.proof_root_hash), base32_of_hex(receipt.hash()));
}

}  // namespace

std::string qr_text(const Receipt& receipt, std::string_view base_url) {
    if (base_url.empty()) {
        return fmt::format("BPC1|pv={}|ph={}|pr={}|rh={}", receipt.passport_version_id,
                           base32_of_hex(receipt.payload_hash),
                           base32_of_hex(receipt.proof_root_hash), base32_of_hex(receipt.hash()));
    }
    if (base_url.ends_with('/')) {
        base_url.remove_suffix(1);
    }
    return fmt::format("{}/p/{}#{}", base_url, receipt.passport_id, hashes(receipt));
}

bool is_qr_text_of(const Receipt& receipt, std::string_view text) {
    if (text.starts_with("BPC1|")) {
        return text == qr_text(receipt);
    }
    const auto ends = [&](const std::string& id) {
        return text.ends_with(fmt::format("/p/{}#{}", id, hashes(receipt)));
    };
    return ends(receipt.passport_id) || ends(receipt.passport_version_id);
}

}  // namespace jobforge::passport
