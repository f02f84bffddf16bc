#include <gtest/gtest.h>

#include "workloads/passport/rules_cache.h"

namespace jobforge::workloads {
namespace {

std::string package(int number) {
    return "field a.number: Int = " + std::to_string(number) + ";\n";
}

TEST(RulesCache, checks_a_source_once) {
    RulesCache cache;
    const auto first = cache.get(package(1));
    ASSERT_TRUE(first.ok()) << first.error().describe();
    EXPECT_EQ(*cache.get(package(1)), *first);
    EXPECT_NE(*cache.get(package(2)), *first);
}

TEST(RulesCache, forgets_what_was_used_longest_ago) {
    RulesCache cache(2);
    const auto first = *cache.get(package(1));
    const auto second = *cache.get(package(2));
    EXPECT_EQ(*cache.get(package(1)), first);  // now the second is the older one
    (void)cache.get(package(3));
    EXPECT_EQ(*cache.get(package(1)), first);
    EXPECT_NE(*cache.get(package(2)), second);
}

TEST(RulesCache, reports_errors_and_does_not_keep_them_as_packages) {
    RulesCache cache;
    for (int again = 0; again < 2; ++again) {
        const auto bad = cache.get("field a: Int = \"text\";\n");
        ASSERT_FALSE(bad.ok());
        EXPECT_EQ(bad.error().code, ErrorCode::RULE_TYPE_ERROR);
    }
}

}  // namespace
}  // namespace jobforge::workloads
