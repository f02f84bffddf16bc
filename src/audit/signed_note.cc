#include "audit/signed_note.h"

#include <algorithm>
#include <charconv>

#include "base/text/base64.h"
#include "base/text/bytes.h"
#include "base/text/utf8.h"

namespace jobforge {
namespace {

constexpr char kEd25519 = '\x01';
constexpr std::size_t kKeyIdBytes = 4;
constexpr std::string_view kSignatureMark = "\xE2\x80\x94 ";  // em dash and space

Error malformed(std::string message) {
    return Error::of(ErrorCode::VALIDATION_ERROR, std::move(message));
}

Error bad_key(std::string message) {
    return Error::of(ErrorCode::INVALID_SIGNING_KEY, std::move(message));
}

std::string big_endian(std::uint32_t number) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>((number >> shift) & 0xFF);
    }
    return bytes;
}

// Precondition: at least four bytes.
std::uint32_t from_big_endian(std::string_view bytes) noexcept {
    std::uint32_t number = 0;
    for (const char c : bytes.substr(0, kKeyIdBytes)) {
        number = (number << 8) | static_cast<unsigned char>(c);
    }
    return number;
}

std::string key_id_hex(std::uint32_t id) {
    return hex_encode(big_endian(id));
}

// The white space of Unicode 15 (property White_Space) beyond ASCII: U+0085, U+00A0, U+1680,
// U+2000..200A, U+2028, U+2029, U+202F, U+205F, U+3000.
bool begins_with_wide_space(std::string_view text) noexcept {
    if (text.starts_with("\xC2\x85") || text.starts_with("\xC2\xA0") ||
        text.starts_with("\xE1\x9A\x80") || text.starts_with("\xE2\x81\x9F") ||
        text.starts_with("\xE3\x80\x80")) {
        return true;
    }
    if (!text.starts_with("\xE2\x80") || text.size() < 3) {
        return false;
    }
    const auto third = static_cast<unsigned char>(text[2]);
    return third <= 0x8A || third == 0xA8 || third == 0xA9 || third == 0xAF;
}

// UTF-8 without control characters other than line ends.
Status check_characters(std::string_view text) {
    if (utf8_first_fault(text) != std::string_view::npos) {
        return malformed("a signed note is UTF-8 text");
    }
    const bool control = std::ranges::any_of(
        text, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n'; });
    if (control) {
        return malformed("a signed note has no control characters but line ends");
    }
    return ok_status();
}

// One signature line without its line end.
Result<NoteSignature> parse_signature_line(std::string_view line) {
    if (!line.starts_with(kSignatureMark)) {
        return malformed("a signature line of a note begins with a dash (U+2014) and a space");
    }
    line.remove_prefix(kSignatureMark.size());
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || !is_note_key_name(line.substr(0, space))) {
        return malformed("a signature line of a note is a dash, the key's name and the signature");
    }
    const auto bytes = base64_decode(line.substr(space + 1));
    if (!bytes.ok() || bytes->size() <= kKeyIdBytes) {
        return malformed("a signature of a note is the base64 of a key id and a signature");
    }
    return NoteSignature{std::string(line.substr(0, space)), from_big_endian(*bytes),
                         bytes->substr(kKeyIdBytes)};
}

}  // namespace

bool is_note_key_name(std::string_view name) noexcept {
    if (name.empty() || utf8_first_fault(name) != std::string_view::npos) {
        return false;
    }
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto byte = static_cast<unsigned char>(name[i]);
        if (byte <= 0x20 || byte == 0x7F || byte == '+' || begins_with_wide_space(name.substr(i))) {
            return false;
        }
    }
    return true;
}

std::uint32_t note_key_id(std::string_view key_name, const Ed25519PublicKey& key) {
    std::string text(key_name);
    text += '\n';
    text += kEd25519;
    text += bytes_of(key.bytes());
    return from_big_endian(bytes_of(sha256(text)));
}

std::string note_verifier_key(std::string_view key_name, const Ed25519PublicKey& key) {
    std::string typed(1, kEd25519);
    typed += bytes_of(key.bytes());
    std::string text(key_name);
    text += '+';
    text += key_id_hex(note_key_id(key_name, key));
    text += '+';
    text += base64_encode(typed);
    return text;
}

Result<NoteVerifierKey> parse_note_verifier_key(std::string_view text) {
    const std::size_t first = text.find('+');
    const std::size_t second =
        first == std::string_view::npos ? first : text.find('+', first + 1);  // base64 has more
    if (second == std::string_view::npos || !is_note_key_name(text.substr(0, first))) {
        return bad_key("a verifier key is written <name>+<key id>+<base64>");
    }
    const std::string_view name = text.substr(0, first);
    const auto typed = base64_decode(text.substr(second + 1));
    if (!typed.ok() || typed->empty() || typed->front() != kEd25519) {
        return bad_key("this verifier key is not an Ed25519 key in base64");
    }
    auto key = Ed25519PublicKey::from_bytes(std::string_view(*typed).substr(1));
    if (!key.ok()) {
        return std::move(key).error();
    }
    if (key_id_hex(note_key_id(name, *key)) != text.substr(first + 1, second - first - 1)) {
        return bad_key("the id in this verifier key belongs to another name or key");
    }
    return NoteVerifierKey{std::string(name), *key};
}

Result<std::string> sign_note(std::string_view text, std::string_view key_name,
                              const Ed25519PrivateKey& key) {
    if (!is_note_key_name(key_name)) {
        return malformed("a note's key name is UTF-8 without white space and plus signs");
    }
    if (!text.ends_with('\n')) {
        return malformed("a note's text ends in a line end");
    }
    if (auto checked = check_characters(text); !checked.ok()) {
        return std::move(checked).error();
    }
    std::string signature = big_endian(note_key_id(key_name, key.public_key()));
    signature += bytes_of(key.sign(text));
    std::string note(text);
    note += '\n';
    note += kSignatureMark;
    note += key_name;
    note += ' ';
    note += base64_encode(signature);
    note += '\n';
    return note;
}

Result<SignedNote> parse_signed_note(std::string_view note) {
    if (note.size() > kMaximumNoteBytes) {
        return malformed("this is too long to be a signed note");
    }
    if (auto checked = check_characters(note); !checked.ok()) {
        return std::move(checked).error();
    }
    // The last empty line separates text and signatures: the text may have empty lines itself.
    const std::size_t blank = note.rfind("\n\n");
    if (blank == std::string_view::npos || !note.ends_with('\n')) {
        return malformed("a signed note is text, an empty line and lines of signatures");
    }
    SignedNote parsed;
    parsed.text = note.substr(0, blank + 1);
    std::string_view lines = note.substr(blank + 2);
    while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        auto signature = parse_signature_line(lines.substr(0, end));
        if (!signature.ok()) {
            return std::move(signature).error();
        }
        parsed.signatures.push_back(std::move(*signature));
        if (parsed.signatures.size() > kMaximumNoteSignatures) {
            return malformed("a signed note has 100 signatures at most");
        }
        lines.remove_prefix(end + 1);
    }
    if (parsed.signatures.empty()) {
        return malformed("this note has no signature");
    }
    return parsed;
}

Status verify_note(const SignedNote& note, std::string_view key_name,
                   std::span<const Ed25519PublicKey> keys) {
    bool verified = false;
    for (const NoteSignature& signature : note.signatures) {
        if (signature.key_name != key_name) {
            continue;
        }
        for (const Ed25519PublicKey& key : keys) {
            if (signature.key_id != note_key_id(key_name, key)) {
                continue;
            }
            if (auto checked = key.verify(note.text, signature.signature); !checked.ok()) {
                return std::move(checked).error();
            }
            verified = true;
        }
    }
    if (!verified) {
        return Error::of(ErrorCode::SIGNATURE_INVALID,
                         "none of the trusted keys signed this note as " + std::string(key_name));
    }
    return ok_status();
}

std::string checkpoint_text(const Checkpoint& checkpoint) {
    return checkpoint.origin + "\n" + std::to_string(checkpoint.tree_size) + "\n" +
           base64_encode(bytes_of(checkpoint.root_hash)) + "\n";
}

Result<Checkpoint> parse_checkpoint_text(std::string_view text) {
    const std::size_t first = text.find('\n');
    const std::size_t second = first == std::string_view::npos ? first : text.find('\n', first + 1);
    if (second == std::string_view::npos || first == 0 || !text.ends_with('\n') ||
        text.find('\n', second + 1) != text.size() - 1) {
        return malformed("a checkpoint has three lines: origin, tree size and root hash");
    }
    Checkpoint checkpoint;
    checkpoint.origin = text.substr(0, first);
    const std::string_view size = text.substr(first + 1, second - first - 1);
    const auto read = std::from_chars(size.data(), size.data() + size.size(), checkpoint.tree_size);
    if (read.ec != std::errc{} || std::to_string(checkpoint.tree_size) != size) {
        return malformed("the tree size of a checkpoint is a whole number without leading zeros");
    }
    const auto root = base64_decode(text.substr(second + 1, text.size() - second - 2));
    if (!root.ok() || root->size() != checkpoint.root_hash.size()) {
        return malformed("the root hash of a checkpoint is the base64 of 32 bytes");
    }
    std::ranges::copy(*root, checkpoint.root_hash.begin());
    return checkpoint;
}

Result<std::string> sign_checkpoint(const Checkpoint& checkpoint, const Ed25519PrivateKey& key) {
    return sign_note(checkpoint_text(checkpoint), checkpoint.origin, key);
}

Result<Checkpoint> open_checkpoint(std::string_view note, std::string_view origin,
                                   std::span<const Ed25519PublicKey> keys) {
    const auto parsed = parse_signed_note(note);
    if (!parsed.ok()) {
        return parsed.error();
    }
    if (auto verified = verify_note(*parsed, origin, keys); !verified.ok()) {
        return std::move(verified).error();
    }
    auto checkpoint = parse_checkpoint_text(parsed->text);
    if (checkpoint.ok() && checkpoint->origin != origin) {
        return Error::of(ErrorCode::SIGNATURE_INVALID,
                         "this checkpoint is of another log: " + checkpoint->origin + ", not " +
                             std::string(origin));
    }
    return checkpoint;
}

}  // namespace jobforge
