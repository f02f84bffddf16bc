// The pure parts of the RabbitMQ trigger: URL, message, delays, and when a warning is due.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "connect/amqp/amqp_message.h"
#include "connect/amqp/amqp_outage.h"
#include "connect/amqp/amqp_session.h"
#include "connect/amqp/amqp_url.h"

namespace jobforge::connect {
namespace {

using namespace std::chrono_literals;

TEST(AmqpUrl, the_documented_default_means_the_default_vhost) {
    const auto url = AmqpUrl::parse("amqp://guest:guest@localhost:5672/");
    ASSERT_TRUE(url.ok());
    EXPECT_EQ(url->user, "guest");
    EXPECT_EQ(url->password, "guest");
    EXPECT_EQ(url->host, "localhost");
    EXPECT_EQ(url->port, 5672);
    EXPECT_EQ(url->vhost, "/");
}

TEST(AmqpUrl, parts_are_decoded_and_defaults_fill_the_rest) {
    const auto url = AmqpUrl::parse("amqp://a%40b:p%3A%2f%25@[::1]:1234/team%2Fone");
    ASSERT_TRUE(url.ok());
    EXPECT_EQ(url->user, "a@b");
    EXPECT_EQ(url->password, "p:/%");
    EXPECT_EQ(url->host, "::1");
    EXPECT_EQ(url->port, 1234);
    EXPECT_EQ(url->vhost, "team/one");
    EXPECT_EQ(url->without_password(), "amqp://a@b@[::1]:1234/team/one");

    const auto plain = AmqpUrl::parse("amqp://broker");
    ASSERT_TRUE(plain.ok());
    EXPECT_EQ(plain->without_password(), "amqp://guest@broker:5672/");
}

TEST(AmqpUrl, what_is_no_usable_url_is_refused_without_repeating_the_password) {
    for (const std::string text :
         {"", "amqp", "http://u:s3cret@h/", "amqps://u:s3cret@h/", "amqp://u:s3cret@",
          "amqp://u:s3cret@h:0/", "amqp://u:s3cret@h:65536/", "amqp://u:s3cret@h:12x/",
          "amqp://u:s3cret%4@h/", "amqp://u:s3cret%zz@h/", "amqp://u:s3cret%00@h/",
          "amqp://u:s3cret@h/a/b", "amqp://u:s3cret@h/?heartbeat=1", "amqp://:s3cret@h/",
          "amqp://u:s3cret@[::1/", "amqp://u:s3cret@[::1]5672/", "amqp://u:s3cret@h h/"}) {
        const auto url = AmqpUrl::parse(text);
        ASSERT_FALSE(url.ok()) << text;
        EXPECT_EQ(url.error().code, ErrorCode::VALIDATION_ERROR) << text;
        EXPECT_EQ(url.error().describe().find("s3cret"), std::string::npos) << text;
    }
}

TEST(AmqpMessage, is_written_exactly_as_documented) {
    const auto id = Uuid::parse("550e8400-e29b-41d4-a716-446655440000");
    ASSERT_TRUE(id.ok());
    EXPECT_EQ(wake_message(*id), R"({"job_id":"550e8400-e29b-41d4-a716-446655440000"})");
    EXPECT_TRUE(is_wake_message(wake_message(*id)));
    EXPECT_TRUE(is_wake_message(R"( { "job_id" : "550E8400-E29B-41D4-A716-446655440000" } )"));
}

TEST(AmqpMessage, anything_else_is_none) {
    const std::string id = "550e8400-e29b-41d4-a716-446655440000";
    for (const std::string& body : std::vector<std::string>{
             "", "null", "7", "[]", "{}", "job", "{\"job_id\":", R"({"job_id":null})",
             R"({"job_id":1})", R"({"job_id":[]})", R"({"job_id":"x"})", R"({"job":")" + id + "\"}",
             R"({"job_id":")" + id + R"(","sql":"drop table jobs"})", "\"" + id + "\"",
             R"({"job_id":")" + id + "\"} ;", std::string("\0\xff\xfe\x01", 4),
             R"({"job_id":")" + id + "\"}" + std::string(kLongestWakeMessage, ' ')}) {
        EXPECT_FALSE(is_wake_message(body)) << body;
    }
}

TEST(AmqpReconnectDelay, doubles_to_its_bound_and_is_spread_over_the_upper_half) {
    EXPECT_EQ(amqp_reconnect_delay(1, 100ms, 30s, 0), 50ms);
    EXPECT_EQ(amqp_reconnect_delay(1, 100ms, 30s, 0.5), 75ms);
    EXPECT_EQ(amqp_reconnect_delay(2, 100ms, 30s, 0), 100ms);
    EXPECT_EQ(amqp_reconnect_delay(9, 100ms, 30s, 0), 12800ms);
    EXPECT_EQ(amqp_reconnect_delay(10, 100ms, 30s, 0), 15s);
    EXPECT_EQ(amqp_reconnect_delay(2'000'000'000, 100ms, 30s, 0.999999), 29999ms);
}

TEST(AmqpOutage, tells_one_warning_and_one_return_for_several_parts_and_many_faults) {
    std::vector<std::string> lines;
    AmqpOutage outage(2, "amqp://guest@broker:5672/", [&](LogLevel level, std::string_view text) {
        lines.push_back((level == LogLevel::warn ? "warn " : "info ") + std::string(text));
    });
    outage.up(0);
    outage.up(1);
    EXPECT_TRUE(lines.empty()) << "a normal start is nothing to tell";

    outage.down(0, "connection refused");
    outage.down(1, "another text");
    outage.down(0, "a third text");
    outage.up(0);
    outage.down(0, "a fourth text");
    outage.up(0);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].find("warn RabbitMQ at amqp://guest@broker:5672/"), 0u);
    EXPECT_NE(lines[0].find("connection refused"), std::string::npos);
    EXPECT_NE(lines[0].find("polling"), std::string::npos);

    outage.up(1);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[1].find("info RabbitMQ at amqp://guest@broker:5672/ is back"), 0u);

    outage.down(1, "again");
    EXPECT_EQ(lines.size(), 3u) << "a new outage is told again";
}

}  // namespace
}  // namespace jobforge::connect
