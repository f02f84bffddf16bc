#include "core/hmac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cstdlib>

namespace jobforge {
namespace {

// OpenSSL takes a null pointer for "no key given" and "nothing to hash": an empty text needs an
// address all the same.
const unsigned char* address_of(std::string_view bytes) noexcept {
    static constexpr unsigned char kNothing = 0;
    return bytes.empty() ? &kNothing : reinterpret_cast<const unsigned char*>(bytes.data());
}

template <typename Digest>
Digest hmac(const char* hash, std::string_view key, std::string_view message) {
    Digest digest{};
    std::size_t length = 0;
    const unsigned char* written =
        EVP_Q_mac(nullptr, "HMAC", nullptr, hash, nullptr, address_of(key), key.size(),
                  address_of(message), message.size(), digest.data(), digest.size(), &length);
    if (written == nullptr || length != digest.size()) {
        std::abort();
    }
    return digest;
}

}  // namespace

Sha256 hmac_sha256(std::string_view key, std::string_view message) {
    return hmac<Sha256>("SHA256", key, message);
}

Sha512 hmac_sha512(std::string_view key, std::string_view message) {
    return hmac<Sha512>("SHA512", key, message);
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && CRYPTO_memcmp(address_of(a), address_of(b), a.size()) == 0;
}

}  // namespace jobforge
