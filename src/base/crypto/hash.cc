#include "base/crypto/hash.h"

#include <openssl/evp.h>

#include <cstdlib>
#include <memory>

#include "base/text/bytes.h"
#include "base/text/hex_digit.h"

namespace jobforge {
namespace {

// EVP_sha256() would be looked up again at each use: 0.5 us of hashing 55 bytes, against 0.2 us.
const EVP_MD* fetched_sha256() noexcept {
    static const EVP_MD* const kFetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    return kFetched;
}

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

// A thread keeps its context: EVP_Digest makes and frees one for each call, which costs as much as
// hashing 55 bytes, and a proof has a thousand nodes.
EVP_MD_CTX* own_context() noexcept {
    thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> kOwn(EVP_MD_CTX_new());
    return kOwn.get();
}

}  // namespace

Sha256 sha256(std::string_view bytes) {
    Sha256 digest{};
    unsigned int length = 0;
    const EVP_MD* const algorithm = fetched_sha256();
    EVP_MD_CTX* const context = own_context();
    const bool done = algorithm != nullptr && context != nullptr &&
                      EVP_DigestInit_ex2(context, algorithm, nullptr) == 1 &&
                      EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1 &&
                      EVP_DigestFinal_ex(context, digest.data(), &length) == 1;
    if (!done || length != digest.size()) {
        std::abort();
    }
    return digest;
}

std::string sha256_hex(std::string_view bytes) {
    return hex_encode(sha256(bytes));
}

std::string hex_encode(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text(bytes.size() * 2, '\0');
    char* out = text.data();
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        *out++ = kDigits[byte >> 4];
        *out++ = kDigits[byte & 0x0F];
    }
    return text;
}

std::string hex_encode(const Sha256& digest) {
    return hex_encode(bytes_of(digest));
}

Result<std::string> hex_decode(std::string_view text) {
    if (text.size() % 2 != 0) {
        return Error::of(ErrorCode::VALIDATION_ERROR, "hex text has two digits a byte");
    }
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_digit_value(text[i]);
        const int low = hex_digit_value(text[i + 1]);
        if (high < 0 || low < 0) {
            return Error::of(ErrorCode::VALIDATION_ERROR,
                             "no hex digit near position " + std::to_string(i));
        }
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

}  // namespace jobforge
