#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "pg/listener.h"
#include "pg_fixture.h"

namespace jobforge::pg {
namespace {

using test::expect_ok;
using test::wait_until;

class ListenerTest : public test::PgTest {
protected:
    ListenerOptions options() {
        ListenerOptions result;
        result.connect.url = database_.url();
        result.connect.application_name = "listener-test";
        result.channels = {"jobs", "Odd \"name\""};
        result.on_connected = [this] { ++connects_; };
        result.on_notification = [this](const Notification& notification) {
            const std::lock_guard guard(mutex_);
            seen_.push_back(notification.channel + ":" + notification.payload);
        };
        result.on_disconnected = [this](const Error&) { ++losses_; };
        return result;
    }
    bool saw(const std::string& text) {
        const std::lock_guard guard(mutex_);
        return std::find(seen_.begin(), seen_.end(), text) != seen_.end();
    }
    void notify(std::string_view channel, std::string_view payload) {
        expect_ok(connection_.exec({"notify", "select pg_notify($1, $2)"},
                                   Params().text(channel).text(payload)));
    }
    int terminate_listener() {
        const auto rows = expect_ok(
            connection_.exec({"terminate",
                              "select pg_terminate_backend(pid, 10000) from pg_stat_activity"
                              " where application_name = 'listener-test' and datname = $1"},
                             Params().text(database_.name())));
        return rows.size();
    }

    std::atomic<int> connects_{0};
    std::atomic<int> losses_{0};
    std::mutex mutex_;
    std::vector<std::string> seen_;
};

TEST_F(ListenerTest, notifications_on_all_channels_arrive_after_on_connected) {
    Listener listener(options());
    ASSERT_TRUE(wait_until([&] { return connects_ == 1; }));
    EXPECT_TRUE(listener.connected());
    notify("jobs", "one");
    notify("Odd \"name\"", "two");
    notify("other", "never");
    notify("jobs", "last");
    ASSERT_TRUE(wait_until([&] { return saw("jobs:last"); }));
    const std::lock_guard guard(mutex_);
    EXPECT_EQ(seen_, (std::vector<std::string>{"jobs:one", "Odd \"name\":two", "jobs:last"}));
}

// LISTEN must come before on_connected: what is sent from inside on_connected must be heard.
TEST_F(ListenerTest, what_is_sent_during_on_connected_is_not_missed) {
    auto with_send = options();
    auto sender = database_.connect();
    with_send.on_connected = [&] {
        (void)sender.script("notify", "notify jobs, 'during the look'");
        ++connects_;
    };
    Listener listener(with_send);
    EXPECT_TRUE(wait_until([&] { return saw("jobs:during the look"); }));
}

TEST_F(ListenerTest, after_every_loss_it_reconnects_listens_and_calls_for_a_full_look) {
    Listener listener(options());
    for (int round = 1; round <= 3; ++round) {
        ASSERT_TRUE(wait_until([&] { return connects_ == round; }));
        notify("jobs", std::to_string(round));
        ASSERT_TRUE(wait_until([&] { return saw("jobs:" + std::to_string(round)); }));
        EXPECT_EQ(terminate_listener(), 1);
    }
    EXPECT_TRUE(wait_until([&] { return connects_ == 4; }));
    EXPECT_EQ(losses_, 3);
}

TEST_F(ListenerTest, it_is_never_in_a_transaction) {
    Listener listener(options());
    ASSERT_TRUE(wait_until([&] { return listener.connected(); }));
    const auto rows = expect_ok(connection_.exec(
        {"state",
         "select state from pg_stat_activity where application_name = 'listener-test'"
         " and datname = $1 and xact_start is null"},
        Params().text(database_.name())));
    ASSERT_EQ(rows.size(), 1);
    EXPECT_EQ(rows.text(0, 0), "idle");
}

TEST_F(ListenerTest, stop_is_prompt_while_listening_and_while_pausing) {
    const auto began = std::chrono::steady_clock::now();
    Listener listening(options());
    ASSERT_TRUE(wait_until([&] { return connects_ == 1; }));
    listening.stop();
    EXPECT_FALSE(listening.connected());
    listening.stop();

    auto hopeless = options();
    hopeless.connect.url = test::TestCluster::instance().url("postgres", "no_such_database");
    hopeless.min_pause = std::chrono::seconds(60);
    hopeless.max_pause = std::chrono::seconds(60);
    Listener pausing(hopeless);
    ASSERT_TRUE(wait_until([&] { return losses_ >= 1; }));
    pausing.stop();
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(40));
}

}  // namespace
}  // namespace jobforge::pg
