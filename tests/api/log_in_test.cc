// Hole 12 of the attack on tenants: log-ins could fail without a limit, and the time of a refusal
// told whether its key exists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <regex>

#include <fmt/format.h>

#include "api/access/log_in_limit.h"
#include "api_http_world.h"
#include "services/access/key_text.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using services::ApiKeyText;
using ::testing::HasSubstr;

std::string unknown_key() {
    return ApiKeyText::make("test")->text();
}
// The id of a good key with another secret.
std::string wrong_secret(const std::string& key) {
    ApiKeyText text = ApiKeyText::parse(key).value();
    text.secret = ApiKeyText::make("test")->secret;
    return text.text();
}

class LogIns : public ApiHttpWorld {
protected:
    LogIns() {
        options().rate_limit = {.enabled = true, .requests_per_second = 1, .burst = 3};
        options().clock = [this] { return now_; };
    }
    Reply from(const std::string& address, const std::string& key) {
        return ask("GET", "/v1/jobs", {.key = key, .address = address});
    }
    // Uses up what the address has.
    void exhaust(const std::string& address) {
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(from(address, unknown_key()).status, 401);
        }
    }
    std::string calls_of_find_api_key() {
        return one(
            "select coalesce(sum(calls), 0) from pg_stat_user_functions where funcname = "
            "'find_api_key'");
    }

    std::chrono::steady_clock::time_point now_{};
};

TEST_F(LogIns, an_address_that_fails_too_often_gets_429) {
    exhaust("192.0.2.7");
    const Reply refused = from("192.0.2.7", unknown_key());
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.member("error.code"), "RATE_LIMITED");
    EXPECT_EQ(refused.header("Retry-After"), "1");
    EXPECT_EQ(refused.header("RateLimit-Remaining"), "0");
    EXPECT_EQ(from("192.0.2.7", wrong_secret(admin_)).status, 429) << "which is not told";
    EXPECT_EQ(from("192.0.2.8", unknown_key()).status, 401) << "another address";
    now_ += 1s;
    EXPECT_EQ(from("192.0.2.7", unknown_key()).status, 401) << "one a second";
    EXPECT_EQ(from("192.0.2.7", unknown_key()).status, 429);
}

TEST_F(LogIns, one_subscriber_of_ipv6_is_one_address) {
    exhaust("2001:db8:1:2::1");
    EXPECT_EQ(from("2001:db8:1:2:aaaa::9", unknown_key()).status, 429);
    EXPECT_EQ(from("2001:db8:1:3::1", unknown_key()).status, 401);
}

TEST_F(LogIns, an_attacker_does_not_lock_out_a_good_key_of_his_address) {
    const std::string used_before = make_key(tenant_, {"Auditor"});
    const std::string new_here = make_key(tenant_, {"Auditor"});
    EXPECT_EQ(from("192.0.2.7", used_before).status, 200);
    exhaust("192.0.2.7");
    for (int i = 0; i < 20; ++i) {
        EXPECT_EQ(from("192.0.2.7", wrong_secret(used_before)).status, 429);
        EXPECT_EQ(from("192.0.2.7", unknown_key()).status, 429);
    }
    EXPECT_EQ(from("192.0.2.7", used_before).status, 200);
    EXPECT_EQ(from("192.0.2.7", new_here).status, 200) << "which this node has not seen before";
    EXPECT_EQ(from("192.0.2.8", used_before).status, 200);
}

TEST_F(LogIns, a_log_in_that_succeeds_costs_its_address_nothing) {
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(from("192.0.2.7", make_key(tenant_, {"Auditor"})).status, 200);
    }
    EXPECT_EQ(from("192.0.2.7", unknown_key()).status, 401);
}

TEST_F(LogIns, without_the_limit_they_are_not_counted) {
    options().rate_limit.enabled = false;
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(from("192.0.2.7", unknown_key()).status, 401);
    }
}

// Of addresses that have used up their rate, one asks the database at a time.
TEST_F(LogIns, addresses_without_a_rate_have_one_connection_together) {
    const auto send = [this](HttpConnection& client) {
        client.send(request_text("GET", "/v1/jobs",
                                 fmt::format("Authorization: Bearer {}\r\n", unknown_key())));
    };
    for (int i = 0; i < 3; ++i) {
        HttpConnection client(port());
        send(client);
        EXPECT_EQ(client.receive_one().status, 401);
    }
    pg::Connection holder = database_.connect();
    ASSERT_TRUE(holder.script("hold", "begin; lock table jobforge.api_keys").ok());
    HttpConnection first(port());
    send(first);
    EXPECT_TRUE(wait_until([&] {
        return one("select count(*) from pg_stat_activity where application_name = 'jobforge api' "
                   "and datname = current_database() and wait_event_type = 'Lock'") == "1";
    }));
    for (int i = 0; i < 5; ++i) {
        HttpConnection next(port());
        send(next);
        EXPECT_EQ(next.receive_one().status, 429) << "at once, while the first one waits";
    }
    ASSERT_TRUE(holder.script("let go", "rollback").ok());
    EXPECT_EQ(first.receive_one().status, 429) << "asked, but not told";
}

// By what is asked, not by a clock: a wrong secret of a key that the node remembers, of one that it
// does not, and an id that nobody has cost the same.
TEST_F(LogIns, a_refusal_asks_the_database_as_often_whether_its_key_exists_or_not) {
    options().rate_limit.enabled = false;
    run("do $$ begin execute format('alter database %I set track_functions = ''all''', "
        "current_database()); end $$");
    const auto asked = [&](const std::function<std::string()>& key) {
        EXPECT_EQ(from("192.0.2.7", admin_).status, 200);
        EXPECT_EQ(from("192.0.2.7", other_admin_).status, 200);
        stop_service();  // a session tells its numbers when it ends
        EXPECT_TRUE(wait_until([&] {
            return one("select count(*) from pg_stat_activity where application_name = 'jobforge "
                       "api' and datname = current_database()") == "0";
        }));
        const int before = std::stoi(calls_of_find_api_key());
        EXPECT_EQ(from("192.0.2.7", admin_).status, 200);
        for (int i = 0; i < 10; ++i) {
            EXPECT_EQ(from("192.0.2.7", key()).status, 401);
        }
        stop_service();
        EXPECT_TRUE(wait_until([&] {
            return one("select count(*) from pg_stat_activity where application_name = 'jobforge "
                       "api' and datname = current_database()") == "0";
        }));
        return std::stoi(calls_of_find_api_key()) - before;
    };
    EXPECT_EQ(asked(&unknown_key), 11);
    EXPECT_EQ(asked([&] { return wrong_secret(admin_); }), 11) << "remembered";
    EXPECT_EQ(asked([&] { return wrong_secret(other_admin_); }), 11) << "not before the first";
}

// The write would tell that the key has a tenant.
TEST_F(LogIns, a_refusal_does_not_wait_for_its_audit_event) {
    pg::Connection holder = database_.connect();
    ASSERT_TRUE(holder.script("hold", "begin; lock table jobforge.access_denials").ok());
    EXPECT_EQ(from("192.0.2.7", wrong_secret(admin_)).status, 401);
    EXPECT_EQ(from("192.0.2.7", unknown_key()).status, 401);
    ASSERT_TRUE(holder.script("let go", "rollback").ok());
    EXPECT_TRUE(wait_until([&] { return events_of_key(admin_) == "GET /v1/jobs UNAUTHORIZED"; }))
        << events_of_key(admin_);
}

TEST_F(LogIns, what_waits_to_be_noted_is_noted_before_the_end) {
    (void)service();
    EXPECT_EQ(from("192.0.2.7", wrong_secret(admin_)).status, 401);
    stop_service();
    EXPECT_EQ(events_of_key(admin_), "GET /v1/jobs UNAUTHORIZED");
}

TEST_F(LogIns, the_log_tells_of_all_of_them_in_few_lines) {
    auto witness = std::make_shared<Witness>();
    options().log = Logger(witness);
    options().rate_limit.enabled = false;
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(from("192.0.2.7", unknown_key()).status, 401);
    }
    EXPECT_TRUE(wait_until([&] { return !witness->log().empty(); }));
    stop_service();
    const std::string log = witness->log();
    EXPECT_THAT(log, HasSubstr("last_address=\"192.0.2.7\""));
    int lines = 0;
    int count = 0;
    const std::regex line("log-ins were refused count=([0-9]+)");
    for (std::sregex_iterator at(log.begin(), log.end(), line), end; at != end; ++at) {
        ++lines;
        count += std::stoi((*at)[1]);
    }
    EXPECT_LE(lines, 2) << log;
    EXPECT_EQ(count, 50) << log;
}

}  // namespace
}  // namespace jobforge::test
