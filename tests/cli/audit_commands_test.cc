// jobforge audit: a trail that is whole, and every way to see that it is not.
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/crypto/ed25519.h"
#include "pipeline_world.h"
#include "tcp_server.h"
#include "wait_until.h"

namespace jobforge::cli {
namespace {

using test::Finished;
using ::testing::AllOf;
using ::testing::HasSubstr;

class AuditCommands : public PipelineWorld {
protected:
    // Two documents, and a head that covers all their events.
    void make_trail() {
        start_worker();
        for (const char* name : {"a", "b"}) {
            documents_.push_back(id({"docs", "upload", write("bom.json", R"({"components":[]})"),
                                     "--kind", "BOM", "--name", name, "--wait"}));
        }
        ASSERT_TRUE(test::wait_until(
            [this] { return one("select max(tree_size) from jobforge.log_heads") == "4"; }));
        ASSERT_TRUE(test::wait_until([this] {
            return kept_head().find("\n4\n") != std::string::npos;
        })) << "the keeper keeps a head after the database has it: "
            << kept_head();
    }
    // The head that the worker keeps outside of the database; empty if there is none.
    [[nodiscard]] std::string kept_head() const {
        const std::filesystem::path folder = home_.path() + "/log_heads";
        if (!std::filesystem::exists(folder)) {
            return {};
        }
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (entry.path().extension() == ".head") {
                std::ifstream file(entry.path());
                return {std::istreambuf_iterator<char>(file), {}};
            }
        }
        return {};
    }
    void tamper(const std::string& sql) {
        auto connection = database_.connect();
        ASSERT_TRUE(
            connection.script("test_tamper", "set session_replication_role = replica;" + sql).ok());
    }
    // Exit code 1, and these words in what is printed.
    void broken(std::vector<std::string> arguments, const std::string& what,
                const std::string& words) {
        arguments.insert(arguments.begin(), {"audit", "verify"});
        const Finished finished = go(arguments);
        EXPECT_EQ(finished.exit_code, 1) << finished.output << finished.error_output;
        EXPECT_THAT(finished.output, AllOf(HasSubstr("BROKEN (" + what + ")"), HasSubstr(words)));
    }

    // Exit code 6, and why.
    void not_anchored(std::vector<std::string> arguments, const std::string& why) {
        arguments.insert(arguments.begin(), {"audit", "verify"});
        const Finished finished = go(arguments);
        EXPECT_EQ(finished.exit_code, 6) << finished.output << finished.error_output;
        EXPECT_THAT(finished.output, AllOf(HasSubstr("consistent, not anchored"), HasSubstr(why)));
    }
    // The public key of the worker's data directory.
    std::string own_key() {
        const auto key = Ed25519PrivateKey::parse(read(home_.path() + "/keys/dev-key-1.key"));
        EXPECT_TRUE(key.ok());
        return key.ok() ? key->public_key().base64() : "";
    }

    std::vector<std::string> documents_;
};

TEST_F(AuditCommands, a_whole_trail_is_told_with_what_was_checked) {
    make_trail();
    const Json report = answer({"audit", "verify"});
    EXPECT_EQ(text(report, "valid"), "true");
    EXPECT_EQ(text(report, "events"), "4");
    EXPECT_EQ(text(report, "chains"), "2");
    EXPECT_EQ(text(report, "log_entries"), "4");
    EXPECT_EQ(text(report, "events_under_head"), "4");
    EXPECT_NE(text(report, "signatures_checked"), "0");
    EXPECT_EQ(text(report, "verdict"), "whole");
    // What was checked against what: the key of the data directory, and the head kept there.
    const Json& key = report.find("trusted_keys")->as_array()->at(0);
    EXPECT_EQ(text(key, "source"), "this deployment");
    EXPECT_EQ(text(key, "public_key").size(), 44U);
    EXPECT_NE(text(key, "signatures"), "0");
    const Json& head = report.find("heads_kept_outside")->as_array()->at(0);
    EXPECT_THAT(text(head, "source"), HasSubstr(home_.path() + "/log_heads/"));
    EXPECT_EQ(text(head, "tree_size"), "4");
    EXPECT_THAT(done({"audit", "verify"}),
                AllOf(HasSubstr("The audit trail is whole."), HasSubstr("(this deployment)"),
                      HasSubstr("the head kept outside in " + home_.path())));
    const auto events = rows({"audit", "list", "--aggregate", documents_.front()});
    ASSERT_EQ(events.size(), 2U);
    EXPECT_EQ(text(events.front(), "event_type"), "DOCUMENT_UPLOADED");
    EXPECT_EQ(text(events.front(), "actor_id"), "cli");
    EXPECT_THAT(text(events.front(), "payload"), HasSubstr(R"("kind":"BOM")"));
    EXPECT_EQ(rows({"audit", "list", "--type", "FACTS_PARSED"}).size(), 2U);
}

TEST_F(AuditCommands, a_changed_event_is_named_exactly) {
    make_trail();
    const std::string event =
        one("select event_id from jobforge.events order by event_seq limit 1");
    tamper("update jobforge.events set actor_id = 'somebody' where event_id = '" + event + "'");
    broken({}, "event_hash", event);
    const Finished finished = go({"audit", "verify", "--json"});
    EXPECT_EQ(finished.exit_code, 1);
    EXPECT_THAT(finished.output, HasSubstr(R"("valid":false)"));
}

TEST_F(AuditCommands, a_removed_chain_is_found_by_the_log) {
    make_trail();
    tamper("delete from jobforge.events where aggregate_id = '" + documents_.front() + "'");
    broken({}, "log_event_missing", "");
}

TEST_F(AuditCommands, a_head_kept_outside_finds_what_was_removed_with_all_traces) {
    make_trail();
    EXPECT_THAT(done({"audit", "head", "--out", path("head.txt")}), HasSubstr("4 events"));
    EXPECT_EQ(answer({"audit", "verify", "--head", path("head.txt")}).find("valid")->as_bool(),
              true);
    worker_.reset();
    tamper(
        "delete from jobforge.log_heads; delete from jobforge.event_log;"
        "delete from jobforge.events");
    broken({}, "head_beyond_log", "log_heads/");  // what the log keeper kept
    std::filesystem::remove_all(path("log_heads"));
    not_anchored({}, "there are no events");  // nothing left to contradict it
    broken({"--head", path("head.txt")}, "head_beyond_log", "4");
}

TEST_F(AuditCommands, keys_of_the_audited_database_are_not_trusted) {
    make_trail();
    worker_.reset();
    // Another machine, which has the database and nothing else.
    const test::TempDir elsewhere;
    more_environment_["JOBFORGE_DATA"] = elsewhere.path();
    not_anchored({}, "no trusted key is known; give --key");
    EXPECT_EQ(go({"audit", "verify", "--json"}).exit_code, 6);
    EXPECT_FALSE(std::filesystem::exists(elsewhere.path() + "/keys"));  // looking makes no key
    const std::string own = own_key();
    // Even the right one: anybody who can change the database can add one.
    tamper(
        "insert into jobforge.signing_keys (tenant_id, key_id, public_key) select tenant_id, "
        "'dev-key-1', decode('" +
        own + "', 'base64') from jobforge.tenants");
    not_anchored({}, "no trusted key is known; give --key");
    EXPECT_THAT(done({"audit", "verify", "--key", own}),
                AllOf(HasSubstr("The audit trail is whole. No head kept outside was given"),
                      HasSubstr("the key " + own + " (--key)")));
    more_environment_["JOBFORGE_AUDIT_KEYS"] = own;
    EXPECT_THAT(done({"audit", "verify"}), HasSubstr("(JOBFORGE_AUDIT_KEYS)"));
    // A key of this deployment that has signed none of the heads says nothing about them.
    more_environment_.erase("JOBFORGE_AUDIT_KEYS");
    EXPECT_EQ(run_program({"passport", "keygen", "--out", path("other")}, {}).exit_code, 0);
    more_environment_["BPC_SIGNING_ED25519_PRIVATE_KEY_BASE64"] = trimmed(read(path("other")));
    not_anchored({}, "no head names a key of this deployment");
    more_environment_["JOBFORGE_AUDIT_KEYS"] = "no key";
    EXPECT_EQ(go({"audit", "verify"}).exit_code, 2);
}

TEST_F(AuditCommands, an_export_verifies_offline_and_a_changed_or_cut_one_does_not) {
    make_trail();
    done({"audit", "export", "--out", path("trail.jsonl")});
    EXPECT_EQ(go({"audit", "export"}).output, read(path("trail.jsonl")));
    done({"audit", "head", "--out", path("head.txt")});
    const std::string own = own_key();
    const auto offline = [&](const std::string& file, bool with_key = true) {
        std::vector<std::string> arguments{"audit", "verify", "--file",
                                           file,    "--head", path("head.txt")};
        if (with_key) {
            arguments.insert(arguments.end(), {"--key", own});
        }
        return run_program(arguments, {{"JOBFORGE_DATA", path("nowhere")}});
    };
    const Finished whole = offline(path("trail.jsonl"));
    EXPECT_EQ(whole.exit_code, 0) << whole.output << whole.error_output;
    const Finished unanchored = offline(path("trail.jsonl"), false);
    EXPECT_EQ(unanchored.exit_code, 6);
    EXPECT_THAT(unanchored.output, AllOf(HasSubstr("consistent, not anchored"),
                                         HasSubstr("give --key"), HasSubstr(path("head.txt"))));

    std::string bytes = read(path("trail.jsonl"));
    bytes.replace(bytes.find("\"actor_id\":\"cli\""), 16, "\"actor_id\":\"clj\"");
    const Finished changed = offline(write("changed.jsonl", bytes));
    EXPECT_EQ(changed.exit_code, 1);
    EXPECT_THAT(changed.output, HasSubstr("BROKEN (event_hash)"));

    bytes = read(path("trail.jsonl"));
    bytes.erase(bytes.rfind('\n', bytes.size() - 2) + 1);
    const Finished cut = offline(write("cut.jsonl", bytes));
    EXPECT_EQ(cut.exit_code, 1);
    EXPECT_THAT(cut.error_output, HasSubstr("VALIDATION_ERROR"));
    EXPECT_EQ(offline(path("missing.jsonl")).exit_code, 1);
}

TEST_F(AuditCommands, an_export_has_what_a_head_covers_and_the_rest_if_it_is_wanted) {
    make_trail();
    worker_.reset();
    id({"docs", "upload", write("c.json", R"({"components":[]})"), "--kind", "BOM"});
    const Finished exported = go({"audit", "export", "--out", path("trail.jsonl")});
    EXPECT_THAT(exported.error_output,
                AllOf(HasSubstr("4 events, 4 log entries"), HasSubstr("left out: 1 event ")));
    const std::string own = own_key();
    done({"audit", "verify", "--file", path("trail.jsonl"), "--key", own});
    done({"audit", "export", "--waiting", "--out", path("all.jsonl")});
    not_anchored({"--file", path("all.jsonl"), "--key", own}, "1 of the events are not in the log");
    // Made to look logged.
    std::string bytes = read(path("all.jsonl"));
    bytes.replace(bytes.find(R"("type":"waiting")"), 16, R"("type":"event")");
    bytes.replace(bytes.rfind(R"("events":4)"), 10, R"("events":5)");
    bytes.replace(bytes.rfind(R"("waiting":1)"), 11, R"("waiting":0)");
    broken({"--file", write("added.jsonl", bytes), "--key", own}, "event_not_logged", "by hand");
}

TEST_F(AuditCommands, two_heads_are_compared_with_the_log_of_a_database_or_of_an_export) {
    const auto witness = test::TcpServer::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    more_environment_["JOBFORGE_LOG_WITNESS_URL"] = witness->url("/heads");
    make_trail();
    done({"audit", "head", "--out", path("older.txt")});
    id({"docs", "upload", write("c.json", R"({"components":[]})"), "--kind", "BOM", "--wait"});
    ASSERT_TRUE(test::wait_until(
        [this] { return one("select max(tree_size) from jobforge.log_heads") == "6"; }));
    done({"audit", "head", "--out", path("newer.txt")});
    // The witness has it too.
    EXPECT_TRUE(test::wait_until([&] {
        return !witness->requests().empty() &&
               witness->requests().back().ends_with(read(path("newer.txt")));
    }));
    worker_.reset();
    done({"audit", "export", "--out", path("trail.jsonl")});
    const std::string own = own_key();
    const std::vector<std::string> compare{"audit", "consistency", path("older.txt"),
                                           path("newer.txt")};
    EXPECT_THAT(done(compare), HasSubstr("the head over 6 events begins with the one over 4"));
    const Json proved = answer(compare);
    EXPECT_EQ(text(proved, "newer_tree_size"), "6");
    EXPECT_EQ(proved.find("proof")->as_array()->size(), 1U);
    const auto offline = [&](std::vector<std::string> arguments, const std::string& key) {
        arguments.insert(arguments.end(), {"--file", path("trail.jsonl"), "--key", key});
        return run_program(arguments, {{"JOBFORGE_DATA", path("nowhere")}});
    };
    const Finished good = offline(compare, own);
    EXPECT_EQ(good.exit_code, 0) << good.error_output;
    EXPECT_EQ(
        offline({"audit", "consistency", path("newer.txt"), path("older.txt")}, own).exit_code, 1);
    EXPECT_EQ(run_program({"passport", "keygen", "--out", path("other")}, {}).exit_code, 0);
    const Finished foreign = offline(compare, path("other.pub"));
    EXPECT_EQ(foreign.exit_code, 1);
    EXPECT_THAT(foreign.error_output, HasSubstr("SIGNATURE_INVALID: the older head"));
    const Finished keyless = run_program({"audit", "consistency", path("older.txt"),
                                          path("newer.txt"), "--file", path("trail.jsonl")},
                                         {{"JOBFORGE_DATA", path("nowhere")}});
    EXPECT_EQ(keyless.exit_code, 1);
    EXPECT_THAT(keyless.error_output, HasSubstr("INVALID_SIGNING_KEY: no key is known"));
    tamper("update jobforge.event_log set event_hash = sha256('x') where log_index = 0");
    refused(compare, "LOG_HEAD_MISMATCH", "neither is one of this log");
}

TEST_F(AuditCommands, a_database_that_was_set_back_is_an_alarm_until_somebody_accepts_it) {
    make_trail();
    EXPECT_THAT(done({"doctor"}), HasSubstr("the logs go on from the heads that are kept here"));
    // The head of another database's tenant is a remark, not an alarm.
    const std::string foreign =
        write("log_heads/aaaaaaaa-0000-4000-8000-000000000001.head", "of another database");
    EXPECT_THAT(done({"doctor"}), HasSubstr("has no such tenant"));
    std::filesystem::remove(foreign);
    worker_.reset();
    tamper(
        "delete from jobforge.log_heads; delete from jobforge.event_log;"
        "delete from jobforge.events; delete from jobforge.events_to_log");
    const Finished doctor = go({"doctor"});
    EXPECT_EQ(doctor.exit_code, 1);
    EXPECT_THAT(doctor.output, AllOf(HasSubstr("log_heads"), HasSubstr("accept-head")));
    more_environment_["BPC_JOBS_POLL_INTERVAL_MS"] = "20";
    start_worker();
    id({"docs", "upload", write("c.json", R"({"components":[]})"), "--kind", "BOM", "--wait"});
    EXPECT_TRUE(worker_->wait_for_output("a log head is not signed"));
    EXPECT_EQ(one("select count(*) from jobforge.log_heads"), "0");
    EXPECT_EQ(go({"audit", "accept-head"}).exit_code, 2);  // --reason is missing
    EXPECT_THAT(done({"audit", "accept-head", "--reason", "restored a backup"}),
                HasSubstr("jobforge/"));
    EXPECT_EQ(rows({"audit", "list", "--type", "LOG_HEAD_ACCEPTED"}).size(), 1U);
    EXPECT_THAT(done({"audit", "verify"}), HasSubstr("The audit trail is whole."));
    EXPECT_EQ(go({"doctor"}).exit_code, 0);
    refused({"audit", "accept-head", "--reason", "again"}, "INVALID_TRANSITION", "nothing");
}

TEST_F(AuditCommands, only_the_given_keys_are_trusted) {
    make_trail();
    EXPECT_EQ(run_program({"passport", "keygen", "--out", path("other")}, {}).exit_code, 0);
    broken({"--key", path("other.pub")}, "head_signature", "");
}

TEST_F(AuditCommands, a_tenant_without_events_has_no_head_and_its_trail_is_not_anchored) {
    refused({"audit", "head"}, "NOT_FOUND", "worker");
    not_anchored({}, "there are no events");
    const Finished finished = go({"audit", "verify", "--json"});
    EXPECT_EQ(finished.exit_code, 6);
    EXPECT_THAT(finished.output,
                AllOf(HasSubstr(R"("valid":true)"), HasSubstr(R"("anchored":false)"),
                      HasSubstr(R"("verdict":"not_anchored")")));
    id({"docs", "upload", write("bom.json", R"({"components":[]})"), "--kind", "BOM"});
    not_anchored({}, "there is no signed head");
}

}  // namespace
}  // namespace jobforge::cli
