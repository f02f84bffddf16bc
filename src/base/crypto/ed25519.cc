#include "base/crypto/ed25519.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <climits>
#include <cstdlib>

#include "base/crypto/hash.h"
#include "base/text/base64.h"
#include "base/text/bytes.h"
#include "base/text/trimmed.h"

namespace jobforge {
namespace {

constexpr std::size_t kKeyBytes = 32;

struct FreeBio {
    void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
struct FreePkey {
    void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct FreeContext {
    void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;
using Pkey = std::unique_ptr<EVP_PKEY, FreePkey>;
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

// What OpenSSL notes about a refused input would otherwise wait in the thread's queue and be taken
// for the reason of a later, unrelated failure (of a TLS connection, for example).
class ErrorQueueMark final {
public:
    ErrorQueueMark() noexcept { ERR_set_mark(); }
    ~ErrorQueueMark() { ERR_pop_to_mark(); }
    ErrorQueueMark(const ErrorQueueMark&) = delete;
    ErrorQueueMark& operator=(const ErrorQueueMark&) = delete;
};

// Overwrites a decoded secret when the scope ends.
class Wipe final {
public:
    explicit Wipe(std::string& secret) noexcept : secret_(secret) {}
    ~Wipe() { OPENSSL_cleanse(secret_.data(), secret_.size()); }
    Wipe(const Wipe&) = delete;
    Wipe& operator=(const Wipe&) = delete;

private:
    std::string& secret_;
};

Error bad_key(const char* message) {
    return Error::of(ErrorCode::INVALID_SIGNING_KEY, message);
}

Error bad_private_key() {
    return bad_key(
        "no Ed25519 private key; give the 32-byte seed in base64 or a PKCS#8 PEM without a "
        "password (openssl genpkey -algorithm ed25519)");
}

Error bad_public_key() {
    return bad_key(
        "no Ed25519 public key; give its 32 bytes in base64 or hex, or a PEM (openssl pkey "
        "-pubout)");
}

const unsigned char* address_of(std::string_view bytes) noexcept {
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

bool is_pem(std::string_view text) noexcept {
    return text.find("-----BEGIN ") != std::string_view::npos;
}

// Without it OpenSSL asks at the terminal for the password of an encrypted key.
int no_password(char*, int, int, void*) {
    return -1;
}

// nullptr for anything but PEM text of the kind that `read` reads.
template <typename Read>
Pkey read_pem(std::string_view text, Read read) {
    const ErrorQueueMark mark;
    if (text.size() > INT_MAX) {
        return nullptr;
    }
    const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    Pkey key(bio == nullptr ? nullptr : read(bio.get(), nullptr, no_password, nullptr));
    return key != nullptr && EVP_PKEY_is_a(key.get(), "ED25519") == 1 ? std::move(key) : nullptr;
}

// The y coordinates of the points whose order divides 8, sign bit cleared, lowest byte first; p and
// p + 1 are second spellings of 0 and 1.
bool has_small_order(Ed25519PublicKey::Bytes bytes) {
    constexpr std::string_view kPoints[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    };
    bytes.back() &= 0x7FU;
    return std::ranges::find(kPoints, hex_encode(bytes)) != std::end(kPoints);
}

// Whether y is below p = 2^255 - 19 (RFC 8032, section 5.1.3). OpenSSL reduces it instead, so that
// such a key would be a second spelling of another.
bool is_reduced(const Ed25519PublicKey::Bytes& bytes) {
    const bool all_ones = (bytes.back() & 0x7FU) == 0x7FU &&
                          std::all_of(bytes.begin() + 1, bytes.end() - 1,
                                      [](std::uint8_t byte) { return byte == 0xFF; });
    return !all_ones || bytes.front() < 0xED;
}

Result<Ed25519PublicKey> public_key_of(const EVP_PKEY* key) {
    Ed25519PublicKey::Bytes bytes{};
    std::size_t size = bytes.size();
    if (EVP_PKEY_get_raw_public_key(key, bytes.data(), &size) != 1 || size != bytes.size()) {
        return bad_public_key();
    }
    return Ed25519PublicKey::from_bytes(bytes_of(bytes));
}

}  // namespace

Result<Ed25519PublicKey> Ed25519PublicKey::from_bytes(std::string_view bytes) {
    if (bytes.size() != kKeyBytes) {
        return bad_public_key();
    }
    Bytes copy{};
    std::ranges::copy(bytes, copy.begin());
    if (has_small_order(copy)) {
        return bad_key("this public key has small order: anyone can sign for it; use another");
    }
    if (!is_reduced(copy)) {
        return bad_key("this public key is written with a coordinate that is not reduced");
    }
    return Ed25519PublicKey(copy);
}

Result<Ed25519PublicKey> Ed25519PublicKey::parse(std::string_view text) {
    if (is_pem(text)) {
        const Pkey key = read_pem(text, PEM_read_bio_PUBKEY);
        return key == nullptr ? bad_public_key() : public_key_of(key.get());
    }
    const std::string_view digits = trimmed(text, kBlankBytes);
    const Result<std::string> bytes =
        digits.size() == 2 * kKeyBytes ? hex_decode(digits) : base64_decode(digits);
    return bytes.ok() ? from_bytes(*bytes) : bad_public_key();
}

std::string Ed25519PublicKey::base64() const {
    return base64_encode(bytes_of(bytes_));
}

Status Ed25519PublicKey::verify(std::string_view message, std::string_view signature) const {
    const ErrorQueueMark mark;
    const Pkey key(
        EVP_PKEY_new_raw_public_key_ex(nullptr, "ED25519", nullptr, bytes_.data(), bytes_.size()));
    const Context context(EVP_MD_CTX_new());
    if (key == nullptr || context == nullptr ||
        EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1) {
        std::abort();
    }
    if (EVP_DigestVerify(context.get(), address_of(signature), signature.size(),
                         address_of(message), message.size()) != 1) {
        return Error::of(ErrorCode::SIGNATURE_INVALID,
                         "the signature was not made for this text with this key; check that the "
                         "text is unchanged and that the public key is the signer's");
    }
    return ok_status();
}

void Ed25519PrivateKey::FreeKey::operator()(evp_pkey_st* key) const noexcept {
    EVP_PKEY_free(key);
}

Result<Ed25519PrivateKey> Ed25519PrivateKey::adopt(evp_pkey_st* key) {
    Handle handle(key);
    if (handle == nullptr) {
        return bad_private_key();
    }
    const Result<Ed25519PublicKey> public_key = public_key_of(key);
    if (!public_key.ok()) {
        return bad_private_key();
    }
    return Ed25519PrivateKey(std::move(handle), *public_key);
}

Result<Ed25519PrivateKey> Ed25519PrivateKey::from_seed(std::string_view seed) {
    const ErrorQueueMark mark;
    if (seed.size() != kKeyBytes) {
        return bad_private_key();
    }
    return adopt(EVP_PKEY_new_raw_private_key_ex(nullptr, "ED25519", nullptr, address_of(seed),
                                                 seed.size()));
}

Result<Ed25519PrivateKey> Ed25519PrivateKey::parse(std::string_view text) {
    if (is_pem(text)) {
        return adopt(read_pem(text, PEM_read_bio_PrivateKey).release());
    }
    Result<std::string> seed = base64_decode(trimmed(text, kBlankBytes));
    if (!seed.ok()) {
        return bad_private_key();
    }
    const Wipe wipe(*seed);
    return from_seed(*seed);
}

Ed25519Signature Ed25519PrivateKey::sign(std::string_view message) const {
    Ed25519Signature signature{};
    std::size_t size = signature.size();
    const Context context(EVP_MD_CTX_new());
    if (context == nullptr ||
        EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
        EVP_DigestSign(context.get(), signature.data(), &size, address_of(message),
                       message.size()) != 1 ||
        size != signature.size()) {
        std::abort();
    }
    return signature;
}

}  // namespace jobforge
