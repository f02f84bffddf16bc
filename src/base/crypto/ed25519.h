// Ed25519 signatures (RFC 8032, the pure variant): deterministic, so that signing again gives the
// same bytes. All through OpenSSL's EVP interface.
//
// Threads: keys are immutable; one key may sign and verify on many threads.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <jobforge/error.h>

struct evp_pkey_st;  // OpenSSL's EVP_PKEY

namespace jobforge {

using Ed25519Signature = std::array<std::uint8_t, 64>;

// 32 bytes that anyone may see. A value.
class Ed25519PublicKey final {
public:
    using Bytes = std::array<std::uint8_t, 32>;

    // INVALID_SIGNING_KEY unless there are 32 bytes with a y below p, or if the point has small
    // order: under such a key (all zeros, for example) one signature fits every text.
    [[nodiscard]] static Result<Ed25519PublicKey> from_bytes(std::string_view bytes);
    // The 32 bytes in base64 (44 characters) or hex (64), or a PEM "PUBLIC KEY" as openssl writes
    // it. White space around the text is ignored: keys come from files. INVALID_SIGNING_KEY.
    [[nodiscard]] static Result<Ed25519PublicKey> parse(std::string_view text);

    [[nodiscard]] const Bytes& bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::string base64() const;

    // SIGNATURE_INVALID unless `signature` is the 64 bytes that the key's owner made for `message`.
    [[nodiscard]] Status verify(std::string_view message, std::string_view signature) const;

    friend bool operator==(const Ed25519PublicKey&, const Ed25519PublicKey&) noexcept = default;

private:
    explicit Ed25519PublicKey(const Bytes& bytes) noexcept : bytes_(bytes) {}

    Bytes bytes_;
};

// A secret. It can be moved and not copied, lives inside OpenSSL, which wipes it when it is freed,
// and cannot be printed or exported. The caller wipes the text it was read from.
class Ed25519PrivateKey final {
public:
    // The 32-byte seed. INVALID_SIGNING_KEY for any other length.
    [[nodiscard]] static Result<Ed25519PrivateKey> from_seed(std::string_view seed);
    // The seed in base64, or a PKCS#8 PEM "PRIVATE KEY" without a password. White space around the
    // text is ignored. INVALID_SIGNING_KEY; the message never quotes the text.
    [[nodiscard]] static Result<Ed25519PrivateKey> parse(std::string_view text);

    [[nodiscard]] const Ed25519PublicKey& public_key() const noexcept { return public_key_; }
    // Aborts if OpenSSL cannot sign: the key was checked when it was read.
    [[nodiscard]] Ed25519Signature sign(std::string_view message) const;

private:
    struct FreeKey {
        void operator()(evp_pkey_st* key) const noexcept;
    };
    using Handle = std::unique_ptr<evp_pkey_st, FreeKey>;

    Ed25519PrivateKey(Handle key, const Ed25519PublicKey& public_key) noexcept
        : key_(std::move(key)), public_key_(public_key) {}
    [[nodiscard]] static Result<Ed25519PrivateKey> adopt(evp_pkey_st* key);

    Handle key_;
    Ed25519PublicKey public_key_;
};

}  // namespace jobforge
