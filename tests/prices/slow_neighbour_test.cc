// Hole 9 of the attack on tenants' service, for sources: what this worker is short of costs a job
// no attempt and its source no failure, and a tenant whose source hangs leaves places for others.
#include <fmt/format.h>

#include "connect/guard/tenant_slots.h"
#include "connect/http/http_request.h"
#include "price_world.h"
#include "tcp_server.h"

namespace jobforge::test {
namespace {

using connect::TenantSlots;

class Hole9SlowSources : public PriceWorld {
protected:
    // Waits until the job was put back without having spent an attempt.
    void expect_snoozed(const std::string& id) {
        start();
        EXPECT_TRUE(wait_until([&] {
            return job(id,
                       "status || attempts || (lease_token > 0)::text || "
                       "coalesce(last_error ->> 'code', '-')") == "QUEUED0true-";
        })) << job(id, "row_to_json(all_jobs)");
    }
    static std::shared_ptr<TenantSlots> one_slot() {
        return std::make_shared<TenantSlots>(
            connect::TenantSlotsOptions{.name = "things", .total = 1});
    }
};

TEST_F(Hole9SlowSources, a_collection_that_finds_no_slot_waits_and_its_source_is_not_asked) {
    settings_.calls = one_slot();
    std::optional<TenantSlots::Slot> held(settings_.calls->take("another").value());
    const auto marketplace = market();
    const std::string from = source(*marketplace);
    const std::string job = enqueue(intake(), from);
    expect_snoozed(job);
    EXPECT_EQ(governor(from, "next_free_at"), "-infinity") << "no token was taken";
    held.reset();
    ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
    EXPECT_EQ(this->job(job, "attempts"), "1");
}

TEST_F(Hole9SlowSources, a_collection_that_finds_no_look_up_waits_and_its_breaker_hears_nothing) {
    const auto lookups = one_slot();
    std::optional<TenantSlots::Slot> held(lookups->take("another").value());
    connect::HttpOptions options;
    options.allowed_networks = connect::parse_networks("127.0.0.0/8").value();
    std::atomic<bool> for_tenant{false};
    const connect::Resolver machine = connect::threaded_resolver(
        [](const std::string&) {
            return Result<std::vector<connect::IpAddress>>(
                std::vector{connect::IpAddress::v4(0x7f000001U)});
        },
        lookups);
    options.resolver = [&](const connect::NameQuery& query) {
        for_tenant = query.tenant == tenant_;
        return machine(query);
    };
    settings_.http = std::make_shared<connect::HttpClient>(options);
    const auto marketplace = market();
    std::string base_url = marketplace->base_url();
    base_url.replace(base_url.find("127.0.0.1"), 9, "market.example");
    const std::string from = source({.base_url = base_url});
    const std::string job = enqueue(intake(), from);
    expect_snoozed(job);
    EXPECT_EQ(governor(from, "state || failure_streak"), "CLOSED0");
    EXPECT_TRUE(for_tenant.load());
    held.reset();
    ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
    EXPECT_EQ(this->job(job, "attempts"), "1");
}

TEST_F(Hole9SlowSources, a_worker_process_keeps_places_for_other_tenants) {
    const TcpServer tarpit([](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.read_request();  // until the client is gone
    });
    const std::string honest = tenant_;
    const std::string hostile = one("select jobforge.create_tenant('hostile')");
    run(fmt::format("select set_config('app.tenant_id', '{}', false)", hostile));
    Json config = cli::DemoMarketplace::source_config();
    config.set("timeout_ms", 120'000);
    const std::string hangs = source({.base_url = fmt::format("http://127.0.0.1:{}", tarpit.port()),
                                      .members = Json::object({{"config", config}}).dump()});
    for (int i = 0; i < 12; ++i) {
        (void)enqueue(intake(fmt::format(R"({{"title":"{}"}})", i)), hangs);
    }
    ChildProcess& worker = start_process();  // four handlers
    ASSERT_TRUE(wait_until([&] { return tarpit.connections() == 3; })) << tarpit.connections();

    run(fmt::format("select set_config('app.tenant_id', '{}', false)", honest));
    const auto marketplace = market();
    const std::string from = source(*marketplace);
    for (int i = 0; i < 5; ++i) {
        const std::string job = enqueue(intake(fmt::format(R"({{"title":"{}"}})", i)), from);
        ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
        EXPECT_EQ(this->job(job, "attempts"), "1");
    }
    EXPECT_EQ(tarpit.connections(), 3) << "three quarters of four: it came alone";
    EXPECT_EQ(one(fmt::format("select count(*) from jobforge.all_jobs where tenant_id = '{}' and "
                              "status = 'QUEUED' and (attempts > 0 or last_error is not null)",
                              hostile)),
              "0");
    worker.send_signal(SIGKILL);
}

}  // namespace
}  // namespace jobforge::test
