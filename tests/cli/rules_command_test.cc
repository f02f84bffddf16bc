// jobforge rules as rule authors meet it: files in, words out.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <jobforge/json.h>

#include "passport_world.h"

namespace jobforge::cli {
namespace {

using test::Finished;
using ::testing::AllOf;
using ::testing::HasSubstr;

using RuleCommands = PassportWorld;

TEST_F(RuleCommands, check_counts_what_a_right_package_holds) {
    const std::string rules = write("p.rules", kRules);
    const std::string tests = write("p.tests", kTests);
    const Finished done = run({"rules", "check", rules, tests});
    EXPECT_EQ(done.exit_code, 0) << done.output << done.error_output;
    EXPECT_THAT(done.output, HasSubstr("ok, 2 facts, 2 fields, 1 example, 1 property"));
    const Finished json = run({"rules", "check", rules, "--tests", tests, "--json"});
    const auto answer = Json::parse(json.output);
    ASSERT_TRUE(answer.ok()) << json.output;
    EXPECT_EQ(answer->find("ok")->as_bool(), true);
}

TEST_F(RuleCommands, check_shows_every_error_with_its_place_and_advice) {
    const std::string rules = write("bad.rules",
                                    "field a: Dec(2) = 1.5;\n"
                                    "field b: Qty(kg) = qty(1.0, kWh);\n"
                                    "field c: Int = field(\"d\");\n");
    const Finished done = run({"rules", "check", rules});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.output,
                AllOf(HasSubstr("RULE_TYPE_ERROR"), HasSubstr("toDec(2, 1.5)"),
                      HasSubstr("field a: Dec(2) = 1.5;"), HasSubstr("^"), HasSubstr("3 errors")));
    const Finished json = run({"rules", "check", rules, "--json"});
    EXPECT_EQ(json.exit_code, 1);
    const auto answer = Json::parse(json.output);
    ASSERT_TRUE(answer.ok()) << json.output;
    EXPECT_EQ(answer->find("diagnostics")->as_array()->size(), 3U);
}

TEST_F(RuleCommands, check_of_a_file_that_is_not_there_names_it) {
    const Finished done = run({"rules", "check", path("nowhere.rules")});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.error_output, HasSubstr("nowhere.rules"));
}

TEST_F(RuleCommands, fmt_rewrites_once_and_check_then_agrees) {
    const std::string rules = write("p.rules", "field  a:Int=1+\n2 ; -- why\n");
    const Finished differs = run({"rules", "fmt", "--check", rules});
    EXPECT_EQ(differs.exit_code, 1);
    EXPECT_EQ(differs.output, rules + "\n");
    ASSERT_EQ(run({"rules", "fmt", rules}).exit_code, 0);
    const std::string once = read("p.rules");
    EXPECT_THAT(once, AllOf(HasSubstr("field a: Int = 1 + 2;"), HasSubstr("-- why")));
    EXPECT_EQ(run({"rules", "fmt", "--check", rules}).exit_code, 0);
    ASSERT_EQ(run({"rules", "fmt", rules}).exit_code, 0);
    EXPECT_EQ(read("p.rules"), once);
}

TEST_F(RuleCommands, fmt_leaves_a_file_alone_that_it_cannot_read_or_write) {
    const std::string broken = "field a: Int = ;\n";
    const std::string rules = write("broken.rules", broken);
    const Finished done = run({"rules", "fmt", rules});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.error_output, HasSubstr("RULE_PARSE_ERROR"));
    EXPECT_EQ(read("broken.rules"), broken);
    for (const auto& entry : std::filesystem::directory_iterator(home_.path())) {
        EXPECT_EQ(entry.path().filename(), "broken.rules");
    }
}

TEST_F(RuleCommands, fmt_puts_a_new_file_in_the_old_ones_place) {
    const std::string before = "field  a:Int=1;";
    const std::string rules = write("p.rules", before);
    // Another name of the old file: an editor or a reader that has it open sees it whole.
    std::filesystem::create_hard_link(rules, path("old.rules"));
    ASSERT_EQ(run({"rules", "fmt", rules}).exit_code, 0);
    EXPECT_EQ(read("p.rules"), "field a: Int = 1;\n");
    EXPECT_EQ(read("old.rules"), before);
}

TEST_F(RuleCommands, fmt_leaves_the_file_whole_when_it_cannot_write_beside_it) {
    const std::string before = "field  a:Int=1;";
    const std::string rules = write("p.rules", before);
    std::filesystem::create_directories(path("p.rules.formatted/in_the_way"));
    const Finished done = run({"rules", "fmt", rules});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.error_output, HasSubstr("cannot write " + rules));
    EXPECT_EQ(read("p.rules"), before);
}

TEST_F(RuleCommands, fmt_keeps_the_files_mode) {
    const std::string rules = write("p.rules", "field  a:Int=1;");
    ASSERT_EQ(::chmod(rules.c_str(), 0640), 0);
    ASSERT_EQ(run({"rules", "fmt", rules}).exit_code, 0);
    EXPECT_EQ(std::filesystem::status(rules).permissions(), std::filesystem::perms(0640));
}

TEST_F(RuleCommands, test_passes_with_five_hundred_cases_and_fails_with_the_smallest_facts) {
    const std::string rules = write("p.rules", kRules);
    const std::string tests = write("p.tests", kTests);
    const Finished passed = run({"rules", "test", rules, "--tests", tests, "--json"});
    EXPECT_EQ(passed.exit_code, 0) << passed.output << passed.error_output;
    EXPECT_THAT(passed.output, AllOf(HasSubstr("PASSED"), HasSubstr("501")));

    const std::string wrong = write("wrong.tests",
                                    "property too_bold: cases(500) =>\n"
                                    "  forall b: Battery(\"battery:SKU-1\") .\n"
                                    "    implies(b.capacity_kwh > 1, "
                                    "field(\"battery.capacity\") < qty(100.0, kWh));\n");
    const Finished failed = run({"rules", "test", rules, "--tests", wrong});
    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_THAT(failed.output,
                AllOf(HasSubstr("too_bold"), HasSubstr("capacity_kwh"), HasSubstr("100")));
}

TEST_F(RuleCommands, eval_and_explain_lead_from_a_value_to_its_document) {
    write_inputs();
    std::vector<std::string> eval{"rules", "eval", path("p.rules"), "--issued-on", "2027-02-18"};
    std::vector<std::string> explain{"rules",         "explain",     "carbon.footprint",
                                     path("p.rules"), "--issued-on", "2027-02-18"};
    for (const std::string& argument : inputs()) {
        eval.push_back(argument);
        explain.push_back(argument);
    }
    const Finished values = run(eval);
    EXPECT_EQ(values.exit_code, 0) << values.error_output;
    EXPECT_THAT(values.output, AllOf(HasSubstr("carbon.footprint"), HasSubstr("70000")));
    const Finished tree = run(explain);
    EXPECT_EQ(tree.exit_code, 0) << tree.error_output;
    EXPECT_THAT(tree.output, AllOf(HasSubstr("70000"), HasSubstr("pcf.json"),
                                   HasSubstr("battery.json"), HasSubstr("/total_gco2e")));
}

TEST_F(RuleCommands, explain_of_a_field_that_is_not_there_names_the_nearest) {
    write_inputs();
    const auto hint = [&](const char* field) {
        std::vector<std::string> explain{"rules",         "explain",     field,
                                         path("p.rules"), "--issued-on", "2027-02-18"};
        for (const std::string& argument : inputs()) {
            explain.push_back(argument);
        }
        const Finished done = run(explain);
        EXPECT_EQ(done.exit_code, 1);
        return done.error_output;
    };
    EXPECT_THAT(hint("carbon.footprnt"), HasSubstr("Did you mean carbon.footprint?"));
    EXPECT_THAT(hint("capacity"), HasSubstr("Did you mean battery.capacity?"));
    EXPECT_THAT(hint("weight"), HasSubstr("The rules have 2 fields; rules eval shows them all."));
}

// 7 and 7.5 alike: a fact keeps the second one as a string, but nobody wrote one.
TEST_F(RuleCommands, numbers_in_a_document_are_no_texts) {
    write_inputs();
    for (const char* number : {"7", "7.5"}) {
        write("facts/battery.json", std::string(R"([{"fact_type":"Battery","fact_key":)") +
                                        R"("battery:SKU-1","payload":{"capacity_kwh":"50.000",)" +
                                        "\"sku\":" + number + "}}]");
        std::vector<std::string> eval{"rules", "eval", path("p.rules"), "--issued-on",
                                      "2027-02-18"};
        for (const std::string& argument : inputs()) {
            eval.push_back(argument);
        }
        const Finished done = run(eval);
        EXPECT_EQ(done.exit_code, 1);
        EXPECT_THAT(done.error_output, AllOf(HasSubstr("FACT_SHAPE"),
                                             HasSubstr("at /sku: expected Text (in quotes), found"),
                                             HasSubstr(number)));
    }
    write("product.json", R"({"name":"Pack 50","sku":7.5})");
    std::vector<std::string> eval{"rules", "eval", path("p.rules"), "--issued-on", "2027-02-18"};
    for (const std::string& argument : inputs()) {
        eval.push_back(argument);
    }
    EXPECT_THAT(run(eval).error_output, HasSubstr("\"sku\" is missing or not a text"));
}

TEST_F(RuleCommands, control_characters_of_rules_and_facts_do_not_reach_the_terminal) {
    const std::string rules = write("evil.rules",
                                    "field a: Bool = emitCompliance(\"X\", \"PASS\", "
                                    "\"\\u001b[2J\\u009b2J\");\n"
                                    "field b: Text = \"\\u009b2J\";\n");
    write("product.json", R"({"name":"Pack 50","sku":"S"})");
    const Finished done = run(
        {"rules", "eval", rules, "--product", path("product.json"), "--issued-on", "2027-02-18"});
    EXPECT_EQ(done.exit_code, 0) << done.error_output;
    EXPECT_THAT(done.output, HasSubstr("\\u001b[2J\\u009b2J"));
    EXPECT_EQ(done.output.find('\x1B'), std::string::npos);
    EXPECT_EQ(done.output.find("\xC2\x9B"), std::string::npos);
    const Finished missing = run({"rules", "check", path("no\x1B[2J.rules")});
    EXPECT_EQ(missing.error_output.find('\x1B'), std::string::npos);
}

TEST_F(RuleCommands, missing_data_ends_with_the_authors_words_and_exit_1) {
    write_inputs();
    std::filesystem::remove(path("facts/pcf.json"));
    std::vector<std::string> eval{"rules", "eval", path("p.rules"), "--issued-on", "2027-02-18"};
    for (const std::string& argument : inputs()) {
        eval.push_back(argument);
    }
    const Finished done = run(eval);
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.error_output,
                AllOf(HasSubstr("E010"), HasSubstr("carbon footprint is missing")));
}

}  // namespace
}  // namespace jobforge::cli
