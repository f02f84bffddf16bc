// jobforge passport as auditors meet it: a bundle and a key in, a verdict out.
#include <gmock/gmock.h>

#include <jobforge/json.h>

#include "base/crypto/hash.h"
#include "base/text/base32.h"
#include "passport_world.h"

namespace jobforge::cli {
namespace {

using test::Finished;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class PassportCommands : public PassportWorld {
protected:
    Finished judge(const std::string& verb, const std::string& bundle,
                   const std::string& key = "key.pub") {
        return run({"passport", verb, path(bundle), "--key", path(key)});
    }
    // The bundle with this text replaced by one of the same length; written as tampered.json.
    void tamper(const std::string& from, const std::string& to) {
        std::string bundle = read("one/bundle.json");
        const std::size_t at = bundle.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        write("tampered.json", bundle.replace(at, from.size(), to));
    }
    // The checks of a verification that failed, by name.
    std::vector<std::string> failed_checks(const std::string& bundle) {
        const Finished done =
            run({"passport", "verify", path(bundle), "--key", path("key.pub"), "--json"});
        EXPECT_EQ(done.exit_code, 1) << done.output << done.error_output;
        const auto answer = Json::parse(done.output);
        std::vector<std::string> failed;
        if (!answer.ok()) {
            ADD_FAILURE() << done.output;
            return failed;
        }
        EXPECT_EQ(answer->find("valid")->as_bool(), false);
        for (const Json& check : *answer->find("checks")->as_array()) {
            if (check.find("passed")->as_bool() == false) {
                failed.push_back(*check.find("check")->as_string());
            }
        }
        return failed;
    }
};

TEST_F(PassportCommands, rules_that_show_what_another_field_hides_do_not_become_a_passport) {
    write_inputs();
    write("leak.rules", std::string(kRules) +
                            "field shown: Qty(gCO2e_per_kWh) access(public) = "
                            "field(\"carbon.footprint\");\n");
    std::vector<std::string> compile{"passport",    "compile",
                                     "--rules",     path("leak.rules"),
                                     "--issued-at", "2027-02-18T09:30:00Z",
                                     "--out",       path("leak")};
    std::vector<std::string> eval{"rules", "eval", path("leak.rules"), "--issued-on", "2027-02-18"};
    for (const std::string& argument : inputs()) {
        compile.push_back(argument);
        eval.push_back(argument);
    }
    const Finished refused = run(compile);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.error_output, HasSubstr("shown is public, but this part of it comes from "
                                                "carbon.footprint, which is restricted"));
    EXPECT_FALSE(std::filesystem::exists(path("leak")));
    EXPECT_EQ(run({"rules", "check", path("leak.rules")}).exit_code, 1);
    EXPECT_EQ(run({"rules", "test", path("leak.rules")}).exit_code, 1);
    // How values of older rules came about can still be asked.
    EXPECT_EQ(run(eval).exit_code, 0);
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
    EXPECT_THAT(stranger.output, HasSubstr("proof      -       not made"));
    const Finished json = run(
        {"--json", "passport", "verify", path("one/bundle.json"), "--key", path("stranger.pub")});
    EXPECT_THAT(json.output, HasSubstr(R"("not_made":["proof","recompile"])"));
}

TEST_F(PassportCommands, verify_names_the_checks_that_a_changed_part_fails) {
    ASSERT_EQ(compile("one").exit_code, 0);
    tamper("\"70000.000000\"", "\"70000.000001\"");
    EXPECT_THAT(failed_checks("tampered.json"), ElementsAre("payload", "proof", "recompile"));
    tamper("battery facts are missing", "battery facts are MISSING");
    EXPECT_THAT(failed_checks("tampered.json"), ElementsAre("proof", "recompile"));
    tamper("p.total_gco2e) / field", "p.total_gco2e) * field");
    EXPECT_THAT(failed_checks("tampered.json"), ElementsAre("rules"));
    EXPECT_THAT(judge("verify", "tampered.json").output, HasSubstr("recompile  -       not made"));
    tamper("\"total_gco2e\":3500000}", "\"total_gco2e\":3500001}");
    EXPECT_THAT(failed_checks("tampered.json"), ElementsAre("facts"));
    const Finished done = judge("verify", "tampered.json");
    EXPECT_THAT(done.output,
                AllOf(HasSubstr("FAILED"), HasSubstr("The bundle is NOT valid: facts: fact 1")));
}

TEST_F(PassportCommands, verify_and_replay_of_a_sound_bundle_say_so_for_people_and_programs) {
    ASSERT_EQ(compile("one").exit_code, 0);
    EXPECT_THAT(judge("verify", "one/bundle.json").output, HasSubstr("The bundle is valid."));
    const Finished verified =
        run({"passport", "verify", path("one/bundle.json"), "--key", path("key.pub"), "--json"});
    EXPECT_EQ(Json::parse(verified.output)->find("valid")->as_bool(), true);
    const Finished replayed = judge("replay", "one/bundle.json");
    EXPECT_EQ(replayed.exit_code, 0) << replayed.error_output;
    EXPECT_THAT(replayed.output, HasSubstr("the same, byte for byte"));
    const Finished json =
        run({"passport", "replay", path("one/bundle.json"), "--key", path("key.pub"), "--json"});
    EXPECT_EQ(json.output, "{\"replayed\":true}\n");
}

// What the public page shows, and what the code has.
TEST_F(PassportCommands, verify_prints_the_three_hashes_whole_in_both_encodings) {
    ASSERT_EQ(compile("one").exit_code, 0);
    const std::string code = read("one/qr.txt");
    const Finished people = judge("verify", "one/bundle.json");
    const Finished program =
        run({"passport", "verify", path("one/bundle.json"), "--key", path("key.pub"), "--json"});
    const Json hashes = *Json::parse(program.output)->find("hashes");
    const auto receipt = Json::parse(read("one/receipt.json"));
    for (const auto& [name, letters] :
         {std::pair{"payload_hash", "ph="}, {"proof_root_hash", "pr="}, {"receipt_hash", "rh="}}) {
        const std::string hex = *hashes.find(name)->find("hex")->as_string();
        const std::string base32 = *hashes.find(name)->find("base32")->as_string();
        EXPECT_EQ(hex.size(), 64U) << name;
        EXPECT_EQ(base32, base32_encode(hex_decode(hex).value())) << name;
        EXPECT_THAT(code, HasSubstr(letters + base32)) << name;
        EXPECT_THAT(people.output, AllOf(HasSubstr(hex), HasSubstr(base32))) << name;
        if (const Json* said = receipt->find(name)) {
            EXPECT_EQ(*said->as_string(), hex) << name;
        }
    }
}

TEST_F(PassportCommands, verify_says_what_the_checks_of_a_valid_bundle_found) {
    ASSERT_EQ(compile("one").exit_code, 0);
    EXPECT_THAT(judge("verify", "one/bundle.json").output, Not(HasSubstr("own checks")));
    ASSERT_EQ(compile("bad", "\nfield check.one: Bool = emitCompliance(\"A\", \"FAIL\", \"e\");\n")
                  .exit_code,
              0);
    const Finished people = judge("verify", "bad/bundle.json");
    EXPECT_EQ(people.exit_code, 0) << "it is what was signed";
    EXPECT_THAT(people.output, HasSubstr("fails 1 of the issuer's own checks"));
    const Finished program =
        run({"passport", "verify", path("bad/bundle.json"), "--key", path("key.pub"), "--json"});
    EXPECT_EQ(Json::parse(program.output)->find("findings")->find("FAIL")->as_int64(), 1);
}

TEST_F(PassportCommands, verify_compares_a_printed_code_with_the_version) {
    ASSERT_EQ(compile("one").exit_code, 0);
    const auto with_code = [&](const std::string& code) {
        return run({"passport", "verify", path("one/bundle.json"), "--key", path("key.pub"),
                    "--code", code});
    };
    std::string code = read("one/qr.txt");
    code.erase(code.find_last_not_of('\n') + 1);
    EXPECT_EQ(with_code(code).exit_code, 0) << with_code(code).output;
    code[code.find("ph=") + 3] = code[code.find("ph=") + 3] == 'A' ? 'B' : 'A';
    const Finished other = with_code(code);
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(other.output, HasSubstr("The code is NOT that of this version"));
}

TEST_F(PassportCommands, replay_names_the_document_that_came_out_differently) {
    ASSERT_EQ(compile("one").exit_code, 0);
    tamper("\"70000.000000\"", "\"70000.000001\"");
    const Finished payload = judge("replay", "tampered.json");
    EXPECT_EQ(payload.exit_code, 1);
    EXPECT_THAT(payload.error_output,
                AllOf(StartsWith("jobforge: REPLAY_MISMATCH: "), HasSubstr("payload")));
    EXPECT_THAT(payload.output, IsEmpty());
}

TEST_F(PassportCommands, a_bundle_that_is_none_is_refused_in_one_line) {
    ASSERT_EQ(compile("one").exit_code, 0);
    write("none.json", "{}");
    EXPECT_THAT(failed_checks("none.json"), ElementsAre("members"));
    const Finished replayed = judge("replay", "none.json");
    EXPECT_EQ(replayed.exit_code, 1);
    EXPECT_THAT(replayed.error_output, StartsWith("jobforge: "));
    for (const char* verb : {"verify", "replay"}) {
        const Finished gone = judge(verb, "nowhere.json");
        EXPECT_EQ(gone.exit_code, 1) << verb;
        EXPECT_THAT(gone.error_output, HasSubstr("nowhere.json")) << verb;
    }
}

TEST_F(PassportCommands, a_key_is_a_file_or_its_base64_and_anything_else_is_refused) {
    ASSERT_EQ(compile("one").exit_code, 0);
    std::string key = read("key.pub");
    key.erase(key.find_last_not_of('\n') + 1);
    const std::string bundle = path("one/bundle.json");
    EXPECT_EQ(run({"passport", "verify", bundle, "--key", key}).exit_code, 0);
    write("short.pub", key.substr(0, 20) + "\n");
    for (const char* verb : {"verify", "replay"}) {
        const Finished bad = judge(verb, "one/bundle.json", "short.pub");
        EXPECT_EQ(bad.exit_code, 1) << verb;
        EXPECT_THAT(bad.error_output, StartsWith("jobforge: ")) << verb;
        EXPECT_EQ(run({"passport", verb, bundle}).exit_code, 2) << verb << " without a key";
    }
}

TEST_F(PassportCommands, a_key_with_its_id_is_the_one_that_the_receipt_names) {
    ASSERT_EQ(compile("one").exit_code, 0);
    const std::string bundle = path("one/bundle.json");
    std::string key = read("key.pub");
    key.erase(key.find_last_not_of('\n') + 1);
    for (const std::string& form : {path("key.pub"), key}) {
        for (const char* verb : {"verify", "replay"}) {
            const Finished right = run({"passport", verb, bundle, "--key", "dev-key-1=" + form});
            EXPECT_EQ(right.exit_code, 0) << right.output << right.error_output;
            EXPECT_THAT(right.output, Not(HasSubstr("not checked")));
            const Finished wrong = run({"passport", verb, bundle, "--key", "key-2=" + form});
            EXPECT_EQ(wrong.exit_code, 1) << wrong.output;
            EXPECT_THAT(wrong.output + wrong.error_output,
                        AllOf(HasSubstr("dev-key-1"), HasSubstr("key-2")));
        }
    }
    EXPECT_THAT(judge("verify", "one/bundle.json").output,
                AllOf(HasSubstr("dev-key-1"), HasSubstr("not checked")));
}

TEST_F(PassportCommands, keygen_makes_a_pair_once_and_never_replaces_a_key) {
    const Finished made = run({"passport", "keygen", "--out", path("mine"), "--json"});
    ASSERT_EQ(made.exit_code, 0) << made.error_output;
    const auto answer = Json::parse(made.output);
    ASSERT_TRUE(answer.ok()) << made.output;
    EXPECT_EQ(*answer->find("public_key")->as_string() + "\n", read("mine.pub"));
    const std::string secret = read("mine");
    EXPECT_EQ(secret.size(), 45U) << "32 bytes in base64 and a newline";
    EXPECT_THAT(made.output, Not(HasSubstr(secret.substr(0, 44))));
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(path("mine")).permissions(), perms(0600));
    EXPECT_EQ(std::filesystem::status(path("mine.pub")).permissions(), perms(0644));

    const Finished again = run({"passport", "keygen", "--out", path("mine")});
    EXPECT_EQ(again.exit_code, 1);
    EXPECT_THAT(again.error_output, HasSubstr("mine"));
    EXPECT_EQ(read("mine"), secret);
    ASSERT_EQ(run({"passport", "keygen", "--out", path("other")}).exit_code, 0);
    EXPECT_NE(read("other"), secret);
    EXPECT_EQ(run({"passport", "keygen"}).exit_code, 2);
    EXPECT_EQ(run({"passport", "keygen", "--out", path("no/such/folder")}).exit_code, 1);
}

}  // namespace
}  // namespace jobforge::cli
