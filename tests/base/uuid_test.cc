#include <jobforge/uuid.h>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <unordered_set>

namespace jobforge {
namespace {

TEST(Uuid, version_7_matches_the_example_of_rfc_9562) {
    // Appendix A.6: unix_ts_ms 0x017F22E279B0, rand_a 0xCC3, rand_b 0x18C4DC0C0C07398F.
    const Uuid id =
        Uuid::v7(0x017F22E279B0, {0x0C, 0xC3, 0x18, 0xC4, 0xDC, 0x0C, 0x0C, 0x07, 0x39, 0x8F});
    EXPECT_EQ(id.to_string(), "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
}

TEST(Uuid, version_7_overwrites_random_bits_where_version_and_variant_are) {
    std::array<std::uint8_t, 10> ones{};
    ones.fill(0xFF);
    EXPECT_EQ(Uuid::v7(0, ones).to_string(), "00000000-0000-7fff-bfff-ffffffffffff");
    EXPECT_EQ(Uuid::v7(0, {}).to_string(), "00000000-0000-7000-8000-000000000000");
}

TEST(Uuid, version_7_ids_sort_by_time) {
    EXPECT_LT(Uuid::v7(1'000, {0xFF}), Uuid::v7(1'001, {}));
    EXPECT_LT(Uuid::v7(1'000, {0xFF}).to_string(), Uuid::v7(1'001, {}).to_string());
}

TEST(Uuid, is_read_in_either_case_and_written_in_lower_case) {
    const Result<Uuid> id = Uuid::parse("F81D4FAE-7DEC-11d0-A765-00A0C91E6BF6");
    ASSERT_TRUE(id.ok());
    EXPECT_EQ(id->to_string(), "f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
    EXPECT_EQ(id->bytes[0], 0xF8);
    EXPECT_EQ(id->bytes[15], 0xF6);
}

TEST(Uuid, refuses_every_other_form) {
    for (const std::string_view text :
         {"", "f81d4fae", "f81d4fae7dec11d0a76500a0c91e6bf6",
          "{f81d4fae-7dec-11d0-a765-00a0c91e6bf6}", " f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
          "f81d4fae-7dec-11d0-a765-00a0c91e6bf6 ", "f81d4fae-7dec-11d0-a765-00a0c91e6bf",
          "g81d4fae-7dec-11d0-a765-00a0c91e6bf6", "f81d4fae-7dec-11d0-a765-00a0c91e6bfg",
          "f81d4fae_7dec-11d0-a765-00a0c91e6bf6", "f81d4fa-e7dec-11d0-a765-00a0c91e6bf6",
          "f81d4fae-7dec-11d0-a765000a0c91e6bf6", "+81d4fae-7dec-11d0-a765-00a0c91e6bf6"}) {
        const Result<Uuid> id = Uuid::parse(text);
        ASSERT_FALSE(id.ok()) << text;
        EXPECT_EQ(id.error().code, ErrorCode::VALIDATION_ERROR);
    }
}

TEST(Uuid, only_all_zeros_is_nil) {
    EXPECT_TRUE(Uuid{}.is_nil());
    Uuid last_bit;
    last_bit.bytes[15] = 1;
    EXPECT_FALSE(last_bit.is_nil());
}

TEST(Uuid, hashes_of_neighbours_spread) {
    // Ids of one millisecond with a counting tail: the low bits choose the bucket.
    std::unordered_set<std::size_t> buckets;
    for (int i = 0; i < 256; ++i) {
        const Uuid id =
            Uuid::v7(1'700'000'000'000, {0, 0, 0, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(i)});
        buckets.insert(std::hash<Uuid>{}(id) % 1024);
    }
    EXPECT_GT(buckets.size(), 200U);  // 227 expected of a random function
}

RC_GTEST_PROP(UuidProperty, text_and_bytes_are_one_to_one, (std::array<std::uint8_t, 16> bytes)) {
    const Uuid id{bytes};
    const Result<Uuid> again = Uuid::parse(id.to_string());
    RC_ASSERT(again.ok());
    RC_ASSERT(*again == id);
}

}  // namespace
}  // namespace jobforge
