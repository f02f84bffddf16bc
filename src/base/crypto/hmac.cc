#include "base/crypto/hmac.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <cstdlib>
#include <memory>

namespace jobforge {
namespace {

// OpenSSL takes a null pointer for "no key given" and "nothing to hash": an empty text needs an
// address all the same.
const unsigned char* address_of(std::string_view bytes) noexcept {
    static constexpr unsigned char kNothing = 0;
    return bytes.empty() ? &kNothing : reinterpret_cast<const unsigned char*>(bytes.data());
}

struct FreeMac {
    void operator()(EVP_MAC* mac) const noexcept { EVP_MAC_free(mac); }
    void operator()(EVP_MAC_CTX* context) const noexcept { EVP_MAC_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MAC_CTX, FreeMac>;

Context new_context(const char* hash) {
    const std::unique_ptr<EVP_MAC, FreeMac> mac(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
    Context context(mac ? EVP_MAC_CTX_new(mac.get()) : nullptr);
    const OSSL_PARAM settings[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, const_cast<char*>(hash), 0),
        OSSL_PARAM_construct_end()};
    if (!context || EVP_MAC_CTX_set_params(context.get(), settings) != 1) {
        std::abort();
    }
    return context;
}

// One context a thread is used again: looking for "HMAC" and "SHA256" by name took longer than the
// hash, and the API checks a key with every request.
template <typename Digest>
Digest hmac(EVP_MAC_CTX* context, std::string_view key, std::string_view message) {
    Digest digest{};
    std::size_t length = 0;
    if (EVP_MAC_init(context, address_of(key), key.size(), nullptr) != 1 ||
        EVP_MAC_update(context, address_of(message), message.size()) != 1 ||
        EVP_MAC_final(context, digest.data(), &length, digest.size()) != 1 ||
        length != digest.size()) {
        std::abort();
    }
    return digest;
}

}  // namespace

Sha256 hmac_sha256(std::string_view key, std::string_view message) {
    thread_local Context context = new_context("SHA256");
    return hmac<Sha256>(context.get(), key, message);
}

Sha512 hmac_sha512(std::string_view key, std::string_view message) {
    thread_local Context context = new_context("SHA512");
    return hmac<Sha512>(context.get(), key, message);
}

bool equal_in_constant_time(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && CRYPTO_memcmp(address_of(a), address_of(b), a.size()) == 0;
}

}  // namespace jobforge
