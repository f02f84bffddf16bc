// a + b + c + ... is one level of nesting, however long: it parses, checks, formats, evaluates,
// proves and is thrown away on a small stack.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

#include "rules/eval/explain.h"
#include "rules_fixture.h"
#include "rules_support.h"
#include "verify/check_proof.h"

namespace jobforge::rules {
namespace {

constexpr std::size_t kSmallStack = std::size_t{256} << 10;

void on_small_stack(std::function<void()> work) {
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, kSmallStack), 0);
    pthread_t thread{};
    const auto body = [](void* argument) -> void* {
        (*static_cast<std::function<void()>*>(argument))();
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, body, &work), 0);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
    ASSERT_EQ(pthread_attr_destroy(&attributes), 0);
}

std::string chain(const std::string& term, const std::string& op, std::size_t terms) {
    std::string text = term;
    for (std::size_t i = 1; i < terms; ++i) text += " " + op + " " + term;
    return text;
}

TEST(LongChain, two_hundred_and_one_operators_are_not_nesting) {
    EXPECT_EQ(value_of("Int", chain("1", "+", 202)), "202");
    EXPECT_EQ(value_of("Int", "1000 - " + chain("1", "-", 202)), "798");
    EXPECT_EQ(value_of("Int", chain("1", "*", 5000)), "1");
    EXPECT_EQ(value_of("Bool", chain("true", "&&", 5000)), "true");
    EXPECT_EQ(value_of("Bool", chain("false", "||", 5000) + " || true"), "true");
    EXPECT_EQ(value_of("Text", chain("\"ab\"", "+", 300)).size(), 602U);
    EXPECT_EQ(value_of("Bool", chain("1", "*", 300) + " + " + chain("1", "+", 300) + " == 301 && " +
                                   chain("true", "&&", 300)),
              "true");
}

TEST(LongChain, ends_at_the_first_that_decides) {
    EXPECT_EQ(value_of("Bool", "false && " + chain("1 / 0.0 > 1", "&&", 300)), "false");
    EXPECT_EQ(value_of("Dec(6)", chain("1.0", "/", 300) + " / 0.0").substr(0, 16),
              "DIVISION_BY_ZERO");
}

TEST(LongChain, brackets_are_nesting_as_before) {
    const auto nested = [](std::size_t levels) {
        std::string text = "1";
        for (std::size_t i = 0; i < levels; ++i) text = "(" + text + " + 1)";
        return "field x: Int = " + text + ";";
    };
    EXPECT_EQ(errors_of(nested(150)), "");
    EXPECT_NE(errors_of(nested(250)).find("deeper than 200"), std::string::npos);
}

TEST(LongChain, a_wrong_operand_is_found_in_the_middle_of_one) {
    const std::string errors = errors_of("field x: Int = " + chain("1", "+", 300) + " + \"a\" + " +
                                         chain("1", "+", 300) + ";");
    EXPECT_NE(errors.find("Int and Text cannot be added"), std::string::npos) << errors;
}

TEST(LongChain, is_formatted_and_read_back) {
    const std::string source = "field x: Int = " + chain("1", "+", 300) + ";\n";
    const std::string once = formatted(source);
    EXPECT_EQ(formatted(once), once);
    EXPECT_TRUE(same_meaning(source, once));
    EXPECT_FALSE(same_meaning(source, "field x: Int = 2 + " + chain("1", "+", 299) + ";\n"));
}

TEST(LongChain, needs_no_stack_from_the_first_step_to_the_last) {
    on_small_stack([] {
        const std::string source = "field x: Int = " + chain("1", "+", 100'000) + ";\n";
        const auto package = package_of(source);
        ASSERT_TRUE(package);
        const EvaluationOutcome outcome = evaluate(*package, inputs_of());
        ASSERT_TRUE(outcome.ok()) << outcome.error->message;
        EXPECT_EQ(outcome.evaluation->fields.canonical(), R"({"x":100000})");
        const auto proof = Json::parse(outcome.evaluation->proof.canonical());
        const auto derived = verify::check_proof(*proof, {{}, "Pack 50", "SKU-1", {}});
        EXPECT_TRUE(derived.ok()) << derived.error().message;
        EXPECT_FALSE(explain(*package, inputs_of(), 0).error);
        EXPECT_TRUE(same_meaning(source, formatted(source)));
    });
}

}  // namespace
}  // namespace jobforge::rules
