// The tenant's log of events: grows in commit order, is signed, and goes on only from what was
// signed.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>

#include "audit/signed_note.h"
#include "log_world.h"
#include "services/audit/accept_head.h"
#include "services/passport/passport_metrics.h"
#include "wait_until.h"

namespace jobforge::services {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The lines of a logger, as text.
class Lines final : public LogSink {
public:
    void write(const LogRecord& record) noexcept override {
        const std::lock_guard lock(mutex_);
        const std::string_view level = record.level == LogLevel::error  ? "error: "
                                       : record.level == LogLevel::warn ? "warn: "
                                                                        : "info: ";
        text_ += std::string(level) + std::string(record.message) + "\n";
    }
    [[nodiscard]] bool enabled(LogLevel) const noexcept override { return true; }
    [[nodiscard]] std::string text() const {
        const std::lock_guard lock(mutex_);
        return text_;
    }

private:
    mutable std::mutex mutex_;
    std::string text_;
};

class LogKeeperTest : public LogWorld {
protected:
    [[nodiscard]] std::string kept() const {
        const auto note = kept_->find(tenant_);
        return note.ok() && *note ? **note : std::string();
    }
    // Another machine: the same key, a data directory of its own.
    [[nodiscard]] LogSigner another_machine() const {
        LogSigner other = signer();
        other.kept = std::make_shared<KeptHeads>(home_.path() + "/another");
        return other;
    }
    std::string extend_with(const LogSigner& other) {
        auto grown = extend_log(connection_, tenant_, other);
        last_error_ = grown.ok() ? Error() : grown.error();
        return grown.ok() ? std::to_string(grown->added)
                          : std::string(to_string(grown.error().code));
    }
    std::string accept(const std::string& reason = "restored the backup of Monday") {
        auto head = accept_head(connection_, {tenant_, reason, "cli"}, signer());
        last_error_ = head.ok() ? Error() : head.error();
        return head.ok() ? "accepted" : std::string(to_string(head.error().code));
    }
    // As after restoring a backup of when there were so many log entries.
    void set_back(int entries) {
        tamper(fmt::format(
            "delete from jobforge.log_heads where tree_size > {0}; "
            "delete from jobforge.events e using jobforge.event_log l where l.event_id = "
            "e.event_id and l.log_index >= {0}; delete from jobforge.event_log where log_index >= "
            "{0}",
            entries));
    }
    LogKeeperOptions options() {
        LogKeeperOptions options;
        options.database_url = database_.url();
        options.signer = signer();
        options.signer.log = Logger(lines_);
        options.interval = std::chrono::milliseconds(20);
        options.metrics = &metrics_;
        return options;
    }
    bool logged(int count) {
        return test::wait_until([this, count] {
            return one("select count(*)::text from jobforge.event_log") == std::to_string(count);
        });
    }

    std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
    PassportMetrics metrics_;
};

TEST_F(LogKeeperTest, takes_every_committed_event_into_the_log_once) {
    happen({1, 2, 3});
    EXPECT_EQ(extend(), "3");
    EXPECT_EQ(extend(), "0");
    happen({1, 2});
    EXPECT_EQ(extend(), "2");
    const auto report = verify();
    EXPECT_TRUE(report.anchored()) << report.fault->message;
    EXPECT_EQ(report.events, 5);
    EXPECT_EQ(report.log_entries, 5);
    EXPECT_EQ(report.heads, 2);
    EXPECT_EQ(report.signatures_checked, 2);
    EXPECT_EQ(report.events_not_logged, 0);
}

TEST_F(LogKeeperTest, signs_heads_that_anybody_can_check_and_keeps_the_last_one_in_a_file) {
    happen({1});
    EXPECT_EQ(extend(), "1");
    const std::vector<Ed25519PublicKey> keys{public_key()};
    const auto opened = open_checkpoint(newest(), fmt::format("jobforge/{}", kLogTenant), keys);
    ASSERT_TRUE(opened.ok()) << opened.error().describe();
    EXPECT_EQ(opened->tree_size, 1U);
    EXPECT_EQ(kept(), newest());
    std::ostringstream file;
    file << std::ifstream(kept_->file_of(tenant_)).rdbuf();
    EXPECT_EQ(file.str(), newest());
    happen({1});
    EXPECT_EQ(extend(), "1");
    EXPECT_EQ(kept(), newest());
}

TEST_F(LogKeeperTest, without_the_key_nothing_is_signed_and_it_says_so) {
    happen({1});
    LogSigner other = signer();
    other.key_id = "another";
    EXPECT_EQ(extend_with(other), "SIGNING_KEY_MISSING");
    EXPECT_EQ(extend(), "1");
}

TEST_F(LogKeeperTest, a_rewritten_history_without_its_heads_is_not_signed) {
    happen({1, 2});
    EXPECT_EQ(extend(), "2");
    // The whole trail forged and made to wait again: consistent, and nothing in the database tells.
    tamper(
        "delete from jobforge.log_heads; insert into jobforge.events_to_log select tenant_id, "
        "event_seq, event_id from jobforge.events; delete from jobforge.event_log");
    happen({1});
    EXPECT_EQ(extend(), "LOG_HEAD_MISMATCH");
    EXPECT_THAT(last_error_.message, AllOf(HasSubstr("a head over 2 events was signed"),
                                           HasSubstr(kept_->file_of(tenant_))));
    EXPECT_THAT(last_error_.hint, HasSubstr("jobforge audit accept-head"));
    EXPECT_EQ(one("select count(*)::text from jobforge.event_log"), "0");  // rolled back
    // A machine that has never kept a head cannot know.
    EXPECT_EQ(extend_with(another_machine()), "3");
}

TEST_F(LogKeeperTest, heads_of_other_machines_in_between_are_no_alarm) {
    const LogSigner other = another_machine();
    happen({1});
    EXPECT_EQ(extend(), "1");
    for (int n = 0; n < 3; ++n) {
        happen({1, 2});
        EXPECT_EQ(extend_with(other), "2");
    }
    happen({3});
    EXPECT_EQ(extend(), "1") << last_error_.message;
    EXPECT_TRUE(verify({kept()}).anchored());
}

TEST_F(LogKeeperTest, entries_between_the_kept_head_and_the_newest_one_are_computed_again) {
    const LogSigner other = another_machine();
    happen({1, 2});
    EXPECT_EQ(extend(), "2");
    happen({1, 2});
    EXPECT_EQ(extend_with(other), "2");
    tamper("update jobforge.event_log set event_hash = sha256('x') where log_index = 2");
    happen({3});
    EXPECT_EQ(extend(), "LOG_HEAD_MISMATCH");
    EXPECT_THAT(last_error_.message, HasSubstr("the log was rewritten"));
    tamper("delete from jobforge.event_log where log_index = 2");
    EXPECT_EQ(extend(), "LOG_HEAD_MISMATCH");
    EXPECT_THAT(last_error_.message, HasSubstr("entry 2 of the log is missing"));
}

TEST_F(LogKeeperTest, the_kept_head_is_one_of_the_databases_heads) {
    const LogSigner other = another_machine();
    for (int n = 0; n < 2; ++n) {
        happen({1});
        EXPECT_EQ(extend(), "1");
    }
    happen({1});
    EXPECT_EQ(extend_with(other), "1");
    tamper("delete from jobforge.log_heads where tree_size = 2");  // the one before is still there
    happen({1});
    EXPECT_EQ(extend(), "LOG_HEAD_MISMATCH");
    EXPECT_THAT(last_error_.message,
                HasSubstr("does not have the head over 2 events that was signed"));
}

TEST_F(LogKeeperTest, what_is_stored_with_a_head_is_checked_and_not_believed) {
    happen({1, 2, 3});
    EXPECT_EQ(extend(), "3");
    happen({1});
    const auto refused_after = [this](const std::string& sql) {
        tamper(sql);
        const std::string code = extend();
        return code == "LOG_HEAD_MISMATCH" ? last_error_.message : code;
    };
    const std::string frontier = one("select frontier::text from jobforge.log_heads");
    EXPECT_THAT(refused_after("update jobforge.log_heads set frontier = array[sha256('x'), "
                              "sha256('y')]"),
                HasSubstr("the frontier of the stored head"));
    EXPECT_THAT(refused_after("update jobforge.log_heads set frontier = array[null, "
                              "sha256('y')]::bytea[]"),
                HasSubstr("the frontier of the stored head"));
    EXPECT_THAT(refused_after("update jobforge.log_heads set frontier = '{}'"),
                HasSubstr("the frontier of the stored head"));
    tamper("update jobforge.log_heads set frontier = '" + frontier + "'");
    EXPECT_THAT(refused_after("update jobforge.log_heads set checkpoint = replace(checkpoint, "
                              "E'\\n3\\n', E'\\n2\\n')"),
                HasSubstr("not signed by a key that this deployment trusts"));
}

TEST_F(LogKeeperTest, entries_that_no_head_covers_are_not_signed_even_where_nothing_was_kept) {
    happen({1, 2});
    EXPECT_EQ(extend(), "2");
    tamper("delete from jobforge.log_heads");
    happen({1});
    EXPECT_EQ(extend_with(another_machine()), "LOG_HEAD_MISMATCH");
    EXPECT_THAT(last_error_.message, HasSubstr("covers 0 events, and the log has more"));
}

TEST_F(LogKeeperTest, heads_of_a_key_that_is_gone_are_trusted_if_its_public_key_is_named) {
    happen({1});
    EXPECT_EQ(extend(), "1");
    auto keys = std::make_shared<SigningKeys>();
    ASSERT_TRUE(keys->add("new", "ICECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=").ok());
    LogSigner rotated = signer();
    rotated.keys = keys;
    rotated.key_id = "new";
    happen({1});
    EXPECT_EQ(extend_with(rotated), "LOG_HEAD_MISMATCH");
    rotated.more_keys = {public_key()};
    EXPECT_EQ(extend_with(rotated), "1");
}

TEST_F(LogKeeperTest, a_kept_head_that_cannot_be_read_is_not_the_same_as_none) {
    happen({1});
    EXPECT_EQ(extend(), "1");
    std::ofstream(kept_->file_of(tenant_)) << "spoilt";
    happen({1});
    EXPECT_EQ(extend(), "LOG_HEAD_MISMATCH");
    std::filesystem::remove(kept_->file_of(tenant_));
    std::filesystem::create_directory(kept_->file_of(tenant_));
    EXPECT_EQ(extend(), "LOG_HEAD_MISMATCH");
    // Removed while the process runs: its memory has it, and the next head makes the file again.
    std::filesystem::remove(kept_->file_of(tenant_));
    EXPECT_EQ(extend(), "1");
    EXPECT_EQ(kept(), newest());
}

TEST_F(LogKeeperTest, a_directory_that_cannot_be_written_is_told_and_heads_are_signed) {
    LogSigner other = signer();
    other.kept = std::make_shared<KeptHeads>("/proc/log_heads");  // not even root can make it
    other.log = Logger(lines_);
    happen({1});
    EXPECT_EQ(extend_with(other), "1");
    EXPECT_THAT(lines_->text(), HasSubstr("warn: a log head is not kept outside"));
    // The process remembers it.
    set_back(0);
    happen({1});
    EXPECT_EQ(extend_with(other), "LOG_HEAD_MISMATCH");
}

TEST_F(LogKeeperTest, a_head_whose_commit_fails_is_not_kept) {
    happen({1});
    EXPECT_EQ(extend(), "1");
    const std::string before = kept();
    run("create function public.refuse() returns trigger language plpgsql as $$ begin raise "
        "exception 'the commit fails'; end $$; create constraint trigger refused after insert on "
        "jobforge.log_heads deferrable initially deferred for each row execute function "
        "public.refuse()");
    happen({1});
    EXPECT_THAT(extend(), ::testing::Ne("1"));
    EXPECT_EQ(kept(), before);  // else it would be newer than the database: an alarm for nothing
    run("drop trigger refused on jobforge.log_heads");
    EXPECT_EQ(extend(), "1") << last_error_.message;
}

TEST_F(LogKeeperTest, an_upgraded_machine_trusts_the_newest_head_once_and_says_so) {
    happen({1});
    EXPECT_EQ(extend(), "1");
    LogSigner other = another_machine();
    other.log = Logger(lines_);
    happen({1});
    EXPECT_EQ(extend_with(other), "1");
    EXPECT_THAT(lines_->text(), HasSubstr("warn: no log head was kept here"));
    happen({1});
    EXPECT_EQ(extend_with(other), "1");
    EXPECT_EQ(lines_->text().find("no log head was kept here"),
              lines_->text().rfind("no log head was kept here"));
}

TEST_F(LogKeeperTest, workers_of_the_release_before_write_leaves_of_form_1_beside_it) {
    happen({1, 2});
    EXPECT_EQ(extend(), "2");
    happen({1});
    const std::string tenant =
        fmt::format("select set_config('app.tenant_id', '{}', true)", tenant_.to_string());
    // extend_event_log() as that release calls it, and the head that it computes.
    run("begin; " + tenant + "; select jobforge.extend_event_log(); commit");
    EXPECT_EQ(one("select string_agg(leaf_version::text, ' ' order by log_index) from "
                  "jobforge.event_log"),
              "2 2 1");
    const auto leaves = read_log_leaves(connection_, tenant_).value();
    const Sha256 root = merkle_root(leaves);
    const auto note =
        sign_checkpoint({passport::log_origin(tenant_), 3, root}, *keys_->find("key")).value();
    run(
        fmt::format("begin; {}; select jobforge.store_log_head(3, '\\x{}', array['\\x{}'::bytea, "
                    "'\\x{}'::bytea], '{}', 'key'); commit",
                    tenant, hex_encode(root), hex_encode(merkle_node_hash(leaves[0], leaves[1])),
                    hex_encode(leaves[2]), note));
    happen({2});
    EXPECT_EQ(extend(), "1") << last_error_.message;
    EXPECT_TRUE(verify().anchored());
    // Leaves of form 2 that no head covers are not for it.
    happen({2});
    run("begin; " + tenant + "; select jobforge.grow_event_log(); commit");
    EXPECT_EQ(one("select (jobforge.extend_event_log()).tree_size::text from " + std::string() +
                  "(select set_config('app.tenant_id', '" + tenant_.to_string() + "', false)) s"),
              "NULL");
}

TEST_F(LogKeeperTest, a_restored_backup_goes_on_when_somebody_accepts_it_and_the_trail_says_why) {
    happen({1, 2});
    EXPECT_EQ(extend(), "2");
    happen({1, 2});
    EXPECT_EQ(extend(), "2");
    EXPECT_EQ(accept(), "INVALID_TRANSITION");  // nothing is wrong
    const std::string before = kept();
    set_back(2);
    happen({3});
    EXPECT_EQ(extend(), "LOG_HEAD_MISMATCH");
    EXPECT_EQ(check_log(connection_, tenant_, signer()).error().code, ErrorCode::LOG_HEAD_MISMATCH);
    EXPECT_EQ(accept(), "accepted") << last_error_.message;
    EXPECT_TRUE(check_log(connection_, tenant_, signer()).ok());
    EXPECT_EQ(kept(), newest());
    happen({3});
    EXPECT_EQ(extend(), "1");
    EXPECT_TRUE(verify({kept()}).anchored());
    EXPECT_EQ(verify({before}).fault.value().what, "head_root");  // whoever kept it still sees it
    EXPECT_EQ(one("select convert_from(payload_canonical, 'UTF8')::json->>'reason' || ' ' || "
                  "(convert_from(payload_canonical, 'UTF8')::json->'kept'->>'tree_size') || ' ' || "
                  "(convert_from(payload_canonical, 'UTF8')::json->'accepted'->>'tree_size') || ' '"
                  " || actor_id from jobforge.events where event_type = 'LOG_HEAD_ACCEPTED'"),
              "restored the backup of Monday 4 2 cli");
}

TEST_F(LogKeeperTest, a_trail_that_contradicts_itself_cannot_be_accepted) {
    happen({1, 2});
    EXPECT_EQ(extend(), "2");
    tamper("delete from jobforge.log_heads; update jobforge.events set actor_id = 'x'");
    EXPECT_EQ(accept(), "LOG_HEAD_MISMATCH");
    EXPECT_THAT(last_error_.message, HasSubstr("contradicts itself"));
    EXPECT_EQ(one("select count(*)::text from jobforge.events where event_type = "
                  "'LOG_HEAD_ACCEPTED'"),
              "0");
}

TEST_F(LogKeeperTest, runs_by_itself_and_survives_a_lost_connection) {
    LogKeeper keeper(options());
    happen({1, 2});
    EXPECT_TRUE(logged(2));
    run("select pg_terminate_backend(pid) from pg_stat_activity "
        "where application_name = 'jobforge log keeper' and datname = current_database()");
    happen({1});
    EXPECT_TRUE(logged(3));
    EXPECT_TRUE(verify().ok());
}

TEST_F(LogKeeperTest, a_refused_log_is_one_error_line_and_a_metric_and_other_tenants_go_on) {
    happen({1, 2});
    EXPECT_EQ(extend(), "2");
    set_back(0);
    happen({1});
    make_tenant("aaaaaaaa-0000-4000-8000-000000000107", "other");
    happen({1});
    LogKeeper keeper(options());
    EXPECT_TRUE(logged(1));  // the other tenant's
    EXPECT_TRUE(test::wait_until([this] {
        return metrics_.text().find("bpc_log_head_mismatches_total 0") == std::string::npos;
    }));
    const std::string line = "error: a log head is not signed";
    EXPECT_THAT(lines_->text(), HasSubstr(line));
    tenant_ = *Uuid::parse(kLogTenant);
    EXPECT_EQ(accept(), "accepted") << last_error_.message;
    happen({1});
    EXPECT_TRUE(logged(4));  // with the event of the acceptance
    EXPECT_TRUE(test::wait_until([this] {
        return lines_->text().find("info: log heads are signed again") != std::string::npos;
    }));
    EXPECT_EQ(lines_->text().find(line), lines_->text().rfind(line));
}

TEST_F(LogKeeperTest, rows_that_a_constraint_refuses_stop_the_log_of_their_tenant_alone) {
    happen({1, 2});
    EXPECT_EQ(extend(), "2");
    tamper(
        "insert into jobforge.events_to_log select tenant_id, event_seq, event_id from "
        "jobforge.events");
    make_tenant("aaaaaaaa-0000-4000-8000-000000000107", "other");
    happen({1});
    const auto pass = extend_logs(connection_, signer());
    ASSERT_TRUE(pass.ok()) << pass.error().describe();
    EXPECT_EQ(pass->added, 1);
    ASSERT_EQ(pass->refused.size(), 1U);
    EXPECT_EQ(pass->refused[0].first.to_string(), kLogTenant);
}

TEST_F(LogKeeperTest, an_event_that_was_removed_while_it_waited_is_missed) {
    happen({1, 2});
    tamper(
        "delete from jobforge.events where aggregate_id = 'bbbbbbbb-0000-4000-8000-000000000002'");
    EXPECT_EQ(extend(), "LOG_HEAD_MISMATCH");
    EXPECT_THAT(last_error_.message,
                HasSubstr("1 event that waited for a place in the log is not"));
    EXPECT_EQ(verify().fault.value().what, "waiting_event_missing");
}

TEST_F(LogKeeperTest, a_witness_is_given_the_newest_head_and_nothing_waits_for_it) {
    std::mutex mutex;
    std::vector<std::string> taken;
    bool down = true;
    LogKeeperOptions with_witness = options();
    with_witness.witness_retry = std::chrono::milliseconds(1);
    with_witness.witness = [&](const std::string& head, const std::stop_token&) -> Status {
        const std::lock_guard lock(mutex);
        if (down) {
            return Error::of(ErrorCode::CONNECTION_FAILED, "the witness is away");
        }
        taken.push_back(head);
        return ok_status();
    };
    LogKeeper keeper(std::move(with_witness));
    happen({1});
    EXPECT_TRUE(logged(1));
    happen({1});
    EXPECT_TRUE(logged(2));
    EXPECT_TRUE(test::wait_until([this] {
        return metrics_.text().find("bpc_log_witness_failures_total 0") == std::string::npos;
    }));
    {
        const std::lock_guard lock(mutex);
        down = false;
    }
    EXPECT_TRUE(test::wait_until([&] {
        const std::lock_guard lock(mutex);
        return !taken.empty() && taken.back() == newest();
    }));
    EXPECT_THAT(lines_->text(), AllOf(HasSubstr("warn: the witness did not take a log head"),
                                      HasSubstr("info: the witness takes log heads again")));
}

TEST_F(LogKeeperTest, several_keepers_make_one_log) {
    std::vector<std::unique_ptr<LogKeeper>> keepers;
    for (int n = 0; n < 3; ++n) {
        LogKeeperOptions one_of_three = options();
        one_of_three.interval = std::chrono::milliseconds(1);
        // Two share a data directory, the third is another machine.
        if (n == 2) {
            one_of_three.signer.kept = another_machine().kept;
        }
        keepers.push_back(std::make_unique<LogKeeper>(std::move(one_of_three)));
    }
    for (int n = 0; n < 30; ++n) {
        happen({n % 5});
    }
    EXPECT_TRUE(test::wait_until([this] { return verify().events_under_head == 30; }));
    const auto report = verify();
    EXPECT_TRUE(report.ok()) << report.fault->message;
    EXPECT_EQ(report.log_entries, 30);
    EXPECT_THAT(metrics_.text(), HasSubstr("bpc_log_head_mismatches_total 0\n"));
}

}  // namespace
}  // namespace jobforge::services
