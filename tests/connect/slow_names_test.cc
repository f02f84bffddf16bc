// Hole 9: names of one tenant that hang, and whatever else this process can be short of, are
// nobody else's failure.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "connect/http/classify.h"
#include "connect/http/governed.h"
#include "name_server.h"
#include "route_server.h"
#include "wait_until.h"

namespace jobforge::connect {
namespace {

using namespace test_support;
using std::chrono::milliseconds;

// Lets everything pass and keeps what it is told.
class OpenGovernor final : public Governor {
public:
    Result<Verdict> enter() override { return Verdict{}; }
    Status report(const Permit&, const Report& report) override {
        reports.push_back(report);
        return ok_status();
    }
    std::vector<Report> reports;
};

class Hole9SlowNames : public testing::Test {
protected:
    Hole9SlowNames() {
        web_.at("/", answer(200, "ok"));
        options_.resolver = threaded_resolver(
            [look_up =
                 names_->look_up()](const std::string& host) -> Result<std::vector<IpAddress>> {
                std::vector<IpAddress> found;
                for (const std::string& text : look_up(host)) {
                    found.push_back(IpAddress::parse(text).value());
                }
                return found.empty() ? Result<std::vector<IpAddress>>(
                                           Error::of(ErrorCode::CONNECTION_FAILED, "no address"))
                                     : found;
            },
            slots_);
        client_ = std::make_unique<HttpClient>(options_);
    }
    Result<HttpResponse> send(const std::string& tenant, std::string_view host,
                              milliseconds timeout = std::chrono::seconds(20)) {
        HttpRequest request = get(fmt::format("http://{}:{}/", host, web_.port()));
        request.tenant = tenant;
        request.timeout = timeout;
        return governed_->send(request);
    }
    // Requests of this tenant until no look-up is begun for it any more.
    int exhaust(const std::string& tenant) {
        for (int begun = 0;; ++begun) {
            const auto response =
                send(tenant, fmt::format("n{}.hangs.example", begun), milliseconds(1));
            EXPECT_FALSE(response.ok());
            if (response.error().code != ErrorCode::TIMEOUT) {
                EXPECT_TRUE(refused_for(response.error()).has_value())
                    << response.error().describe();
                return begun;
            }
        }
    }

    RouteServer web_;
    std::unique_ptr<test::NameServer> names_ = std::make_unique<test::NameServer>("hangs.example");
    std::shared_ptr<TenantSlots> slots_ =
        std::make_shared<TenantSlots>(TenantSlotsOptions{.name = "look-ups of names", .total = 16});
    HttpOptions options_ = allowing();
    std::unique_ptr<HttpClient> client_;
    OpenGovernor governor_;
    std::unique_ptr<Governed> governed_;

    void SetUp() override { governed_ = std::make_unique<Governed>(*client_, governor_); }
};

TEST_F(Hole9SlowNames, hold_their_own_tenants_share_of_the_look_ups_and_no_more) {
    ASSERT_TRUE(send("honest", "fine.example").ok());
    EXPECT_EQ(exhaust("hostile"), 8) << "a half of sixteen";
    ASSERT_TRUE(test::wait_until([&] { return names_->hanging() == 8; }));
    EXPECT_EQ(slots_->held_by("hostile"), 8) << "although each request ended after a millisecond";
    for (int i = 0; i < 20; ++i) {
        const auto response = send("honest", fmt::format("n{}.fine.example", i));
        ASSERT_TRUE(response.ok()) << response.error().describe();
    }
    EXPECT_FALSE(send("hostile", "fine.example").ok()) << "it waits for its own look-ups";
    names_.reset();  // they end
    EXPECT_TRUE(test::wait_until([&] { return slots_->in_use() == 0; }));
}

TEST_F(Hole9SlowNames, a_name_that_hangs_is_its_tenants_failure_and_a_missing_slot_is_not) {
    ASSERT_TRUE(send("honest", "fine.example").ok());
    governor_.reports.clear();
    const int begun = exhaust("hostile");
    ASSERT_EQ(governor_.reports.size(), static_cast<std::size_t>(begun));
    for (const Report& report : governor_.reports) {
        EXPECT_FALSE(report.ok) << "a look-up that timed out is told to the breaker";
    }
    for (int i = 0; i < 10; ++i) {
        const auto response = send("hostile", "more.hangs.example");
        ASSERT_FALSE(response.ok());
        EXPECT_EQ(classify(response.error()).peer, Classified::Peer::unknown);
    }
    EXPECT_EQ(governor_.reports.size(), static_cast<std::size_t>(begun)) << "and nothing else";
    EXPECT_TRUE(test::wait_until([&] { return names_->hanging() >= begun; }));
    EXPECT_EQ(names_->hanging(), begun);
}

// Every file descriptor that this process may still open, for as long as it lives.
class NoDescriptors final {
public:
    NoDescriptors() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit few = before_;
        few.rlim_cur = 256;
        ::setrlimit(RLIMIT_NOFILE, &few);
        for (int fd = 0; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) {
            open_.push_back(fd);
        }
    }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;
    ~NoDescriptors() {
        for (const int fd : open_) {
            ::close(fd);
        }
        ::setrlimit(RLIMIT_NOFILE, &before_);
    }

private:
    rlimit before_{};
    std::vector<int> open_;
};

TEST_F(Hole9SlowNames, no_file_descriptor_left_is_our_shortage_and_not_the_peers_failure) {
    HttpOptions options = allowing();  // and the machine's own resolver
    HttpClient client(options);
    Governed governed(client, governor_);
    // Once with descriptors: the sanitizer reads the memory of a type that it meets for the first
    // time through a pipe, and calls it invalid if it cannot open one.
    EXPECT_TRUE(HttpClient(options).send(get(web_.url())).ok());
    EXPECT_FALSE(HttpClient(options).send(get("http://fine.invalid/")).ok());
    for (const std::string& url : {web_.url(), std::string("http://fine.example/")}) {
        HttpRequest request = get(url);
        {
            const NoDescriptors none;
            const auto response = governed.send(request);
            ASSERT_FALSE(response.ok());
            EXPECT_TRUE(refused_for(response.error()).has_value()) << response.error().describe();
            EXPECT_FALSE(response.error().outcome_unknown);
        }
    }
    EXPECT_TRUE(governor_.reports.empty());
    EXPECT_EQ(web_.requests().size(), 1U);
    ASSERT_TRUE(governed.send(get(web_.url())).ok()) << "and it goes on";
    EXPECT_EQ(governor_.reports.size(), 1U);
}

}  // namespace
}  // namespace jobforge::connect
