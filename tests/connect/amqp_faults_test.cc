// Brokers that are not there or do not speak: no real one is needed, and none may hang us.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "child_process.h"
#include "trigger_probe.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr char kPassword[] = "pl4nted-s3cret";

// Accepts connections, reads what comes and never says a word.
class SilentListener final {
public:
    SilentListener() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* generic = reinterpret_cast<sockaddr*>(&address);
        if (::bind(fd_, generic, size) != 0 || ::listen(fd_, 16) != 0 ||
            ::getsockname(fd_, generic, &size) != 0) {
            std::abort();
        }
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { run(); });
    }
    SilentListener(const SilentListener&) = delete;
    SilentListener& operator=(const SilentListener&) = delete;
    ~SilentListener() {
        stopping_ = true;
        ::shutdown(fd_, SHUT_RDWR);
        thread_.join();
        for (const int fd : accepted_) {
            ::close(fd);
        }
        ::close(fd_);
    }

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] int connections() const { return connections_; }

private:
    void run() {
        while (!stopping_) {
            const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
            if (fd >= 0) {
                accepted_.push_back(fd);
                ++connections_;
            }
        }
    }

    int fd_;
    int port_ = 0;
    std::vector<int> accepted_;
    std::atomic<int> connections_ = 0;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

connect::AmqpTriggerOptions options_for(int port) {
    connect::AmqpTriggerOptions options;
    options.url =
        "amqp://user:" + std::string(kPassword) + "@127.0.0.1:" + std::to_string(port) + "/";
    options.reconnect_min = 10ms;
    options.reconnect_max = 20ms;
    return options;
}

Clock::duration time_of(const std::function<void()>& action) {
    const auto start = Clock::now();
    action();
    return Clock::now() - start;
}

TEST(AmqpFaults, a_broker_that_accepts_and_says_nothing_is_one_warning_and_many_tries) {
    SilentListener broker;
    auto options = options_for(broker.port());
    options.connect_timeout = 50ms;
    TriggerProbe probe(options);

    ASSERT_TRUE(wait_until([&] { return broker.connections() >= 8; }));
    EXPECT_FALSE(probe->ready());
    EXPECT_EQ(probe.wakes(), 0);
    ASSERT_EQ(probe.warnings().size(), 1u);
    EXPECT_NE(probe.warnings()[0].find("log in"), std::string::npos) << probe.warnings()[0];
    EXPECT_EQ(probe.warnings()[0].find(kPassword), std::string::npos);
    EXPECT_TRUE(probe.infos().empty());
}

TEST(AmqpFaults, stopping_does_not_wait_for_a_hung_handshake) {
    SilentListener broker;
    auto options = options_for(broker.port());
    options.connect_timeout = 60s;
    options.stop_grace = 50ms;
    TriggerProbe probe(options);
    ASSERT_TRUE(wait_until([&] { return broker.connections() == 2; }));
    EXPECT_LT(time_of([&] { probe->stop(); }), 5s);
    EXPECT_TRUE(probe.warnings().empty()) << "stopping is not an outage";
}

TEST(AmqpFaults, stopping_does_not_wait_for_the_next_reconnect) {
    auto options = options_for(free_port());
    options.reconnect_min = 60s;
    options.reconnect_max = 60s;
    TriggerProbe probe(options);
    ASSERT_TRUE(wait_until([&] { return !probe.warnings().empty(); }));
    EXPECT_LT(time_of([&] { probe->stop(); }), 5s);
    EXPECT_LT(time_of([&] { probe->stop(); }), 1s) << "a second stop does nothing";
}

TEST(AmqpFaults, publishing_to_a_broker_that_is_away_drops_at_once_and_counts) {
    TriggerProbe probe(options_for(free_port()));
    // The publisher's own failure, not the consumer's: only it makes publish() drop.
    ASSERT_TRUE(wait_until([&] {
        probe->publish(Uuid{});
        return probe->stats().dropped > 0 && probe->stats().waiting == 0;
    }));
    const auto before = probe->stats().dropped;
    EXPECT_LT(time_of([&] {
                  for (int i = 0; i < 100'000; ++i) {
                      probe->publish(Uuid{});
                  }
              }),
              5s);
    EXPECT_EQ(probe->stats().dropped, before + 100'000);
    EXPECT_EQ(probe->stats().published, 0u);
    EXPECT_TRUE(probe->flush(0ms)) << "nothing is left to wait for";
    EXPECT_EQ(probe.warnings().size(), 1u);
}

TEST(AmqpFaults, the_queue_of_a_broker_that_does_not_answer_is_bounded) {
    SilentListener broker;
    auto options = options_for(broker.port());
    options.connect_timeout = 60s;
    options.stop_grace = 50ms;
    options.queue_capacity = 10;
    TriggerProbe probe(options);
    for (int i = 0; i < 25; ++i) {
        probe->publish(Uuid{});
    }
    EXPECT_EQ(probe->stats().waiting, 10u);
    EXPECT_EQ(probe->stats().dropped, 15u);
    EXPECT_FALSE(probe->flush(10ms));
}

TEST(AmqpFaults, bad_options_are_refused_before_anything_starts) {
    const auto refused = [](auto change) {
        connect::AmqpTriggerOptions options;
        change(options);
        const auto trigger = connect::AmqpTrigger::start(options);
        return !trigger.ok() && trigger.error().code == ErrorCode::VALIDATION_ERROR &&
               trigger.error().describe().find(kPassword) == std::string::npos;
    };
    using Options = connect::AmqpTriggerOptions;
    EXPECT_TRUE(refused([](Options& o) { o.url = std::string("amqp://u:") + kPassword + "@:1/"; }));
    EXPECT_TRUE(refused([](Options& o) { o.exchange = ""; }));
    EXPECT_TRUE(refused([](Options& o) { o.routing_key = std::string(256, 'k'); }));
    EXPECT_TRUE(refused([](Options& o) { o.heartbeat_seconds = -1; }));
    EXPECT_TRUE(refused([](Options& o) { o.queue_capacity = 0; }));
    EXPECT_TRUE(refused([](Options& o) { o.connect_timeout = 0ms; }));
    EXPECT_TRUE(refused([](Options& o) { o.reconnect_max = 1ms; }));
}

}  // namespace
}  // namespace jobforge::test
