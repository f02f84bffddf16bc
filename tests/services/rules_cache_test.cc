#include <gtest/gtest.h>

#include "base/crypto/hash.h"
#include "services/passport/rules_cache.h"

namespace jobforge::services {
namespace {

std::string package(int number) {
    return "field a.number: Int = " + std::to_string(number) + ";\n";
}

std::string digest(const std::string& text) {
    return *hex_decode(sha256_hex(text));
}

std::shared_ptr<const CachedRules> find(RulesCache& cache, const std::string& rules,
                                        const std::string& tests = "") {
    return cache.find(digest(rules), digest(tests));
}

TEST(RulesCache, finds_what_was_added_by_the_hashes_of_both_sources) {
    RulesCache cache;
    EXPECT_EQ(find(cache, package(1), "tests"), nullptr);
    const auto added = cache.add(package(1), "tests");
    ASSERT_TRUE(added.ok()) << added.error().describe();
    EXPECT_EQ(find(cache, package(1), "tests"), *added);
    EXPECT_EQ((*added)->dsl_source, package(1));
    EXPECT_EQ((*added)->tests_source, "tests");
    ASSERT_NE((*added)->package, nullptr);
    EXPECT_EQ(find(cache, package(1), "others"), nullptr);
    EXPECT_EQ(find(cache, package(2), "tests"), nullptr);
}

TEST(RulesCache, forgets_what_was_used_longest_ago) {
    RulesCache cache(2);
    ASSERT_TRUE(cache.add(package(1), "").ok());
    ASSERT_TRUE(cache.add(package(2), "").ok());
    EXPECT_NE(find(cache, package(1)), nullptr);  // now the second is the older one
    ASSERT_TRUE(cache.add(package(3), "").ok());
    EXPECT_NE(find(cache, package(1)), nullptr);
    EXPECT_EQ(find(cache, package(2)), nullptr);
}

TEST(RulesCache, reports_errors_and_keeps_nothing_of_them) {
    RulesCache cache;
    const std::string wrong = "field a: Int = \"text\";\n";
    const auto bad = cache.add(wrong, "");
    ASSERT_FALSE(bad.ok());
    EXPECT_EQ(bad.error().code, ErrorCode::RULE_TYPE_ERROR);
    EXPECT_EQ(find(cache, wrong), nullptr);
}

}  // namespace
}  // namespace jobforge::services
