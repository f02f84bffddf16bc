// Rules, facts and names of files may hold whatever controls a terminal. No message hands it on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/eval/explain.h"
#include "rules/test/test_runner.h"
#include "rules_fixture.h"
#include "rules_support.h"

namespace jobforge::rules {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kEscape = "\x1B[2J";
const std::string kEightBits = "\xC2\x9B";  // the same in one character of U+0080 to U+009F

TEST(HostileText, diagnostics_escape_what_the_source_says) {
    const std::string errors =
        errors_of(
            "field a: Text = field(\"x\\u001b[2J\\u009b\");\n"
            "field b: Bool = emitCompliance(\"X\", \"\\u001b[31mPASS\", \"e\"); -- " +
            kEscape + kEightBits + "\n") +
        errors_of("field c: Int = " + kEscape + ";\n");
    EXPECT_THAT(errors, HasSubstr("x\\u001b[2J\\u009b"));
    EXPECT_THAT(errors, HasSubstr("there is no status \\u001b[31mPASS"));
    EXPECT_THAT(errors, Not(HasSubstr("\x1B")));
    EXPECT_THAT(errors, Not(HasSubstr(kEightBits)));
}

TEST(HostileText, the_name_of_a_file_is_escaped) {
    const CheckOutcome outcome =
        check_package(SourceText("rules" + kEscape + ".bpc", "field a: Int = ;"));
    EXPECT_THAT(render(outcome.diagnostics, outcome.sources), Not(HasSubstr("\x1B")));
}

TEST(HostileText, errors_of_evaluation_escape_what_rules_and_facts_say) {
    const auto package = package_of(
        "fact T { a: Int }\n"
        "field a: Int = requireSome(none, \"E\\u001b1\", \"no\\u001b[2J \\u009bfact\");\n");
    const auto outcome = evaluate(*package, inputs_of());
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error->code,
              "E\x1B"
              "1")
        << "expectError compares it as it is written";
    for (const std::string& text :
         {outcome.error->render(*package), outcome.error->to_error(*package).message,
          *outcome.error->to_json(*package).find("message")->as_string(),
          *outcome.error->to_json(*package).find("code")->as_string()}) {
        EXPECT_THAT(text, Not(HasSubstr("\x1B")));
        EXPECT_THAT(text, Not(HasSubstr(kEightBits)));
    }
    EXPECT_THAT(outcome.error->message, HasSubstr("no\\u001b[2J \\u009bfact"));
}

TEST(HostileText, a_fact_of_a_wrong_shape_is_named_with_escapes) {
    const auto package =
        package_of("fact T { a: Int }\nfield a: Bool = isSome(getFact(\"T\", \"k\"));");
    Fact fact = fact_of("T", "k", R"({"a":"\u001b[2J"})");
    fact.source_name = "doc" + kEscape + ".json";
    const auto outcome = evaluate(*package, inputs_of({fact}));
    ASSERT_FALSE(outcome.ok());
    EXPECT_THAT(outcome.error->render(*package), Not(HasSubstr("\x1B")));
}

TEST(HostileText, derivations_and_test_reports_escape_it_too) {
    const auto package = package_of(
        "field a: Bool = emitCompliance(\"X\", \"PASS\", \"all\\u001b[2J\\u009b good\");\n"
        "field b: Text = \"t\\u009b\";\n"
        "example e: { product(\"S\", \"N\"); } => expect(b, == \"u\\u009b\"); ;");
    ASSERT_TRUE(package);
    const auto explained = explain(*package, inputs_of(), package->field_index.at("a"));
    EXPECT_THAT(explained.tree, Not(HasSubstr("\x1B")));
    EXPECT_THAT(explained.tree, Not(HasSubstr(kEightBits)));
    const auto report = run_tests(*package);
    EXPECT_THAT(report.render(*package), HasSubstr("\\u009b"));
    EXPECT_THAT(report.render(*package), Not(HasSubstr(kEightBits)));
}

}  // namespace
}  // namespace jobforge::rules
