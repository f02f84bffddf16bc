#include "base/crypto/aes_gcm.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cstdlib>
#include <memory>

#include <jobforge/try.h>

namespace jobforge {
namespace {

constexpr char kVersion = '\x01';
constexpr std::size_t kHeaderBytes = 1 + kAesNonceBytes;
// EVP counts in int; secrets are some dozen bytes.
constexpr std::size_t kMaximumBytes = std::size_t{1} << 30;

struct FreeContext {
    void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

Error refused(std::string message) {
    return Error::of(ErrorCode::VALIDATION_ERROR, std::move(message));
}

const unsigned char* address_of(std::string_view bytes) noexcept {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

unsigned char* address_of(std::string& bytes, std::size_t offset = 0) noexcept {
    return reinterpret_cast<unsigned char*>(bytes.data()) + offset;
}

void require(int done) noexcept {
    if (done != 1) {
        std::abort();
    }
}

Status check_lengths(std::string_view key, std::string_view text, std::string_view extra) {
    if (key.size() != kAesKeyBytes) {
        return refused("an AES-256 key has 32 bytes, not " + std::to_string(key.size()));
    }
    if (text.size() > kMaximumBytes || extra.size() > kMaximumBytes) {
        return refused("this is too long to be a secret: at most 1 GiB");
    }
    return ok_status();
}

// A context with key, nonce and additional data in it. GCM's default nonce has 12 bytes.
Context begin(std::string_view key, std::string_view nonce, std::string_view extra, bool seal) {
    Context context(EVP_CIPHER_CTX_new());
    require(context != nullptr ? 1 : 0);
    require(EVP_CipherInit_ex2(context.get(), EVP_aes_256_gcm(), address_of(key), address_of(nonce),
                               seal ? 1 : 0, nullptr));
    int ignored = 0;
    // A null pointer would end the additional data; nothing at all need not be given.
    if (!extra.empty()) {
        require(EVP_CipherUpdate(context.get(), nullptr, &ignored, address_of(extra),
                                 static_cast<int>(extra.size())));
    }
    return context;
}

}  // namespace

Result<std::string> aes_gcm_seal(std::string_view key, std::string_view nonce,
                                 std::string_view plaintext, std::string_view additional_data) {
    JOBFORGE_TRY(check_lengths(key, plaintext, additional_data));
    if (nonce.size() != kAesNonceBytes) {
        return refused("a GCM nonce has 12 bytes, not " + std::to_string(nonce.size()));
    }
    std::string sealed(kHeaderBytes + plaintext.size() + kAesTagBytes, '\0');
    sealed[0] = kVersion;
    sealed.replace(1, nonce.size(), nonce);
    const Context context = begin(key, nonce, additional_data, true);
    int written = 0;
    if (!plaintext.empty()) {
        require(EVP_CipherUpdate(context.get(), address_of(sealed, kHeaderBytes), &written,
                                 address_of(plaintext), static_cast<int>(plaintext.size())));
    }
    unsigned char* tag = address_of(sealed, kHeaderBytes + plaintext.size());
    require(EVP_CipherFinal_ex(context.get(), tag, &written));
    require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kAesTagBytes, tag));
    return sealed;
}

Result<std::string> aes_gcm_open(std::string_view key, std::string_view sealed,
                                 std::string_view additional_data) {
    JOBFORGE_TRY(check_lengths(key, sealed, additional_data));
    if (sealed.size() < kHeaderBytes + kAesTagBytes) {
        return refused("the encrypted secret is cut short");
    }
    if (sealed[0] != kVersion) {
        return refused("the encrypted secret has a version that this program does not know");
    }
    const std::string_view nonce = sealed.substr(1, kAesNonceBytes);
    const std::string_view body =
        sealed.substr(kHeaderBytes, sealed.size() - kHeaderBytes - kAesTagBytes);
    std::string tag(sealed.substr(sealed.size() - kAesTagBytes));
    std::string plaintext(body.size(), '\0');
    const Context context = begin(key, nonce, additional_data, false);
    int written = 0;
    if (!body.empty()) {
        require(EVP_CipherUpdate(context.get(), address_of(plaintext), &written, address_of(body),
                                 static_cast<int>(body.size())));
    }
    require(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kAesTagBytes, tag.data()));
    unsigned char none = 0;
    if (EVP_CipherFinal_ex(context.get(), &none, &written) != 1) {
        OPENSSL_cleanse(plaintext.data(), plaintext.size());
        return refused(
            "the encrypted secret cannot be opened: another master key sealed it, it belongs to "
            "another row, or it was changed");
    }
    return plaintext;
}

}  // namespace jobforge
