#include "base/crypto/aes_gcm.h"

#include <gtest/gtest.h>

#include "base/crypto/hash.h"

namespace jobforge {
namespace {

std::string bytes(std::string_view hex) {
    return hex_decode(hex).value();
}

struct Vector {
    const char* key;
    const char* nonce;
    const char* plaintext;
    const char* additional;
    const char* ciphertext;
    const char* tag;
};

constexpr const char* kZeroKey = "0000000000000000000000000000000000000000000000000000000000000000";
constexpr const char* kKey = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
constexpr const char* kNonce = "cafebabefacedbaddecaf888";

// Test cases 13 to 16 of "The Galois/Counter Mode of Operation" (McGrew, Viega), which NIST
// publishes with SP 800-38D: those with a key of 256 bits and a nonce of 96.
constexpr Vector kVectors[] = {
    {kZeroKey, "000000000000000000000000", "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {kZeroKey, "000000000000000000000000", "00000000000000000000000000000000", "",
     "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"},
    {kKey, kNonce,
     "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
     "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
     "",
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
     "b094dac5d93471bdec1a502270e3cc6c"},
    {kKey, kNonce,
     "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
     "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
     "feedfacedeadbeeffeedfacedeadbeefabaddad2",
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
};

TEST(AesGcm, seals_and_opens_the_vectors_of_nist) {
    for (const Vector& vector : kVectors) {
        const auto sealed = aes_gcm_seal(bytes(vector.key), bytes(vector.nonce),
                                         bytes(vector.plaintext), bytes(vector.additional));
        ASSERT_TRUE(sealed.ok());
        EXPECT_EQ(hex_encode(*sealed),
                  std::string("01") + vector.nonce + vector.ciphertext + vector.tag);
        const auto opened = aes_gcm_open(bytes(vector.key), *sealed, bytes(vector.additional));
        ASSERT_TRUE(opened.ok());
        EXPECT_EQ(hex_encode(*opened), vector.plaintext);
    }
}

TEST(AesGcm, seals_the_worked_example_of_the_formats_page) {
    // Made with Python's cryptography.
    const auto sealed =
        aes_gcm_seal(bytes("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
                     bytes("000102030405060708090a0b"), "whsec_example",
                     "0191d3a0-7c11-7000-8000-000000000001/0191d3a0-7c11-7000-8000-0000000000bb");
    EXPECT_EQ(hex_encode(sealed.value()),
              "01000102030405060708090a0b306aa57ea6baa763ec2ce7e7d4f701b85fe6345eda380064ce6029ea1"
              "c");
}

struct Sealed {
    std::string key = bytes(kKey);
    std::string additional = "tenant/endpoint";
    std::string plaintext = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    std::string text = aes_gcm_seal(key, bytes(kNonce), plaintext, additional).value();
};

void expect_refused(const Result<std::string>& opened) {
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, ErrorCode::VALIDATION_ERROR);
    EXPECT_EQ(opened.error().message.find("whsec_"), std::string::npos);
}

TEST(AesGcm, opens_nothing_in_which_one_bit_was_changed) {
    const Sealed sealed;
    ASSERT_EQ(aes_gcm_open(sealed.key, sealed.text, sealed.additional).value(), sealed.plaintext);
    for (std::size_t bit = 0; bit < sealed.text.size() * 8; ++bit) {
        std::string changed = sealed.text;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
        expect_refused(aes_gcm_open(sealed.key, changed, sealed.additional));
    }
}

TEST(AesGcm, opens_nothing_under_another_key_or_for_another_row) {
    const Sealed sealed;
    std::string other_key = sealed.key;
    other_key.back() = '\0';
    expect_refused(aes_gcm_open(other_key, sealed.text, sealed.additional));
    expect_refused(aes_gcm_open(sealed.key, sealed.text, "tenant/another endpoint"));
    expect_refused(aes_gcm_open(sealed.key, sealed.text, ""));
}

TEST(AesGcm, opens_nothing_that_was_cut_or_lengthened) {
    const Sealed sealed;
    for (std::size_t size = 0; size < sealed.text.size(); ++size) {
        expect_refused(aes_gcm_open(sealed.key, sealed.text.substr(0, size), sealed.additional));
    }
    expect_refused(aes_gcm_open(sealed.key, sealed.text + '\0', sealed.additional));
}

TEST(AesGcm, refuses_keys_and_nonces_of_another_length) {
    const Sealed sealed;
    for (const std::size_t size : {0U, 16U, 31U, 33U}) {
        expect_refused(aes_gcm_open(std::string(size, 'k'), sealed.text, sealed.additional));
        expect_refused(aes_gcm_seal(std::string(size, 'k'), bytes(kNonce), "text", ""));
    }
    for (const std::size_t size : {0U, 8U, 11U, 13U, 16U}) {
        expect_refused(aes_gcm_seal(sealed.key, std::string(size, 'n'), "text", ""));
    }
}

}  // namespace
}  // namespace jobforge
