#include "base/crypto/ed25519.h"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <rapidcheck/gtest.h>

#include <type_traits>

#include "base/crypto/hash.h"
#include "base/text/base64.h"

namespace jobforge {
namespace {

std::string bytes_of(const char* hex) {
    return *hex_decode(hex);
}

template <typename Bytes>
std::string_view view(const Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Vector {
    const char* seed;
    const char* public_key;
    const char* message;
    const char* signature;
};

constexpr Vector kVectors[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
     "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
     "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
     "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
    {"833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
     "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
     "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
     "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
     "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
     "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704"},
};

// The example keys of RFC 8410, section 10.
constexpr const char* kPrivatePem =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
    "-----END PRIVATE KEY-----\n";
constexpr const char* kPublicPem =
    "-----BEGIN PUBLIC KEY-----\n"
    "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n"
    "-----END PUBLIC KEY-----\n";
constexpr const char* kSeedOfPem =
    "d4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842";

TEST(Ed25519, matches_the_vectors_of_rfc_8032) {
    for (const Vector& vector : kVectors) {
        const Result<Ed25519PrivateKey> key = Ed25519PrivateKey::from_seed(bytes_of(vector.seed));
        ASSERT_TRUE(key.ok());
        EXPECT_EQ(hex_encode(view(key->public_key().bytes())), vector.public_key);
        const std::string message = bytes_of(vector.message);
        EXPECT_EQ(hex_encode(view(key->sign(message))), vector.signature);
        EXPECT_TRUE(key->public_key().verify(message, bytes_of(vector.signature)).ok());
    }
}

TEST(Ed25519, reads_a_seed_in_base64_and_the_pkcs_8_pem_of_rfc_8410) {
    const Result<Ed25519PrivateKey> pem = Ed25519PrivateKey::parse(kPrivatePem);
    ASSERT_TRUE(pem.ok());
    const Result<Ed25519PrivateKey> seed =
        Ed25519PrivateKey::parse(" " + base64_encode(bytes_of(kSeedOfPem)) + "\r\n");
    ASSERT_TRUE(seed.ok());
    EXPECT_EQ(seed->public_key(), pem->public_key());
    EXPECT_EQ(seed->sign("text"), pem->sign("text"));
}

TEST(Ed25519, reads_a_public_key_in_base64_hex_and_pem) {
    const Result<Ed25519PublicKey> pem = Ed25519PublicKey::parse(kPublicPem);
    ASSERT_TRUE(pem.ok());
    EXPECT_EQ(*pem, Ed25519PrivateKey::parse(kPrivatePem)->public_key());
    EXPECT_EQ(pem->base64(), "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=");
    EXPECT_EQ(*Ed25519PublicKey::parse(pem->base64() + "\n"), *pem);
    EXPECT_EQ(*Ed25519PublicKey::parse("\t" + hex_encode(view(pem->bytes()))), *pem);
}

TEST(Ed25519, refuses_what_is_no_private_key_without_quoting_it) {
    const std::string secret = base64_encode(bytes_of(kSeedOfPem));
    const std::string texts[] = {
        "",
        " \n",
        "no key",
        secret.substr(1),
        secret.substr(0, 40),
        base64_encode(std::string(31, 'x')),
        base64_encode(std::string(33, 'x')),
        base64_encode(std::string(64, 'x')),
        kSeedOfPem,  // hex: 48 bytes when taken for base64
        kPublicPem,
        std::string(kPrivatePem).substr(0, 60),
        "-----BEGIN PRIVATE KEY-----\n" + secret + "\n-----END PRIVATE KEY-----\n",
    };
    for (const std::string& text : texts) {
        const Result<Ed25519PrivateKey> key = Ed25519PrivateKey::parse(text);
        ASSERT_FALSE(key.ok()) << text;
        EXPECT_EQ(key.error().code, ErrorCode::INVALID_SIGNING_KEY);
        EXPECT_EQ(key.error().message.find(secret.substr(1, 20)), std::string::npos);
    }
}

// openssl genpkey -algorithm x25519, and the seed above as openssl pkcs8 -topk8 -passout pass:x.
constexpr const char* kX25519Pem =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VuBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n"
    "-----END PRIVATE KEY-----\n";
constexpr const char* kEncryptedPem =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
    "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhSoKr++6wrqgICCAAw\n"
    "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEHcehfFninZfS1Eq8wa0j4oEQC1j\n"
    "UnUUkgdieMVdL+APaYUvAUjh5SG9ljod1HI2S2ILt3wvHCxnRsYvB/gf8WHU69V/\n"
    "rVwkrNjn09DQLUnkRoE=\n"
    "-----END ENCRYPTED PRIVATE KEY-----\n";

TEST(Ed25519, refuses_a_key_of_another_kind) {
    const Result<Ed25519PrivateKey> key = Ed25519PrivateKey::parse(kX25519Pem);
    ASSERT_FALSE(key.ok());
    EXPECT_EQ(key.error().code, ErrorCode::INVALID_SIGNING_KEY);
}

TEST(Ed25519, refuses_a_key_with_a_password_instead_of_asking_for_it) {
    const Result<Ed25519PrivateKey> key = Ed25519PrivateKey::parse(kEncryptedPem);
    ASSERT_FALSE(key.ok());
    EXPECT_EQ(key.error().code, ErrorCode::INVALID_SIGNING_KEY);
}

TEST(Ed25519, refuses_what_is_no_public_key) {
    for (const std::string& text :
         {std::string(), std::string("no key"), base64_encode(std::string(31, 'x')),
          base64_encode(std::string(33, 'x')), std::string(63, 'a'), std::string(64, 'g'),
          std::string(kPrivatePem), std::string(kPublicPem).substr(0, 60)}) {
        const Result<Ed25519PublicKey> key = Ed25519PublicKey::parse(text);
        ASSERT_FALSE(key.ok()) << text;
        EXPECT_EQ(key.error().code, ErrorCode::INVALID_SIGNING_KEY);
    }
}

// With the neutral point as key, R = neutral and S = 0 satisfy the equation for every message.
TEST(Ed25519, refuses_public_keys_under_which_one_signature_fits_every_text) {
    for (const char* key : {"0000000000000000000000000000000000000000000000000000000000000000",
                            "0000000000000000000000000000000000000000000000000000000000000080",
                            "0100000000000000000000000000000000000000000000000000000000000000",
                            "0100000000000000000000000000000000000000000000000000000000000080",
                            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
                            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
                            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
                            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
                            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"}) {
        const Result<Ed25519PublicKey> parsed = Ed25519PublicKey::parse(key);
        ASSERT_FALSE(parsed.ok()) << key;
        EXPECT_EQ(parsed.error().code, ErrorCode::INVALID_SIGNING_KEY);
    }
}

// p + 2 to p + 18 would be second spellings of 2 to 18.
TEST(Ed25519, refuses_public_keys_with_a_coordinate_that_is_not_reduced) {
    for (int last = 0xEF; last <= 0xFF; ++last) {
        for (const char sign : {'\x7F', '\xFF'}) {
            std::string bytes(32, '\xFF');
            bytes.front() = static_cast<char>(last);
            bytes.back() = sign;
            EXPECT_FALSE(Ed25519PublicKey::from_bytes(bytes).ok()) << last;
        }
    }
    std::string reduced(32, '\xFF');
    reduced.front() = '\xEB';  // p - 2
    EXPECT_TRUE(Ed25519PublicKey::from_bytes(reduced).ok());
}

TEST(Ed25519, a_point_that_is_not_on_the_curve_verifies_nothing) {
    // y = 2 has no x on the curve.
    const Result<Ed25519PublicKey> key =
        Ed25519PublicKey::parse("0200000000000000000000000000000000000000000000000000000000000000");
    ASSERT_TRUE(key.ok());
    EXPECT_FALSE(key->verify("text", std::string(64, '\0')).ok());
}

TEST(Ed25519, refuses_signatures_of_another_length_text_or_key) {
    const Result<Ed25519PrivateKey> key = Ed25519PrivateKey::from_seed(bytes_of(kVectors[1].seed));
    const Result<Ed25519PrivateKey> other = Ed25519PrivateKey::parse(kPrivatePem);
    ASSERT_TRUE(key.ok());
    ASSERT_TRUE(other.ok());
    const std::string signature(view(key->sign("text")));
    EXPECT_TRUE(key->public_key().verify("text", signature).ok());
    const std::pair<std::string, std::string> refused[] = {
        {"texT", signature},
        {"", signature},
        {"text", ""},
        {"text", signature.substr(0, 63)},
        {"text", signature + "x"},
        {"text", signature + signature},
    };
    for (const auto& [text, bytes] : refused) {
        const Status verified = key->public_key().verify(text, bytes);
        ASSERT_FALSE(verified.ok());
        EXPECT_EQ(verified.error().code, ErrorCode::SIGNATURE_INVALID);
    }
    EXPECT_FALSE(other->public_key().verify("text", signature).ok());
}

// S and S + L satisfy the same equation (L: the group's order); only S < L may pass, or a second
// valid signature can be made from the first without the key.
TEST(Ed25519, refuses_the_second_spelling_of_a_signature) {
    const Vector& vector = kVectors[2];
    std::string signature = bytes_of(vector.signature);
    const std::string order =
        bytes_of("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    unsigned carry = 0;
    for (std::size_t i = 0; i < 32; ++i) {
        carry += static_cast<unsigned char>(signature[32 + i]);
        carry += static_cast<unsigned char>(order[i]);
        signature[32 + i] = static_cast<char>(carry & 0xFFU);
        carry >>= 8U;
    }
    ASSERT_EQ(carry, 0U);
    const Result<Ed25519PublicKey> key = Ed25519PublicKey::parse(vector.public_key);
    ASSERT_TRUE(key.ok());
    EXPECT_FALSE(key->verify(bytes_of(vector.message), signature).ok());
}

TEST(Ed25519, a_refusal_leaves_nothing_in_the_error_queue_of_openssl) {
    ERR_clear_error();
    const Result<Ed25519PublicKey> key = Ed25519PublicKey::parse(kVectors[0].public_key);
    EXPECT_FALSE(key->verify("text", std::string(64, 'x')).ok());
    EXPECT_FALSE(Ed25519PrivateKey::parse(kPublicPem).ok());
    EXPECT_FALSE(Ed25519PublicKey::parse(kPrivatePem).ok());
    EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST(Ed25519, a_private_key_is_moved_and_never_copied) {
    static_assert(!std::is_copy_constructible_v<Ed25519PrivateKey>);
    static_assert(!std::is_copy_assignable_v<Ed25519PrivateKey>);
    static_assert(std::is_nothrow_move_constructible_v<Ed25519PrivateKey>);
    Result<Ed25519PrivateKey> key = Ed25519PrivateKey::parse(kPrivatePem);
    const Ed25519Signature before = key->sign("text");
    const Ed25519PrivateKey moved = std::move(*key);
    EXPECT_EQ(moved.sign("text"), before);
}

RC_GTEST_PROP(Ed25519Property, one_changed_bit_of_the_signature_or_the_text_is_refused,
              (const std::string& text)) {
    const Result<Ed25519PrivateKey> key = Ed25519PrivateKey::parse(kPrivatePem);
    std::string signed_text = text + ".";
    std::string signature(view(key->sign(signed_text)));
    RC_ASSERT(key->public_key().verify(signed_text, signature).ok());
    const auto bit = *rc::gen::inRange<std::size_t>(0, (64 + signed_text.size()) * 8);
    const std::size_t place = bit / 8;
    char& changed = place < 64 ? signature[place] : signed_text[place - 64];
    changed = static_cast<char>(changed ^ (1 << bit % 8));
    RC_ASSERT(!key->public_key().verify(signed_text, signature).ok());
}

}  // namespace
}  // namespace jobforge
