// jobforge audit: a trail that is whole, and every way to see that it is not.
#include "pipeline_world.h"

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
    EXPECT_THAT(done({"audit", "verify"}), HasSubstr("The audit trail is whole."));
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
    EXPECT_EQ(text(answer({"audit", "verify"}), "valid"), "true");  // nothing left to contradict it
    broken({"--head", path("head.txt")}, "head_beyond_log", "4");
}

TEST_F(AuditCommands, an_export_verifies_offline_and_a_changed_or_cut_one_does_not) {
    make_trail();
    done({"audit", "export", "--out", path("trail.jsonl")});
    EXPECT_EQ(go({"audit", "export"}).output, read(path("trail.jsonl")));
    done({"audit", "head", "--out", path("head.txt")});
    const auto offline = [this](const std::string& file) {
        return run_program({"audit", "verify", "--file", file, "--head", path("head.txt")}, {});
    };
    const Finished whole = offline(path("trail.jsonl"));
    EXPECT_EQ(whole.exit_code, 0) << whole.output << whole.error_output;
    EXPECT_THAT(whole.output, HasSubstr("give --key"));

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

TEST_F(AuditCommands, only_the_given_keys_are_trusted) {
    make_trail();
    EXPECT_EQ(run_program({"passport", "keygen", "--out", path("other")}, {}).exit_code, 0);
    broken({"--key", path("other.pub")}, "head_signature", "");
}

TEST_F(AuditCommands, a_tenant_without_events_has_no_head_and_a_whole_trail) {
    refused({"audit", "head"}, "NOT_FOUND", "worker");
    EXPECT_EQ(text(answer({"audit", "verify"}), "events"), "0");
}

}  // namespace
}  // namespace jobforge::cli
