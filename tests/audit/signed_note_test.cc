#include "audit/signed_note.h"

#include <gtest/gtest.h>

#include "base/text/base64.h"

namespace jobforge {
namespace {

// The note, and both keys, of golang.org/x/mod/sumdb/note.
constexpr std::string_view kGoVerifierKey =
    "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
constexpr std::string_view kGoSecret = "AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
constexpr std::string_view kGoText =
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n";
constexpr std::string_view kGoNote =
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "— PeterNeumann "
    "x08go/ZJkuBS9UG/"
    "SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
// Of the same package's tests; it signed nothing here.
constexpr std::string_view kOtherVerifierKey =
    "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop";
// The example of c2sp.org/tlog-checkpoint.
constexpr std::string_view kSofa =
    "example.com/behind-the-sofa\n"
    "20852163\n"
    "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    "\n"
    "— example.com/behind-the-sofa "
    "Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/"
    "Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n";

constexpr std::string_view kOrigin = "jobforge/0191d3a0-7c11-7000-8000-000000000001";

Ed25519PrivateKey go_key() {
    return Ed25519PrivateKey::from_seed(base64_decode(kGoSecret).value().substr(1)).value();
}

Ed25519PrivateKey key_of(char c) {
    return Ed25519PrivateKey::from_seed(std::string(32, c)).value();
}

Checkpoint sample_checkpoint() {
    return {std::string(kOrigin), 2, sha256("two events")};
}

ErrorCode refusal(const auto& result) {
    EXPECT_FALSE(result.ok());
    return result.ok() ? ErrorCode::INTERNAL_ERROR : result.error().code;
}

TEST(SignedNote, makes_the_note_of_the_go_implementation_byte_for_byte) {
    EXPECT_EQ(sign_note(kGoText, "PeterNeumann", go_key()).value(), kGoNote);
}

TEST(SignedNote, verifies_the_note_of_the_go_implementation) {
    const auto verifier = parse_note_verifier_key(kGoVerifierKey).value();
    EXPECT_EQ(verifier.key_name, "PeterNeumann");
    EXPECT_EQ(verifier.key, go_key().public_key());
    EXPECT_EQ(note_key_id("PeterNeumann", verifier.key), 0xc74f20a3U);
    EXPECT_EQ(note_verifier_key("PeterNeumann", verifier.key), kGoVerifierKey);
    const auto note = parse_signed_note(kGoNote).value();
    EXPECT_EQ(note.text, kGoText);
    EXPECT_TRUE(verify_note(note, "PeterNeumann", {&verifier.key, 1}).ok());
}

TEST(SignedNote, passes_over_keys_it_does_not_know_but_needs_one_it_knows) {
    const auto other = parse_note_verifier_key(kOtherVerifierKey).value();
    const auto note = parse_signed_note(kGoNote).value();
    EXPECT_EQ(refusal(verify_note(note, "EnochRoot", {&other.key, 1})),
              ErrorCode::SIGNATURE_INVALID);
    EXPECT_EQ(refusal(verify_note(note, "PeterNeumann", {})), ErrorCode::SIGNATURE_INVALID);
    // The right key under another name has another id: it is another key.
    const auto peter = go_key().public_key();
    EXPECT_EQ(refusal(verify_note(note, "Peter", {&peter, 1})), ErrorCode::SIGNATURE_INVALID);
    const std::string two_lines =
        std::string(kGoNote) + "— witness.example/w " + base64_encode("1234signature") + "\n";
    const Ed25519PublicKey keys[] = {other.key, peter};
    EXPECT_TRUE(verify_note(parse_signed_note(two_lines).value(), "PeterNeumann", keys).ok());
}

TEST(SignedNote, one_bad_signature_of_a_known_key_spoils_the_note) {
    auto note = parse_signed_note(kGoNote).value();
    note.signatures.push_back(note.signatures.front());
    note.signatures.back().signature[0] ^= 0x01;
    const auto peter = go_key().public_key();
    EXPECT_EQ(refusal(verify_note(note, "PeterNeumann", {&peter, 1})),
              ErrorCode::SIGNATURE_INVALID);
}

TEST(SignedNote, no_byte_of_a_note_can_be_changed) {
    const auto key = go_key().public_key();
    for (std::size_t at = 0; at < kGoNote.size(); ++at) {
        std::string changed(kGoNote);
        changed[at] = static_cast<char>(changed[at] ^ 0x01);
        const auto note = parse_signed_note(changed);
        EXPECT_FALSE(note.ok() && verify_note(*note, "PeterNeumann", {&key, 1}).ok()) << at;
    }
}

TEST(SignedNote, the_last_empty_line_separates_text_and_signatures) {
    const std::string text = "first\n\nsecond\n\n\nthird\n";
    const auto note = parse_signed_note(sign_note(text, "k", key_of('k')).value()).value();
    EXPECT_EQ(note.text, text);
    EXPECT_EQ(note.signatures.size(), 1U);
}

TEST(SignedNote, refuses_what_is_no_note) {
    const std::string good(kGoNote);
    const std::string line = good.substr(good.find("\n\n") + 2);
    const std::string cases[] = {
        "",
        "text\n",
        "text\n\n",
        "\n\n",
        good.substr(0, good.size() - 1),
        good + "\n",
        good + "no signature\n",
        "text\n\n- PeterNeumann AAAAAAAA\n",
        "text\n\n— PeterNeumann\n",
        "text\n\n—  AAAAAAAA\n",
        "text\n\n— PeterNeumann AAAA\n",
        "text\n\n— Peter+Neumann AAAAAAAA\n",
        "text\n\n— PeterNeumann AAAAAAA\n",
        "te\txt\n\n" + line,
        "te\rxt\n\n" + line,
        std::string("te\0xt\n\n", 7) + line,
        "te\xFFxt\n\n" + line,
        std::string(kMaximumNoteBytes, 'x') + "\n\n" + line,
    };
    for (const std::string& note : cases) {
        EXPECT_EQ(refusal(parse_signed_note(note)), ErrorCode::VALIDATION_ERROR)
            << note.substr(0, 80);
    }
    std::string many = "text\n\n";
    for (std::size_t i = 0; i < kMaximumNoteSignatures; ++i) {
        many += line;
    }
    EXPECT_TRUE(parse_signed_note(many).ok());
    EXPECT_FALSE(parse_signed_note(many + line).ok());
}

TEST(SignedNote, signs_only_what_can_be_read_back) {
    const auto key = key_of('k');
    for (const std::string_view text : {"", "no line end", "tab\t\n", "bad \xC3\n"}) {
        EXPECT_FALSE(sign_note(text, "name", key).ok()) << text;
    }
    for (const std::string_view name :
         {"", "two words", "a+b", "a\nb",
          "a\xC2\xA0"
          "b",
          "a\xE2\x80\x83"
          "b",
          "a\xE3\x80\x80", "a\xE1\x9A\x80", "a\xE2\x80\xA8", "\xFF", "a\x7F"}) {
        EXPECT_FALSE(is_note_key_name(name)) << name;
        EXPECT_FALSE(sign_note("text\n", name, key).ok()) << name;
    }
    for (const std::string_view name : {"jobforge/1", "größe",
                                        "a\xE2\x80\x94"
                                        "b",
                                        "日本"}) {
        EXPECT_TRUE(is_note_key_name(name)) << name;
    }
}

TEST(NoteVerifierKey, refuses_other_forms_types_and_ids) {
    for (const std::string_view text :
         {"", "PeterNeumann", "PeterNeumann+c74f20a3",
          "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
          "Peter+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
          "PeterNeumann+c74f20a3+Ahpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
          "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy",
          "PeterNeumann+c74f20a3+", "+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"}) {
        EXPECT_EQ(refusal(parse_note_verifier_key(text)), ErrorCode::INVALID_SIGNING_KEY) << text;
    }
}

TEST(Checkpoint, reads_the_example_of_the_specification) {
    const auto note = parse_signed_note(kSofa).value();
    const auto checkpoint = parse_checkpoint_text(note.text).value();
    EXPECT_EQ(checkpoint.origin, "example.com/behind-the-sofa");
    EXPECT_EQ(checkpoint.tree_size, 20852163U);
    EXPECT_EQ(hex_encode(checkpoint.root_hash),
              "0ac5186a91863e8e1d90c808014aa89bf5da8e3ee1d9f07630f0378f68f1ab62");
    EXPECT_EQ(checkpoint_text(checkpoint), note.text);
}

TEST(Checkpoint, is_signed_under_its_origin_and_opens_with_any_of_the_trusted_keys) {
    const auto old_key = key_of('o');
    const auto new_key = key_of('n');
    const auto note = sign_checkpoint(sample_checkpoint(), old_key).value();
    const Ed25519PublicKey keys[] = {new_key.public_key(), old_key.public_key()};
    EXPECT_EQ(open_checkpoint(note, kOrigin, keys).value(), sample_checkpoint());
    EXPECT_EQ(refusal(open_checkpoint(note, kOrigin, {keys, 1})), ErrorCode::SIGNATURE_INVALID);
}

TEST(Checkpoint, of_another_log_does_not_open) {
    const auto key = key_of('k');
    const auto public_key = key.public_key();
    const auto note = sign_checkpoint(sample_checkpoint(), key).value();
    EXPECT_EQ(refusal(open_checkpoint(note, "jobforge/another", {&public_key, 1})),
              ErrorCode::SIGNATURE_INVALID);
    // Signed under the right name, but about another log.
    Checkpoint foreign = sample_checkpoint();
    foreign.origin = "jobforge/another";
    const auto mixed = sign_note(checkpoint_text(foreign), kOrigin, key).value();
    EXPECT_EQ(refusal(open_checkpoint(mixed, kOrigin, {&public_key, 1})),
              ErrorCode::SIGNATURE_INVALID);
}

TEST(Checkpoint, refuses_every_other_spelling) {
    const std::string root = base64_encode(std::string(32, 'r'));
    EXPECT_TRUE(parse_checkpoint_text("o\n0\n" + root + "\n").ok());
    EXPECT_TRUE(parse_checkpoint_text("o\n18446744073709551615\n" + root + "\n").ok());
    const std::string cases[] = {
        "",
        "o\n",
        "o\n1\n",
        "o\n1\n" + root,
        "\n1\n" + root + "\n",
        "o\n01\n" + root + "\n",
        "o\n+1\n" + root + "\n",
        "o\n-1\n" + root + "\n",
        "o\n1 \n" + root + "\n",
        "o\n\n" + root + "\n",
        "o\n18446744073709551616\n" + root + "\n",
        "o\n1\n" + base64_encode(std::string(31, 'r')) + "\n",
        "o\n1\n" + root.substr(0, root.size() - 1) + "\n",
        "o\n1\n" + root + "\nextension\n",
        "o\n1\n" + root + "\n\n",
    };
    for (const std::string& text : cases) {
        EXPECT_EQ(refusal(parse_checkpoint_text(text)), ErrorCode::VALIDATION_ERROR) << text;
    }
    const auto extended = parse_checkpoint_text("o\n1\n" + root + "\nextension\n");
    EXPECT_NE(extended.error().message.find("three lines"), std::string::npos);
}

}  // namespace
}  // namespace jobforge
