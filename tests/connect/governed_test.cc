// A transport that asks first: nothing is sent without leave, and what came of it is told.
#include "connect/http/governed.h"

#include <deque>

#include <gtest/gtest.h>

#include "route_server.h"
#include "wait_until.h"

namespace jobforge::connect {
namespace {

using namespace test_support;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Says what it was told to say, and keeps what it is told.
class ToldGovernor final : public Governor {
public:
    Result<Verdict> enter() override {
        const std::lock_guard lock(mutex_);
        ++entered;
        return next;
    }
    Status report(const Permit& permit, const Report& report) override {
        const std::lock_guard lock(mutex_);
        permits.push_back(permit);
        reports.push_back(report);
        return report_answer;
    }

    Result<Verdict> next = Verdict{};
    Status report_answer = ok_status();
    int entered = 0;
    std::vector<Permit> permits;
    std::vector<Report> reports;

private:
    std::mutex mutex_;
};

class GovernedTest : public testing::Test {
protected:
    Result<HttpResponse> fetch(const std::string& url, const std::stop_token& stop = {}) {
        return governed_.send(get(url), stop);
    }

    RouteServer server_;
    HttpClient client_{allowing()};
    ToldGovernor governor_;
    Governed governed_{client_, governor_,
                       [] { return std::chrono::sys_seconds(seconds(784111777)); }};
};

TEST_F(GovernedTest, leave_is_asked_once_and_the_result_reported_with_its_permit) {
    server_.at("/", answer(200, "ok"));
    governor_.next = Verdict{Verdict::Kind::go, milliseconds(0), {42, true}, ""};
    const auto response = fetch(server_.url());
    ASSERT_TRUE(response.ok()) << response.error().describe();
    EXPECT_EQ(response->body, "ok");
    EXPECT_EQ(governor_.entered, 1);
    ASSERT_EQ(governor_.reports.size(), 1U);
    EXPECT_TRUE(governor_.reports[0].ok);
    EXPECT_EQ(governor_.reports[0].retry_after, std::nullopt);
    EXPECT_EQ(governor_.permits[0].generation, 42);
    EXPECT_TRUE(governor_.permits[0].probe);
}

TEST_F(GovernedTest, without_leave_nothing_is_sent_and_nothing_reported) {
    using Kind = Verdict::Kind;
    const std::pair<Kind, ErrorCode> refusals[] = {{Kind::wait, ErrorCode::RATE_LIMITED},
                                                   {Kind::paused, ErrorCode::SOURCE_PAUSED},
                                                   {Kind::disabled, ErrorCode::SOURCE_DISABLED}};
    for (const auto& [kind, code] : refusals) {
        governor_.next = Verdict{kind, milliseconds(700), {}, "because"};
        const auto response = fetch(server_.url());
        ASSERT_FALSE(response.ok());
        EXPECT_EQ(response.error().code, code);
        EXPECT_FALSE(response.error().outcome_unknown);
    }
    EXPECT_EQ(server_.connections(), 0);
    EXPECT_TRUE(governor_.reports.empty());
}

TEST_F(GovernedTest, a_governor_that_cannot_be_asked_stops_the_request) {
    governor_.next = Error::of(ErrorCode::DB_UNAVAILABLE, "gone");
    const auto response = fetch(server_.url());
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::DB_UNAVAILABLE);
    EXPECT_EQ(server_.connections(), 0);
}

TEST_F(GovernedTest, a_report_that_fails_does_not_change_the_answer) {
    server_.at("/", answer(200, "ok"));
    governor_.report_answer = Error::of(ErrorCode::DB_UNAVAILABLE, "gone");
    EXPECT_TRUE(fetch(server_.url()).ok());
    EXPECT_EQ(governor_.reports.size(), 1U);
}

TEST_F(GovernedTest, a_peer_that_says_no_is_healthy_and_one_that_breaks_is_not) {
    const std::pair<int, bool> statuses[] = {{200, true},  {301, true},  {404, true}, {410, true},
                                             {429, false}, {500, false}, {503, false}};
    for (const auto& [status, healthy] : statuses) {
        server_.at("/", answer(status, "", "Retry-After: 30\r\n"));
        governor_.reports.clear();
        ASSERT_TRUE(fetch(server_.url()).ok());
        ASSERT_EQ(governor_.reports.size(), 1U) << status;
        EXPECT_EQ(governor_.reports[0].ok, healthy) << status;
        EXPECT_EQ(governor_.reports[0].retry_after,
                  healthy ? std::nullopt : std::optional<milliseconds>(seconds(30)))
            << status;
    }
}

TEST_F(GovernedTest, retry_after_dates_are_counted_from_its_clock) {
    server_.at("/", answer(503, "", "Retry-After: Sun, 06 Nov 1994 08:50:37 GMT\r\n"));
    ASSERT_TRUE(fetch(server_.url()).ok());
    EXPECT_EQ(governor_.reports.at(0).retry_after, std::optional<milliseconds>(seconds(60)));
}

TEST_F(GovernedTest, a_connection_that_fails_is_reported) {
    test::TcpServer rude([](test::TcpPeer& peer) { (void)peer.read_request(); });
    ASSERT_FALSE(fetch(rude.url()).ok());
    ASSERT_EQ(governor_.reports.size(), 1U);
    EXPECT_FALSE(governor_.reports[0].ok);
}

TEST_F(GovernedTest, what_the_guard_refuses_says_nothing_about_the_peer) {
    ASSERT_FALSE(fetch("http://10.0.0.1/").ok());
    EXPECT_EQ(governor_.entered, 1);
    EXPECT_TRUE(governor_.reports.empty());
}

TEST_F(GovernedTest, a_stop_is_not_the_peers_failure) {
    std::stop_source stop;
    test::TcpServer silent([&](test::TcpPeer& peer) {
        (void)peer.read_request();
        stop.request_stop();
        (void)peer.read_request();  // until the client is gone
    });
    const auto response = fetch(silent.url(), stop.get_token());
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::TIMEOUT);
    EXPECT_TRUE(governor_.reports.empty());
}

TEST_F(GovernedTest, threads_share_it) {
    server_.at("/", answer(200, "ok"));
    std::atomic<int> fine{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                for (int n = 0; n < 25; ++n) {
                    fine += fetch(server_.url()).ok() ? 1 : 0;
                }
            });
        }
    }
    EXPECT_EQ(fine.load(), 100);
    EXPECT_EQ(governor_.entered, 100);
    EXPECT_EQ(governor_.reports.size(), 100U);
}

}  // namespace
}  // namespace jobforge::connect
