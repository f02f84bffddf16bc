// Steps cost what they do: no program does more within its budget than the budget says, and what
// was within the budget of an earlier version can be done again.
#include <gtest/gtest.h>

#include <functional>

#include "processor_time.h"
#include "rules_fixture.h"

namespace jobforge::rules {
namespace {

constexpr const char* kFact = "fact T { text: Text, more: Text, map: Map(Text, Int) }\n";

// One fact whose texts and keys have `size` bytes that differ only at their end.
std::vector<Fact> large_fact(std::size_t size) {
    const std::string same(size, 'a');
    return {fact_of("T", "t",
                    R"({"text":")" + same + R"(b","more":")" + same + R"(c","map":{")" + same +
                        R"(b":1}})"),
            fact_of("T", "u", R"({"text":"","more":"","map":{")" + same + R"(c":1}})")};
}

// What evaluating `expression` costs beyond evaluating `parts`, with t and u the facts.
std::uint64_t cost_of(const std::string& expression, std::size_t size) {
    const auto steps = [size](const std::string& body) {
        const auto package =
            package_of(std::string(kFact) +
                       "field x: Bool = let t = requireSome(getFact(\"T\", \"t\"), \"E\", \"m\");\n"
                       "let u = requireSome(getFact(\"T\", \"u\"), \"E\", \"m\");\n" +
                       body + ";");
        const auto outcome = evaluate(*package, inputs_of(large_fact(size)), {.with_proof = false});
        EXPECT_TRUE(outcome.ok()) << outcome.error->message;
        return outcome.ok() ? outcome.evaluation->steps : 0;
    };
    return steps(expression) - steps("true");
}

// Each walks over its operands once: a thousand bytes cost about a thousand sixteenths.
TEST(StepCost, what_looks_at_every_byte_pays_for_every_byte) {
    constexpr std::size_t kSize = 160'000;
    for (const char* expression :
         {"contains(t.more, t.text)", "startsWith(t.more, t.text)", "t.text == t.more",
          "t.text < t.more", "t.map == u.map", "matches(t.text, \"b$\")",
          "isSome(getFact(\"T\", t.text))", "isSome(recordGet(t.map, t.text))",
          "count(getFactsByPrefix(\"T\", t.text)) == 0", "contains([t.more], t.text)",
          "count(sort([t.text, t.more])) == 2"}) {
        const std::uint64_t cost = cost_of(expression, kSize);
        EXPECT_GE(cost, kSize / 16) << expression;
        EXPECT_LE(cost, 7 * kSize / 16) << expression;
    }
}

TEST(StepCost, sorting_pays_for_its_comparisons) {
    const auto steps = [](std::size_t count) {
        std::string list = "1";
        for (std::size_t i = 1; i < count; ++i) list += ", 1";
        return evaluate(*package_of("field x: List(Int) = sort([" + list + "]);"), inputs_of())
            .evaluation->steps;
    };
    EXPECT_EQ(steps(255) - 2 * 255 - 1, 8U * 256);
}

TEST(StepCost, patterns_pay_for_their_repetitions) {
    const auto steps = [](const std::string& pattern) {
        return evaluate(*package_of("field x: Bool = matches(product.name, \"" + pattern + "\");"),
                        inputs_of())
            .evaluation->steps;
    };
    EXPECT_EQ(steps("Pack"), steps("^[0-9]$"));
    EXPECT_GT(steps("([a-z]{30}){30}"), 400U);
}

// 31 seconds of a processor before: every place of the one text was compared with all of the other.
TEST(StepCost, a_search_in_texts_that_repeat_themselves_is_linear) {
    const auto package = package_of(
        "fact T { where: Text, what: Text }\n"
        "field x: Bool = let t = requireSome(getFact(\"T\", \"t\"), \"E\", \"m\");\n"
        "  contains(t.where, t.what);");
    const auto search = [&package](std::size_t size) -> std::function<void()> {
        const Inputs inputs =
            inputs_of({fact_of("T", "t",
                               R"({"where":")" + std::string(2 * size, 'a') + R"(","what":")" +
                                   std::string(size, 'a') + R"(b"})")});
        return [&package, inputs] {
            ASSERT_TRUE(evaluate(*package, inputs, {.with_proof = false}).ok());
        };
    };
    EXPECT_LT(test::growth(search(1 << 15), search(1 << 18)), 24.0);
}

// A document may have a hundred thousand members of which the rules declare some thousands.
TEST(StepCost, reading_a_large_object_by_a_large_record_is_not_their_product) {
    const auto shape = [](std::size_t size) -> std::function<void()> {
        std::string members;
        std::string json = "{";
        for (std::size_t i = 0; i < size; ++i) {
            members += (i == 0 ? "m" : ", m") + std::to_string(i) + ": Opt(Int)";
        }
        for (std::size_t i = 0; i < 20 * size; ++i) {
            json += (i == 0 ? "\"n" : ",\"n") + std::to_string(i) + "\":1";
        }
        const auto package = package_of("fact T { " + members + " }\n" +
                                        "field x: Bool = isSome(getFact(\"T\", \"t\"));");
        const Inputs inputs = inputs_of({fact_of("T", "t", json + "}")});
        return [package, inputs] {
            ASSERT_TRUE(evaluate(*package, inputs, {.with_proof = false}).ok());
        };
    };
    EXPECT_LT(test::growth(shape(250), shape(2'000)), 24.0);
}

}  // namespace
}  // namespace jobforge::rules
