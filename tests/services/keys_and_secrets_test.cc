// Signing keys, the master key's box, and the files they come from.
#include <sys/stat.h>

#include <fstream>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/secrets/secret_box.h"
#include "services/secrets/secret_file.h"
#include "services/secrets/signing_keys.h"
#include "temp_dir.h"

namespace jobforge::services {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kSeed[] = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
constexpr char kOtherSeed[] = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";

Uuid id(char digit) {
    return *Uuid::parse("00000000-0000-4000-8000-00000000000" + std::string(1, digit));
}

TEST(SigningKeys, finds_a_key_by_its_id_and_no_other) {
    SigningKeys keys;
    ASSERT_TRUE(keys.add("key-2026", kSeed).ok());
    ASSERT_NE(keys.find("key-2026"), nullptr);
    EXPECT_EQ(keys.find("key-2025"), nullptr);
    EXPECT_FALSE(keys.empty());
}

TEST(SigningKeys, refuses_a_second_key_of_the_same_id_and_odd_ids) {
    SigningKeys keys;
    ASSERT_TRUE(keys.add("a", kSeed).ok());
    EXPECT_EQ(keys.add("a", kOtherSeed).error().code, ErrorCode::VALIDATION_ERROR);
    EXPECT_EQ(keys.add("", kSeed).error().code, ErrorCode::VALIDATION_ERROR);
    EXPECT_EQ(keys.add("../a", kSeed).error().code, ErrorCode::VALIDATION_ERROR);
    EXPECT_EQ(keys.add(std::string(101, 'a'), kSeed).error().code, ErrorCode::VALIDATION_ERROR);
}

TEST(SigningKeys, never_shows_the_text_of_a_bad_key) {
    SigningKeys keys;
    const auto added = keys.add("a", "c2VjcmV0IHRleHQ=");
    ASSERT_FALSE(added.ok());
    EXPECT_EQ(added.error().code, ErrorCode::INVALID_SIGNING_KEY);
    EXPECT_THAT(added.error().describe(), Not(HasSubstr("c2VjcmV0")));
}

TEST(SigningKeys, reads_a_directory_of_keys_for_rotation) {
    const test::TempDir directory;
    std::ofstream(directory.path() + "/old.key") << kSeed << "\n";
    std::ofstream(directory.path() + "/new") << kOtherSeed;
    std::ofstream(directory.path() + "/old.key.pub") << "public";
    std::ofstream(directory.path() + "/.hidden") << "not a key";
    SigningKeys keys;
    const auto added = keys.add_directory(directory.path());
    ASSERT_TRUE(added.ok()) << added.error().describe();
    EXPECT_NE(keys.find("old"), nullptr);
    EXPECT_NE(keys.find("new"), nullptr);
    EXPECT_EQ(keys.find(".hidden"), nullptr);
}

TEST(SigningKeys, names_the_file_whose_key_is_bad_and_the_directory_that_is_missing) {
    const test::TempDir directory;
    std::ofstream(directory.path() + "/bad.key") << "nonsense";
    SigningKeys keys;
    EXPECT_THAT(keys.add_directory(directory.path()).error().message, HasSubstr("bad.key"));
    const auto missing = keys.add_directory(directory.path() + "/gone");
    EXPECT_EQ(missing.error().code, ErrorCode::CONFIG_MISSING);
}

TEST(SigningKeys, makes_a_key_once_readable_by_its_owner_only) {
    const test::TempDir directory;
    const std::string file = directory.path() + "/dev.key";
    SigningKeys first;
    SigningKeys second;
    ASSERT_TRUE(first.add_or_make("dev", file).ok());
    ASSERT_TRUE(second.add_or_make("dev", file).ok());
    EXPECT_EQ(first.find("dev")->public_key(), second.find("dev")->public_key());
    struct stat status{};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(SecretFile, gives_all_who_make_it_at_once_the_same_secret) {
    const test::TempDir directory;
    std::vector<std::string> seen(8);
    {
        std::vector<std::jthread> makers;
        for (std::string& one : seen) {
            makers.emplace_back([&one, &directory] {
                const auto made = read_or_make_secret(directory.path() + "/secret");
                one = made.ok() ? *made : made.error().describe();
            });
        }
    }
    for (const std::string& one : seen) {
        EXPECT_EQ(one, seen.front());
        EXPECT_EQ(one.size(), 45U) << one;
    }
}

TEST(SecretBox, opens_only_what_was_sealed_for_the_same_tenant_and_owner) {
    const auto box = SecretBox::from_base64(std::string(" ") + kSeed + "\n");
    ASSERT_TRUE(box.ok());
    const auto sealed = box->seal("whsec_planted", id('1'), id('2'));
    ASSERT_TRUE(sealed.ok());
    EXPECT_THAT(*sealed, Not(HasSubstr("planted")));
    EXPECT_EQ(*box->open(*sealed, id('1'), id('2')), "whsec_planted");
    EXPECT_EQ(box->open(*sealed, id('3'), id('2')).error().code, ErrorCode::SECRET_NOT_FOUND);
    EXPECT_EQ(box->open(*sealed, id('1'), id('3')).error().code, ErrorCode::SECRET_NOT_FOUND);
}

TEST(SecretBox, does_not_open_with_another_master_key_or_after_a_change) {
    const auto box = SecretBox::from_base64(kSeed);
    const auto other = SecretBox::from_base64(kOtherSeed);
    std::string sealed = *box->seal("whsec_planted", id('1'), id('2'));
    EXPECT_FALSE(other->open(sealed, id('1'), id('2')).ok());
    sealed.back() = static_cast<char>(sealed.back() ^ 1);
    EXPECT_FALSE(box->open(sealed, id('1'), id('2')).ok());
}

TEST(SecretBox, seals_the_same_secret_differently_each_time) {
    const auto box = SecretBox::from_base64(kSeed);
    EXPECT_NE(*box->seal("same", id('1'), id('2')), *box->seal("same", id('1'), id('2')));
}

TEST(SecretBox, refuses_a_master_key_that_is_not_32_bytes) {
    EXPECT_EQ(SecretBox::from_base64("c2hvcnQ=").error().code, ErrorCode::CONFIG_MISSING);
    EXPECT_EQ(SecretBox::from_base64("?").error().code, ErrorCode::CONFIG_MISSING);
    EXPECT_EQ(SecretBox::from_base64("").error().code, ErrorCode::CONFIG_MISSING);
}

}  // namespace
}  // namespace jobforge::services
