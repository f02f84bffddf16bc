#include "base/crypto/hmac.h"

#include <gtest/gtest.h>

namespace jobforge {
namespace {

template <typename Digest>
std::string hex(const Digest& digest) {
    return hex_encode(
        std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
}

struct Vector {
    std::string key;
    std::string message;
    const char* sha256;
    const char* sha512;
};

std::string counting_bytes(char first, char last) {
    std::string bytes;
    for (char c = first; c <= last; ++c) {
        bytes += c;
    }
    return bytes;
}

TEST(Hmac, matches_the_vectors_of_rfc_4231) {
    const Vector vectors[] = {
        {std::string(20, '\x0b'), "Hi There",
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
         "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
         "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"},
        {"Jefe", "what do ya want for nothing?",
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
         "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
         "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"},
        {std::string(20, '\xaa'), std::string(50, '\xdd'),
         "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
         "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39"
         "bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb"},
        {counting_bytes('\x01', '\x19'), std::string(50, '\xcd'),
         "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
         "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db"
         "a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd"},
        {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
         "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
         "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"},
        {std::string(131, '\xaa'),
         "This is a test using a larger than block-size key and a larger than block-size data. The "
         "key needs to be hashed before being used by the HMAC algorithm.",
         "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
         "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944"
         "b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58"},
    };
    for (const Vector& vector : vectors) {
        EXPECT_EQ(hex(hmac_sha256(vector.key, vector.message)), vector.sha256);
        EXPECT_EQ(hex(hmac_sha512(vector.key, vector.message)), vector.sha512);
    }
}

TEST(Hmac, matches_the_truncated_vector_of_rfc_4231) {
    const std::string key(20, '\x0c');
    EXPECT_EQ(hex(hmac_sha256(key, "Test With Truncation")).substr(0, 32),
              "a3b6167473100ee06e0c796c2955552b");
    EXPECT_EQ(hex(hmac_sha512(key, "Test With Truncation")).substr(0, 32),
              "415fad6271580a531d4179bc891d87a6");
}

TEST(Hmac, takes_an_empty_key_and_an_empty_message) {
    // From Python's hmac module.
    EXPECT_EQ(hex(hmac_sha256("", "")),
              "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
    EXPECT_EQ(hex(hmac_sha256(std::string_view(), std::string_view())), hex(hmac_sha256("", "")));
    EXPECT_EQ(hex(hmac_sha512("", "")).substr(0, 32), "b936cee86c9f87aa5d3c6f2e84cb5a42");
}

TEST(EqualInConstantTime, compares_every_byte_and_the_length) {
    EXPECT_TRUE(equal_in_constant_time("", ""));
    EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
    EXPECT_FALSE(equal_in_constant_time("secret", "secre"));
    EXPECT_FALSE(equal_in_constant_time("", "s"));
    const std::string digest(32, '\x5a');
    for (std::size_t i = 0; i < digest.size(); ++i) {
        std::string other = digest;
        other[i] = '\x5b';
        EXPECT_FALSE(equal_in_constant_time(digest, other)) << i;
    }
    EXPECT_FALSE(equal_in_constant_time(std::string_view("a\0b", 3), std::string_view("a\0c", 3)));
}

}  // namespace
}  // namespace jobforge
