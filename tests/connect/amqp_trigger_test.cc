// The trigger on a real RabbitMQ. One broker serves all tests of this program.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "amqp_peer.h"
#include "connect/amqp/amqp_message.h"
#include "rabbit_server.h"
#include "trigger_probe.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;

class AmqpTriggerTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() { broker_ = std::make_unique<RabbitServer>(); }
    static void TearDownTestSuite() { broker_.reset(); }

    // An exchange per test, so that they do not hear each other.
    [[nodiscard]] static connect::AmqpTriggerOptions options() {
        connect::AmqpTriggerOptions options;
        options.url = broker_->url();
        options.exchange = ::testing::UnitTest::GetInstance()->current_test_info()->name();
        options.reconnect_max = 500ms;
        options.wake_interval = 1ms;
        return options;
    }

    [[nodiscard]] static Uuid job() { return *Uuid::parse("550e8400-e29b-41d4-a716-446655440000"); }

    static inline std::unique_ptr<RabbitServer> broker_;
};

TEST_F(AmqpTriggerTest, a_published_job_wakes_every_worker_and_is_the_documented_message) {
    TriggerProbe first(options());
    TriggerProbe second(options());
    ASSERT_TRUE(first.wait_ready());
    ASSERT_TRUE(second.wait_ready());
    AmqpPeer peer(broker_->port());
    EXPECT_TRUE(peer.is_durable_exchange(options().exchange, "topic"));
    peer.listen(options().exchange, "jobs.trigger");

    first->publish(job());

    EXPECT_TRUE(first.wait_wakes(1));
    EXPECT_TRUE(second.wait_wakes(1));
    const auto seen = peer.receive();
    ASSERT_TRUE(seen.has_value());
    EXPECT_EQ(seen->body, R"({"job_id":"550e8400-e29b-41d4-a716-446655440000"})");
    EXPECT_EQ(seen->content_type, "application/json");
    EXPECT_EQ(seen->delivery_mode, 1) << "transient";
    EXPECT_EQ(first->stats().published, 1u);
    EXPECT_TRUE(first.warnings().empty());
    EXPECT_TRUE(first.infos().empty());
}

TEST_F(AmqpTriggerTest, an_exchange_of_another_type_is_used_as_it_is) {
    AmqpPeer peer(broker_->port());
    peer.declare_exchange(options().exchange, "direct");
    TriggerProbe probe(options());
    ASSERT_TRUE(probe.wait_ready());
    probe->publish(job());
    EXPECT_TRUE(probe.wait_wakes(1));
    EXPECT_TRUE(peer.is_durable_exchange(options().exchange, "direct"));
}

TEST_F(AmqpTriggerTest, a_message_with_another_routing_key_wakes_nobody) {
    TriggerProbe probe(options());
    ASSERT_TRUE(probe.wait_ready());
    AmqpPeer peer(broker_->port());
    peer.publish(options().exchange, "jobs.other", connect::wake_message(job()));
    peer.publish(options().exchange, "jobs.trigger", connect::wake_message(job()));
    ASSERT_TRUE(probe.wait_wakes(1));
    EXPECT_EQ(probe->stats().received, 1u);
}

TEST_F(AmqpTriggerTest, forged_and_malformed_messages_are_ignored_and_counted) {
    TriggerProbe probe(options());
    ASSERT_TRUE(probe.wait_ready());
    AmqpPeer peer(broker_->port());
    const std::string good = connect::wake_message(job());
    const std::vector<std::string> bad = {
        "",
        "{",
        "null",
        "[1,2]",
        R"({"job_id":42})",
        R"({"job_id":"nobody"})",
        R"({"job_id":"550e8400-e29b-41d4-a716-446655440000","cmd":"rm"})",
        std::string("\x00\xff\x80\x01", 4),
        std::string(300'000, '['),
        good + std::string(8'000'000, ' ')};
    for (const std::string& body : bad) {
        peer.publish(options().exchange, "jobs.trigger", body);
    }
    ASSERT_TRUE(wait_until([&] { return probe->stats().received == bad.size(); }));
    EXPECT_EQ(probe->stats().ignored, bad.size());

    peer.publish(options().exchange, "jobs.trigger", good, 100'000);
    ASSERT_TRUE(probe.wait_wakes(1)) << "the connection survived all of it, and large headers";
    EXPECT_EQ(probe.wakes(), 1);
    EXPECT_EQ(probe->stats().ignored, bad.size());
    EXPECT_TRUE(probe.warnings().empty());
}

TEST_F(AmqpTriggerTest, a_burst_wakes_at_once_and_then_once_per_interval) {
    auto slow = options();
    slow.wake_interval = 10s;
    TriggerProbe probe(slow);
    ASSERT_TRUE(probe.wait_ready());
    for (int i = 0; i < 500; ++i) {
        probe->publish(job());
    }
    ASSERT_TRUE(wait_until([&] { return probe->stats().received == 500; }));
    EXPECT_EQ(probe.wakes(), 1);
    EXPECT_EQ(probe->stats().ignored, 0u);
    EXPECT_EQ(probe->stats().dropped, 0u);
}

TEST_F(AmqpTriggerTest, a_program_that_only_enqueues_flushes_and_leaves) {
    TriggerProbe worker(options());
    ASSERT_TRUE(worker.wait_ready());
    {
        auto trigger = connect::AmqpTrigger::start(options());
        ASSERT_TRUE(trigger.ok());
        (*trigger)->publish(job());  // most likely before it is connected
        EXPECT_TRUE((*trigger)->flush(20s));
    }
    EXPECT_TRUE(worker.wait_wakes(1));
}

TEST_F(AmqpTriggerTest, a_user_with_the_rights_of_the_document_can_do_all_of_it) {
    const std::string rights = R"(^(bpc|amq\.gen-.*)$)";
    broker_->control({"add_vhost", "jobs"});
    broker_->control({"add_user", "jobforge", "a-long-password"});
    broker_->control({"set_permissions", "-p", "jobs", "jobforge", rights, rights, rights});
    connect::AmqpTriggerOptions documented;  // the exchange is the default one
    documented.url =
        "amqp://jobforge:a-long-password@127.0.0.1:" + std::to_string(broker_->port()) + "/jobs";
    TriggerProbe probe(documented);
    ASSERT_TRUE(probe.wait_ready()) << (probe.warnings().empty() ? "" : probe.warnings()[0]);
    probe->publish(job());
    EXPECT_TRUE(probe.wait_wakes(1));
    EXPECT_TRUE(probe.warnings().empty());
}

TEST_F(AmqpTriggerTest, a_wrong_password_is_one_warning_that_does_not_show_it) {
    auto wrong = options();
    wrong.url = "amqp://guest:pl4nted-s3cret@127.0.0.1:" + std::to_string(broker_->port()) + "/";
    wrong.reconnect_max = 100ms;
    TriggerProbe probe(wrong);
    ASSERT_TRUE(wait_until([&] { return !probe.warnings().empty(); }));
    ASSERT_TRUE(wait_until([&] { return probe->stats().failures >= 4; }));
    EXPECT_FALSE(probe->ready());
    ASSERT_EQ(probe.warnings().size(), 1u);
    EXPECT_NE(probe.warnings()[0].find("ACCESS_REFUSED"), std::string::npos) << probe.warnings()[0];
    EXPECT_EQ(probe.warnings()[0].find("pl4nted"), std::string::npos);
}

TEST_F(AmqpTriggerTest, a_blocked_connection_holds_a_bounded_queue_and_goes_on_after_the_alarm) {
    auto small = options();
    small.queue_capacity = 8;
    TriggerProbe probe(small);
    ASSERT_TRUE(probe.wait_ready());
    broker_->control({"set_vm_memory_high_watermark", "0.00000001"});

    // The broker tells publishers of the alarm when they publish.
    ASSERT_TRUE(wait_until([&] {
        probe->publish(job());
        return probe->stats().blocked;
    }));
    const auto published = probe->stats().published;
    for (int i = 0; i < 100; ++i) {
        probe->publish(job());
    }
    EXPECT_EQ(probe->stats().published, published) << "nothing is sent while blocked";
    EXPECT_EQ(probe->stats().waiting, 8u);
    EXPECT_GE(probe->stats().dropped, 92u);
    EXPECT_TRUE(probe->ready()) << "blocked is connected";
    // The warning may be written a moment after the state can be seen.
    ASSERT_TRUE(wait_until([&] { return !probe.warnings().empty(); }));
    ASSERT_EQ(probe.warnings().size(), 1u);
    EXPECT_NE(probe.warnings()[0].find("memory"), std::string::npos) << probe.warnings()[0];

    const int wakes = probe.wakes();
    broker_->control({"set_vm_memory_high_watermark", "0.6"});
    EXPECT_TRUE(wait_until([&] { return !probe->stats().blocked && probe->stats().waiting == 0; }));
    EXPECT_TRUE(probe.wait_wakes(wakes + 1));
    EXPECT_EQ(probe.warnings().size(), 1u);
    EXPECT_TRUE(wait_until([&] { return probe.infos().size() == 1; }));
}

TEST_F(AmqpTriggerTest, stopping_while_blocked_does_not_wait_for_the_broker) {
    TriggerProbe probe(options());
    ASSERT_TRUE(probe.wait_ready());
    broker_->control({"set_vm_memory_high_watermark", "0.00000001"});
    ASSERT_TRUE(wait_until([&] {
        probe->publish(job());
        return probe->stats().blocked;
    }));
    const auto start = std::chrono::steady_clock::now();
    probe->stop();
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
    broker_->control({"set_vm_memory_high_watermark", "0.6"});
}

TEST_F(AmqpTriggerTest, a_frozen_broker_is_noticed_by_its_missing_heartbeats) {
    auto watchful = options();
    watchful.heartbeat_seconds = 1;
    watchful.connect_timeout = 500ms;
    TriggerProbe probe(watchful);
    ASSERT_TRUE(probe.wait_ready());
    broker_->pause();
    EXPECT_TRUE(wait_until([&] { return !probe->ready() && !probe.warnings().empty(); }));
    broker_->resume();
    ASSERT_TRUE(probe.wait_ready());
    ASSERT_TRUE(wait_until([&] { return probe.infos().size() == 1; }));
    EXPECT_EQ(probe.warnings().size(), 1u);
}

TEST_F(AmqpTriggerTest, a_deleted_exchange_is_made_again_and_bound_again) {
    auto attentive = options();
    attentive.rebind_interval = 100ms;
    TriggerProbe probe(attentive);
    ASSERT_TRUE(probe.wait_ready());
    AmqpPeer peer(broker_->port());
    peer.delete_exchange(options().exchange);

    // Nothing is published: the consumer finds out by itself, and looks once.
    ASSERT_TRUE(wait_until([&] { return probe.infos().size() == 1; }));
    EXPECT_EQ(probe.warnings().size(), 1u);
    EXPECT_TRUE(peer.is_durable_exchange(options().exchange, "topic"));
    ASSERT_TRUE(probe.wait_wakes(1));
    probe->publish(job());
    EXPECT_TRUE(probe.wait_wakes(2));
}

TEST_F(AmqpTriggerTest, publishing_to_a_deleted_exchange_makes_it_again) {
    TriggerProbe probe(options());
    ASSERT_TRUE(probe.wait_ready());
    AmqpPeer peer(broker_->port());
    peer.delete_exchange(options().exchange);
    probe->publish(job());
    ASSERT_TRUE(wait_until([&] { return probe.infos().size() == 1; }));
    EXPECT_EQ(probe.warnings().size(), 1u);
    EXPECT_TRUE(peer.is_durable_exchange(options().exchange, "topic"));
}

TEST_F(AmqpTriggerTest, a_restarted_broker_is_one_warning_one_return_and_wakes_again) {
    TriggerProbe probe(options());
    ASSERT_TRUE(probe.wait_ready());
    probe->publish(job());
    ASSERT_TRUE(probe.wait_wakes(1));

    broker_->stop();
    ASSERT_TRUE(wait_until([&] { return !probe->ready(); }));
    ASSERT_TRUE(wait_until([&] {
        probe->publish(job());
        return probe->stats().dropped >= 3;
    }));
    broker_->start();

    ASSERT_TRUE(probe.wait_ready());
    ASSERT_TRUE(wait_until([&] { return probe.infos().size() == 1; }));
    EXPECT_EQ(probe.warnings().size(), 1u);
    ASSERT_TRUE(probe.wait_wakes(2)) << "after an outage it looks once: messages may be lost";
    const auto received = probe->stats().received;
    probe->publish(job());
    ASSERT_TRUE(wait_until([&] { return probe->stats().received > received; }));
    ASSERT_TRUE(probe.wait_wakes(3));
}

}  // namespace
}  // namespace jobforge::test
