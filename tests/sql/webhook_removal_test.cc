// The end of subscriptions and endpoints beside events that happen at the same moment.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <thread>

#include "pipeline_world.h"

namespace jobforge::test {
namespace {

class WebhookRemoval : public testing::Test {
protected:
    std::string count(const std::string& table) {
        return sql.one("select count(*) from jobforge." + table);
    }

    EngineDatabase database;
    Session sql = database.session();
    Session other = database.session();
    PipelineWorld world{sql};
    std::string endpoint = world.endpoint("'*'");
};

TEST_F(WebhookRemoval, an_event_beside_an_open_removal_waits_and_happens_without_a_delivery) {
    other.run(fmt::format("begin; select jobforge.remove_webhook_endpoint('{}')", endpoint));
    std::thread happening([this] { world.document("UPLOADED"); });
    wait_until_blocked(other);
    other.run("commit");
    happening.join();
    EXPECT_EQ(count("webhook_endpoints"), "0");
    EXPECT_EQ(count("webhook_deliveries"), "0");
    EXPECT_EQ(count("events"), "1");
    EXPECT_EQ(count("jobs where type = 'DELIVER_WEBHOOK'"), "0");
}

TEST_F(WebhookRemoval, a_removal_beside_an_open_event_waits_and_is_refused) {
    sql.run("begin");
    world.document("UPLOADED");
    std::string answer;
    std::thread removing([&] {
        answer =
            other.error(fmt::format("select jobforge.remove_webhook_endpoint('{}')", endpoint));
    });
    wait_until_blocked(sql);
    sql.run("commit");
    removing.join();
    EXPECT_EQ(answer, "INVALID_TRANSITION");
    EXPECT_EQ(count("webhook_subscriptions"), "1");
}

}  // namespace
}  // namespace jobforge::test
