#include "rules/eval/evaluator.h"

#include <pthread.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "rules_fixture.h"

namespace jobforge::rules {
namespace {

// Sanitizers make every frame several times as large.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kSmallStack = std::size_t{4} << 20;
#else
constexpr std::size_t kSmallStack = std::size_t{256} << 10;
#endif

TEST(Evaluator, rounds_half_even_once_unless_asked_otherwise) {
    EXPECT_EQ(value_of("Dec(0)", "toDec(0, 2.5)"), R"("2")");
    EXPECT_EQ(value_of("Dec(0)", "toDec(0, 2.5, \"half_up\")"), R"("3")");
    EXPECT_EQ(value_of("Dec(0)", "toDec(0, -2.1, \"up\")"), R"("-3")");
    EXPECT_EQ(value_of("Dec(0)", "toDec(0, -2.9, \"down\")"), R"("-2")");
    EXPECT_EQ(value_of("Dec(6)", "1.0 / 3.0"), R"("0.333333")");
    // 0.5 + 0.5 and one rounding, not 0 + 0.
    EXPECT_EQ(value_of("Dec(0)", "sumDec(0, [0.5, 0.5])"), R"("1")");
}

TEST(Evaluator, reads_decimals_from_text_with_any_number_of_digits) {
    EXPECT_EQ(value_of("Opt(Dec(2))", R"(toDec(2, "0.12500000000000000000001"))"), R"("0.13")");
    EXPECT_EQ(value_of("Opt(Dec(2))", R"(toDec(2, "0.125"))"), R"("0.12")");
    EXPECT_EQ(value_of("Opt(Dec(2))", R"(toDec(2, "-0.0001", "up"))"), R"("-0.01")");
    EXPECT_EQ(value_of("Opt(Dec(2))", R"(toDec(2, "1e5"))"), "null");
    EXPECT_EQ(value_of("Opt(Dec(2))", R"(toDec(2, "1."))"), "null");
    EXPECT_EQ(value_of("Opt(Dec(2))", R"(toDec(2, "999999999999999999999999999999999999999"))"),
              "NUMBER_OVERFLOW 1:24");
}

TEST(Evaluator, units_multiply_divide_and_convert_exactly) {
    EXPECT_EQ(value_of("Qty(Wh)", "qty(400, V) * qty(2.5, Ah)"),
              R"({"unit":"Wh","value":"1000.000000"})");
    EXPECT_EQ(value_of("Dec(6)", "qty(1, kWh) / qty(3, Wh)"), R"("333.333333")");
    EXPECT_EQ(value_of("Qty(day)", "convert(\"day\", qty(1, s))"),
              R"({"unit":"day","value":"0.000012"})");
    EXPECT_EQ(value_of("Bool", "qty(1, kWh) == qty(1000, Wh)"), "true");
}

TEST(Evaluator, errors_have_the_code_and_the_place) {
    EXPECT_EQ(result_of("field x: Dec(6) =\n  1.0 / 0.0;"), "DIVISION_BY_ZERO 2:3");
    EXPECT_EQ(result_of("field x: Int = 9007199254740991 + 1;"), "NUMBER_OVERFLOW 1:16");
    EXPECT_EQ(result_of("field x: Date = addDays(date(\"9999-12-31\"), 1);"),
              "NUMBER_OVERFLOW 1:17");
    EXPECT_EQ(result_of("field x: Int = assert(1 > 2, \"E7\", \"no\"); 1;"), "E7 1:16");
    EXPECT_EQ(result_of("fact T { a: Int }\nfield x: Int =\n"
                        "  requireSome(getFact(\"T\", \"k\"), \"E1\", \"missing\").a;"),
              "E1 3:3");
    EXPECT_EQ(result_of("fact T { a: Int }\nfield x: Int =\n"
                        "  requireSome(getFact(\"T\", \"k\"), \"E1\", \"missing\").a;",
                        {fact_of("T", "k", R"({"a":"1"})")}),
              "FACT_SHAPE 3:15");
}

TEST(Evaluator, logic_and_quantifiers_stop_at_the_first_decisive_value) {
    EXPECT_EQ(value_of("Bool", "false && 1 / 0.0 > 1"), "false");
    EXPECT_EQ(value_of("Bool", "true || 1 / 0.0 > 1"), "true");
    EXPECT_EQ(value_of("Bool", "any([1, 0], (x) -> x == 1 || 1.0 / toDec(0, x) > 0)"), "true");
    EXPECT_EQ(value_of("Bool", "all([1, 0], (x) -> x == 0 && 1.0 / toDec(0, x) > 0)"), "false");
}

TEST(Evaluator, facts_by_prefix_come_in_the_order_of_their_keys) {
    const std::string source =
        "fact T { a: Int }\n"
        "field x: List(Int) = map(getFactsByPrefix(\"T\", \"k\"), (t) -> t.a);";
    EXPECT_EQ(
        result_of(source, {fact_of("T", "k2", R"({"a":2})"), fact_of("T", "k10", R"({"a":1})"),
                           fact_of("T", "j", R"({"a":3})")}),
        R"({"x":[1,2]})");
}

TEST(Evaluator, compliance_entries_keep_their_order_and_repeats_even_when_unused) {
    const auto package = package_of(
        "field b: Bool = let unused = emitCompliance(\"B\", \"PASS\", \"one\");\n"
        "  all([1, 2], (x) -> emitCompliance(\"B\", \"WARN\", \"again\"));\n"
        "field a: Bool = emitCompliance(\"A\", \"FAIL\", \"no\");");
    const EvaluationOutcome outcome = evaluate(*package, inputs_of());
    ASSERT_TRUE(outcome.ok());
    ASSERT_EQ(outcome.evaluation->compliance.size(), 4U);
    EXPECT_EQ(outcome.evaluation->compliance[0].id, "A");  // by path: a before b
    EXPECT_EQ(outcome.evaluation->compliance[1].evidence, "one");
    EXPECT_EQ(outcome.evaluation->compliance[3].status, "WARN");
    EXPECT_EQ(outcome.evaluation->fields.canonical(), R"({"a":false,"b":true})");
}

TEST(Evaluator, the_budget_ends_doubling_and_nested_loops) {
    std::string lets = "let l0 = [1, 2];\n";
    for (int i = 1; i < 40; ++i) {
        lets += "let l" + std::to_string(i) + " = [l" + std::to_string(i - 1) + ", l" +
                std::to_string(i - 1) + "];\n";
    }
    EXPECT_EQ(result_of("field x: Int = " + lets + "count(l39);").substr(0, 15), "BUDGET_EXCEEDED");
    std::string text = "let t0 = \"0123456789abcdef\";\n";
    for (int i = 1; i < 40; ++i) {
        text += "let t" + std::to_string(i) + " = t" + std::to_string(i - 1) + " + t" +
                std::to_string(i - 1) + ";\n";
    }
    EXPECT_EQ(result_of("field x: Text = " + text + "t39;").substr(0, 15), "BUDGET_EXCEEDED");
}

TEST(Evaluator, counts_the_same_steps_with_and_without_a_proof) {
    const auto package = package_of("field x: List(Int) = sort(map([3, 1], (v) -> v * 2));");
    const auto with = evaluate(*package, inputs_of());
    const auto without = evaluate(*package, inputs_of(), {.with_proof = false});
    EXPECT_EQ(with.evaluation->steps, without.evaluation->steps);
    EXPECT_FALSE(with.evaluation->proof.nodes.empty());
    EXPECT_TRUE(without.evaluation->proof.nodes.empty());
}

TEST(Evaluator, neither_the_order_of_facts_nor_other_threads_change_a_byte) {
    const auto package = package_of(
        "fact T { a: Dec(2) }\n"
        "field sum: Dec(2) = sumDec(2, map(getFactsByPrefix(\"T\", \"\"), (t) -> t.a));");
    std::vector<Fact> facts;
    for (int i = 0; i < 20; ++i) {
        facts.push_back(fact_of("T", "k" + std::to_string(i), "{\"a\":" + std::to_string(i) + "}"));
    }
    const std::string expected = evaluate(*package, inputs_of(facts)).evaluation->proof.canonical();
    std::ranges::reverse(facts);
    const Inputs reversed = inputs_of(facts);
    std::vector<std::string> proofs(8);
    std::vector<std::thread> threads;
    for (std::string& proof : proofs) {
        threads.emplace_back(
            [&] { proof = evaluate(*package, reversed).evaluation->proof.canonical(); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& proof : proofs) EXPECT_EQ(proof, expected);
}

TEST(Evaluator, stops_a_proof_that_grows_beyond_its_limit) {
    const auto package = package_of("field x: List(Int) = map([1, 2, 3, 4, 5], (v) -> v * 2 + 1);");
    const EvaluationOutcome outcome = evaluate(*package, inputs_of(), {.proof_byte_limit = 1000});
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error->code, "PROOF_TOO_LARGE");
}

// The deepest package that checks, of `levels` wrappings of the inner expression.
std::shared_ptr<const CheckedPackage> deepest(const std::string& before, const std::string& after) {
    for (int levels = 200; levels > 0; --levels) {
        std::string text = "1";
        for (int i = 0; i < levels; ++i) text = before + text + after;
        CheckOutcome outcome = check_package(SourceText("rules", "field x: Int = " + text + ";"));
        if (outcome.ok()) return outcome.package;
    }
    return nullptr;
}

struct SmallStackJob {
    const CheckedPackage& package;
    Inputs inputs;
    bool ok = false;
};

void evaluate_on_small_stack(SmallStackJob& job) {
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, kSmallStack), 0);
    pthread_t thread{};
    const auto body = [](void* argument) -> void* {
        auto& work = *static_cast<SmallStackJob*>(argument);
        work.ok = evaluate(work.package, work.inputs).ok();
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, &attributes, body, &job), 0);
    ASSERT_EQ(pthread_join(thread, nullptr), 0);
    ASSERT_EQ(pthread_attr_destroy(&attributes), 0);
}

TEST(Evaluator, the_deepest_tree_fits_into_a_small_stack) {
    const std::pair<const char*, const char*> shapes[] = {
        {"-(", ")"},
        {"", " + 1"},
        {"if true then 1 else ", ""},
        {"unwrapOr(some(", "), 1)"},
        {"let y = 1; ", ""},
        {"fold([1], 0, (a, b) -> ", ")"},
        {"count(map([1], (x) -> ", "))"},
    };
    for (const auto& [before, after] : shapes) {
        const auto package = deepest(before, after);
        ASSERT_NE(package, nullptr) << before;
        SmallStackJob job{*package, inputs_of()};
        ASSERT_NO_FATAL_FAILURE(evaluate_on_small_stack(job));
        EXPECT_TRUE(job.ok) << before;
    }
}

}  // namespace
}  // namespace jobforge::rules
