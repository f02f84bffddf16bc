// The tenant's log of events: grows in commit order, is signed, and shows what was cut out.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/signed_note.h"
#include "engine/migrate.h"
#include "test_cluster.h"
#include "wait_until.h"
#include "workloads/passport/audit.h"
#include "workloads/passport/log_keeper.h"

namespace jobforge::workloads {
namespace {

using ::testing::HasSubstr;

constexpr char kTenant[] = "aaaaaaaa-0000-4000-8000-000000000106";
constexpr char kSeed[] = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

Status migrate_template(const std::string& url) {
    auto report = engine::migrate(url);
    return report.ok() ? ok_status() : Status(std::move(report).error());
}

class LogKeeperTest : public ::testing::Test {
protected:
    LogKeeperTest() {
        run(fmt::format("select jobforge.create_tenant('log', '{}')", kTenant));
        auto keys = std::make_shared<SigningKeys>();
        EXPECT_TRUE(keys->add("key", kSeed).ok());
        keys_ = std::move(keys);
    }

    void run(const std::string& sql) {
        const auto done = connection_.script("test", sql);
        ASSERT_TRUE(done.ok()) << done.error().describe();
    }
    // Snapshots that are created have no event; reopening and building have. Here: rules.
    void happen(int events) {
        for (int n = 0; n < events; ++n) {
            run(
                fmt::format("begin; select set_config('app.tenant_id', '{}', true); "
                            "select jobforge.upload_rules('package {}', 'source', 'tests'); commit",
                            kTenant, ++packages_));
        }
    }
    std::int64_t extend() {
        auto added = extend_logs(connection_, *keys_, "key");
        EXPECT_TRUE(added.ok()) << added.error().describe();
        return added.ok() ? *added : -1;
    }
    passport::AuditReport verify(std::vector<std::string> heads = {}) {
        auto report = verify_audit(
            connection_, {tenant(), {keys_->find("key")->public_key()}, std::move(heads)});
        EXPECT_TRUE(report.ok()) << report.error().describe();
        return *report;
    }
    static Uuid tenant() { return *Uuid::parse(kTenant); }
    // What only the owner of the machine can do.
    void tamper(const std::string& sql) {
        run("set session_replication_role = replica; " + sql +
            "; set session_replication_role = origin");
    }

    test::TestDatabase database_{"log_keeper_test", &migrate_template};
    pg::Connection connection_ = database_.connect();
    std::shared_ptr<const SigningKeys> keys_;
    int packages_ = 0;
};

TEST_F(LogKeeperTest, takes_every_committed_event_into_the_log_once) {
    happen(3);
    EXPECT_EQ(extend(), 3);
    EXPECT_EQ(extend(), 0);
    happen(2);
    EXPECT_EQ(extend(), 2);
    const auto report = verify();
    EXPECT_TRUE(report.ok()) << report.fault->message;
    EXPECT_EQ(report.events, 5);
    EXPECT_EQ(report.log_entries, 5);
    EXPECT_EQ(report.heads, 2);
    EXPECT_EQ(report.signatures_checked, 2);
    EXPECT_EQ(report.events_not_logged, 0);
}

TEST_F(LogKeeperTest, signs_heads_that_anybody_can_check) {
    happen(1);
    EXPECT_EQ(extend(), 1);
    const auto head = newest_head(connection_, tenant());
    ASSERT_TRUE(head.ok()) << head.error().describe();
    const std::vector<Ed25519PublicKey> keys{keys_->find("key")->public_key()};
    const auto opened =
        open_checkpoint(head->checkpoint, fmt::format("jobforge/{}", kTenant), keys);
    ASSERT_TRUE(opened.ok()) << opened.error().describe();
    EXPECT_EQ(opened->tree_size, 1U);
}

TEST_F(LogKeeperTest, without_the_key_nothing_is_signed_and_it_says_so) {
    happen(1);
    const auto added = extend_logs(connection_, *keys_, "another");
    ASSERT_FALSE(added.ok());
    EXPECT_EQ(added.error().code, ErrorCode::SIGNING_KEY_MISSING);
    EXPECT_EQ(extend(), 1);
}

TEST_F(LogKeeperTest, a_cut_tail_is_found_with_a_head_that_was_kept_outside) {
    happen(3);
    EXPECT_EQ(extend(), 3);
    const std::string kept = newest_head(connection_, tenant())->checkpoint;
    tamper(
        "delete from jobforge.log_heads; delete from jobforge.event_log where log_index = 2; "
        "delete from jobforge.events where event_seq = (select max(event_seq) from "
        "jobforge.events)");
    EXPECT_TRUE(verify().ok());  // inside the database nothing is left that could tell
    const auto report = verify({kept});
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.fault->what, "head_beyond_log");
}

TEST_F(LogKeeperTest, a_removed_chain_is_found_by_the_log) {
    happen(2);
    EXPECT_EQ(extend(), 2);
    tamper(
        "delete from jobforge.events where event_seq = (select min(event_seq) from "
        "jobforge.events)");
    const auto report = verify();
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.fault->what, "log_event_missing");
}

TEST_F(LogKeeperTest, a_changed_event_is_named_exactly) {
    happen(3);
    EXPECT_EQ(extend(), 3);
    tamper(
        "update jobforge.events set actor_id = 'somebody else' where event_seq = (select "
        "event_seq from jobforge.events order by event_seq offset 1 limit 1)");
    const auto report = verify();
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.fault->what, "event_hash");
    EXPECT_EQ(report.fault->event_id->to_string(),
              std::string(connection_
                              .exec({"second",
                                     "select event_id::text from jobforge.events "
                                     "order by event_seq offset 1 limit 1"})
                              ->text(0, 0)));
}

TEST_F(LogKeeperTest, runs_by_itself_and_survives_a_lost_connection) {
    LogKeeper keeper({.database_url = database_.url(),
                      .signing_keys = keys_,
                      .key_id = "key",
                      .interval = std::chrono::milliseconds(20)});
    const auto logged = [this](int count) {
        return test::wait_until([this, count] {
            return connection_.exec({"logged", "select count(*) from jobforge.event_log"})
                       ->integer(0, 0) == count;
        });
    };
    happen(2);
    EXPECT_TRUE(logged(2));
    run("select pg_terminate_backend(pid) from pg_stat_activity "
        "where application_name = 'jobforge log keeper' and datname = current_database()");
    happen(1);
    EXPECT_TRUE(logged(3));
    EXPECT_TRUE(verify().ok());
}

TEST_F(LogKeeperTest, several_keepers_make_one_log) {
    std::vector<std::unique_ptr<LogKeeper>> keepers;
    for (int n = 0; n < 3; ++n) {
        keepers.push_back(std::make_unique<LogKeeper>(
            LogKeeperOptions{.database_url = database_.url(),
                             .signing_keys = keys_,
                             .key_id = "key",
                             .interval = std::chrono::milliseconds(1)}));
    }
    happen(30);
    EXPECT_TRUE(test::wait_until([this] { return verify().events_under_head == 30; }));
    const auto report = verify();
    EXPECT_TRUE(report.ok()) << report.fault->message;
    EXPECT_EQ(report.log_entries, 30);
}

}  // namespace
}  // namespace jobforge::workloads
