// Secrets at rest: AES-256-GCM (NIST SP 800-38D) through OpenSSL's EVP interface.
//
// The sealed form, which is what the database keeps:
//
//   1 byte    version, 0x01
//   12 bytes  nonce
//   n bytes   ciphertext, as long as the plaintext
//   16 bytes  tag over additional data and ciphertext
//
// The additional data says whose secret it is ("<tenant id>/<endpoint id>"): a ciphertext that
// was moved to another row does not open there. Pure: the caller brings the nonce, 12 fresh
// random bytes for every sealing. A nonce used twice with one key gives both plaintexts away and
// lets others forge; random ones are safe for 2^32 sealings under one key. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge {

inline constexpr std::size_t kAesKeyBytes = 32;
inline constexpr std::size_t kAesNonceBytes = 12;
inline constexpr std::size_t kAesTagBytes = 16;

// VALIDATION_ERROR for a key or nonce of another length, or more than 1 GiB. Aborts if OpenSSL
// cannot encrypt: that is a broken installation, not an input.
[[nodiscard]] Result<std::string> aes_gcm_seal(std::string_view key, std::string_view nonce,
                                               std::string_view plaintext,
                                               std::string_view additional_data);

// The plaintext. VALIDATION_ERROR for a key of another length and for anything that was not sealed
// with this key and this additional data; which of the two was wrong cannot be told. No byte of
// plaintext leaves before the tag is checked; no message quotes key or plaintext.
[[nodiscard]] Result<std::string> aes_gcm_open(std::string_view key, std::string_view sealed,
                                               std::string_view additional_data);

}  // namespace jobforge
