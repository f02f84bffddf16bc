// Signed notes and log checkpoints: https://c2sp.org/signed-note and
// https://c2sp.org/tlog-checkpoint, signature type 0x01 (Ed25519) only.
//
// A note is text that ends in a line end, an empty line, and signature lines:
//
//   jobforge/0191d3a0-7c11-7000-8000-000000000001
//   2
//   +sVCA+fMaWzw38tCySodnbr3CtniIfS9jZhmLwDjwSU=
//
//   — jobforge/0191d3a0-7c11-7000-8000-000000000001 <base64 of key id and signature>
//
// A key is known by its name and its key id: the first four bytes of SHA-256(name || 0x0A || 0x01
// || public key). A note says nothing until verify_note() has accepted it. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>

#include "base/crypto/ed25519.h"
#include "base/crypto/hash.h"

namespace jobforge {

struct NoteSignature {
    std::string key_name;
    std::uint32_t key_id = 0;
    std::string signature;  // what follows the key id: 64 bytes for Ed25519
};

struct SignedNote {
    std::string text;  // ends in a line end
    std::vector<NoteSignature> signatures;
};

// Notes longer than this, or with more signatures, are refused before anything is computed.
inline constexpr std::size_t kMaximumNoteBytes = 1'000'000;
inline constexpr std::size_t kMaximumNoteSignatures = 100;

// Whether a key may have this name: UTF-8, not empty, no Unicode white space, no control, no '+'.
[[nodiscard]] bool is_note_key_name(std::string_view name) noexcept;
[[nodiscard]] std::uint32_t note_key_id(std::string_view key_name, const Ed25519PublicKey& key);

// A verifier key as one text, as Go's sumdb tools and witnesses take it:
// "<name>+<key id in 8 hex digits>+<base64 of 0x01 and the public key>".
[[nodiscard]] std::string note_verifier_key(std::string_view key_name, const Ed25519PublicKey& key);
struct NoteVerifierKey {
    std::string key_name;
    Ed25519PublicKey key;
};
// INVALID_SIGNING_KEY for another form, another key type, or an id that is not the key's.
[[nodiscard]] Result<NoteVerifierKey> parse_note_verifier_key(std::string_view text);

// The note with one signature. VALIDATION_ERROR for a name that is none, or a text that does not
// end in a line end, is not UTF-8 or has control characters.
[[nodiscard]] Result<std::string> sign_note(std::string_view text, std::string_view key_name,
                                            const Ed25519PrivateKey& key);
// The parts, unverified. VALIDATION_ERROR says what is wrong with the form.
[[nodiscard]] Result<SignedNote> parse_signed_note(std::string_view note);
// SIGNATURE_INVALID unless at least one of `keys`, under `key_name`, signed it, and no signature
// that names one of them is bad. Lines of other keys (witnesses, older keys) are passed over.
[[nodiscard]] Status verify_note(const SignedNote& note, std::string_view key_name,
                                 std::span<const Ed25519PublicKey> keys);

// The head of a log: its first `tree_size` entries have this Merkle root (core/merkle.h).
struct Checkpoint {
    std::string origin;  // which log
    std::uint64_t tree_size = 0;
    Sha256 root_hash{};
    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

// Three lines: origin, size, root in base64.
[[nodiscard]] std::string checkpoint_text(const Checkpoint& checkpoint);
// Strict: a size without leading zeros, 32 bytes of root, no extension lines (we write none, and
// what is not checked should not look signed by us). VALIDATION_ERROR.
[[nodiscard]] Result<Checkpoint> parse_checkpoint_text(std::string_view text);

// The signed note of a checkpoint; the key's name is the origin.
[[nodiscard]] Result<std::string> sign_checkpoint(const Checkpoint& checkpoint,
                                                  const Ed25519PrivateKey& key);
// The checkpoint, if one of `keys` signed it for the log `origin`: SIGNATURE_INVALID otherwise,
// VALIDATION_ERROR if it is none.
[[nodiscard]] Result<Checkpoint> open_checkpoint(std::string_view note, std::string_view origin,
                                                 std::span<const Ed25519PublicKey> keys);

}  // namespace jobforge
