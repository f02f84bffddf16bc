// jobforge rules and jobforge passport as rule authors and auditors meet them: files in, words out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <jobforge/json.h>

#include "child_process.h"
#include "temp_dir.h"

namespace jobforge::cli {
namespace {

using test::Finished;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kRules[] = R"(fact Battery { sku: Text, capacity_kwh: Dec(3) }

fact PCF { total_gco2e: Dec(0) }

field battery.capacity: Qty(kWh) access(public) =
  let b = requireSome(getFact("Battery", "battery:" + product.sku), "E001", "battery facts are missing");
  toQty("kWh", b.capacity_kwh);

field carbon.footprint: Qty(gCO2e_per_kWh) =
  let p = requireSome(getFact("PCF", "pcf:" + product.sku), "E010", "carbon footprint is missing");
  toQty("gCO2e", p.total_gco2e) / field("battery.capacity");
)";
constexpr char kTests[] = R"(example small_pack: {
  fact b("Battery", "battery:SKU-1") = {"sku": "SKU-1", "capacity_kwh": "50.000"};
  fact p("PCF", "pcf:SKU-1") = {"total_gco2e": "3500000"};
} => expect(carbon.footprint, == qty(70000.000000, gCO2e_per_kWh)); ;

property never_negative: cases(500) seed(7) =>
  forall b: Battery("battery:SKU-1"), p: PCF("pcf:SKU-1") .
    implies(b.capacity_kwh >= 0.001 && p.total_gco2e >= 0,
      field("carbon.footprint") >= qty(0.0, gCO2e_per_kWh)); ;
)";

class PassportCommands : public ::testing::Test {
protected:
    std::string write(const std::string& name, const std::string& bytes) {
        const std::string path = home_.path() + "/" + name;
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    std::string path(const std::string& name) { return home_.path() + "/" + name; }
    std::string read(const std::string& name) {
        std::ostringstream text;
        text << std::ifstream(path(name), std::ios::binary).rdbuf();
        return text.str();
    }
    Finished run(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), JOBFORGE_PROGRAM);
        return test::run(std::move(arguments));
    }
    // The inputs of one passport, beside each other.
    void write_inputs() {
        write("p.rules", kRules);
        write("p.tests", kTests);
        write("product.json", R"({"battery_product_id":"0b6f1a52-7c38-4f0e-9d55-3a1c8be2d701",)"
                              R"("name":"Pack 50","sku":"SKU-1"})");
        write("facts/battery.json", R"({"fact_type":"Battery","fact_key":"battery:SKU-1",)"
                                    R"("payload":{"sku":"SKU-1","capacity_kwh":50.000}})");
        write("facts/pcf.json", R"([{"fact_type":"PCF","fact_key":"pcf:SKU-1",)"
                                R"("payload":{"total_gco2e":3500000}}])");
    }
    std::vector<std::string> inputs() {
        return {"--facts", path("facts"), "--product", path("product.json")};
    }
    Finished compile(const std::string& out) {
        write_inputs();
        if (!std::filesystem::exists(path("key"))) {
            EXPECT_EQ(run({"passport", "keygen", "--out", path("key")}).exit_code, 0);
        }
        std::vector<std::string> arguments{
            "passport", "compile",       "--rules",     path("p.rules"),
            "--tests",  path("p.tests"), "--issued-at", "2027-02-18T09:30:00Z",
            "--key",    path("key"),     "--out",       path(out)};
        for (const std::string& argument : inputs()) {
            arguments.push_back(argument);
        }
        return run(std::move(arguments));
    }

    test::TempDir home_;
};

TEST_F(PassportCommands, check_counts_what_a_right_package_holds) {
    const std::string rules = write("p.rules", kRules);
    const std::string tests = write("p.tests", kTests);
    const Finished done = run({"rules", "check", rules, tests});
    EXPECT_EQ(done.exit_code, 0) << done.output << done.error_output;
    EXPECT_THAT(done.output, HasSubstr("ok, 2 facts, 2 fields, 1 examples, 1 properties"));
    const Finished json = run({"rules", "check", rules, "--tests", tests, "--json"});
    const auto answer = Json::parse(json.output);
    ASSERT_TRUE(answer.ok()) << json.output;
    EXPECT_EQ(answer->find("ok")->as_bool(), true);
}

TEST_F(PassportCommands, check_shows_every_error_with_its_place_and_advice) {
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

TEST_F(PassportCommands, check_of_a_file_that_is_not_there_names_it) {
    const Finished done = run({"rules", "check", path("nowhere.rules")});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.error_output, HasSubstr("nowhere.rules"));
}

TEST_F(PassportCommands, fmt_rewrites_once_and_check_then_agrees) {
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

TEST_F(PassportCommands, fmt_leaves_a_file_alone_that_it_cannot_read_or_write) {
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

TEST_F(PassportCommands, fmt_keeps_the_files_mode) {
    const std::string rules = write("p.rules", "field  a:Int=1;");
    ASSERT_EQ(::chmod(rules.c_str(), 0640), 0);
    ASSERT_EQ(run({"rules", "fmt", rules}).exit_code, 0);
    EXPECT_EQ(std::filesystem::status(rules).permissions(), std::filesystem::perms(0640));
}

TEST_F(PassportCommands, test_passes_with_five_hundred_cases_and_fails_with_the_smallest_facts) {
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

TEST_F(PassportCommands, eval_and_explain_lead_from_a_value_to_its_document) {
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

TEST_F(PassportCommands, missing_data_ends_with_the_authors_words_and_exit_1) {
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

TEST_F(PassportCommands, a_passport_compiles_twice_to_the_same_bytes_and_verifies_offline) {
    const Finished first = compile("one");
    ASSERT_EQ(first.exit_code, 0) << first.output << first.error_output;
    ASSERT_EQ(compile("two").exit_code, 0);
    for (const char* name :
         {"payload.json", "proof.json", "receipt.json", "bundle.json", "qr.txt"}) {
        EXPECT_EQ(read(std::string("one/") + name), read(std::string("two/") + name)) << name;
        EXPECT_THAT(read(std::string("one/") + name), Not(IsEmpty())) << name;
    }
    const Finished verified =
        run({"passport", "verify", path("one/bundle.json"), "--key", path("key.pub")});
    EXPECT_EQ(verified.exit_code, 0) << verified.output << verified.error_output;
    EXPECT_EQ(std::filesystem::status(path("key")).permissions(), std::filesystem::perms(0600));
}

TEST_F(PassportCommands, verify_says_what_fails) {
    ASSERT_EQ(compile("one").exit_code, 0);
    std::string bundle = read("one/bundle.json");
    const std::size_t at = bundle.find("Pack 50");
    ASSERT_NE(at, std::string::npos);
    bundle.replace(at, 7, "Pack 51");
    const std::string tampered = write("tampered.json", bundle);
    const Finished done = run({"passport", "verify", tampered, "--key", path("key.pub")});
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.output, HasSubstr("product"));

    ASSERT_EQ(run({"passport", "keygen", "--out", path("stranger")}).exit_code, 0);
    const Finished stranger =
        run({"passport", "verify", path("one/bundle.json"), "--key", path("stranger.pub")});
    EXPECT_EQ(stranger.exit_code, 1);
    EXPECT_THAT(stranger.output, HasSubstr("signature"));
}

}  // namespace
}  // namespace jobforge::cli
