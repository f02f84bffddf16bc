// Keys against each other: what happens when two of them act at the same moment.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "api_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

class AccessApi : public ApiWorld {
protected:
    // Takes the turns of the requests with the Idempotency-Key "k": they enter and then wait for
    // it.
    std::string turns_of(const std::string& first, const std::string& second) {
        return fmt::format(
            "begin; insert into jobforge.turns (tenant_id, what) values ('{0}', 'api_request {1} "
            "k'), ('{0}', 'api_request {2} k')",
            tenant_.to_string(), key_id(first), key_id(second));
    }
    Reply revoke(const std::string& with, const std::string& whom) {
        return ask("POST", "/v1/api-keys/" + key_id(whom) + "/revoke",
                   {.key = with, .headers = {{"idempotency-key", "k"}}});
    }
    std::string waiting() {
        return one(
            "select count(distinct l.pid) from pg_locks l where not l.granted and "
            "pg_backend_pid() = any(pg_blocking_pids(l.pid))");
    }
};

// Each waits for the end of what the other key has begun: a deadlock, which the database ends by
// refusing one of them. That one is asked again, and finds that its key is gone.
TEST_F(AccessApi, of_two_keys_that_revoke_each_other_at_once_one_stays) {
    const std::string a = make_key(tenant_, {"Admin"});
    const std::string b = make_key(tenant_, {"Admin"});
    (void)service();
    run(turns_of(a, b));  // both enter, neither gets on
    Reply by_a;
    Reply by_b;
    std::thread first([&] { by_a = revoke(a, b); });
    std::thread second([&] { by_b = revoke(b, a); });
    EXPECT_TRUE(wait_until([&] { return waiting() == "2"; }));
    run("rollback");
    first.join();
    second.join();
    const Reply& lost = by_a.status == 200 ? by_b : by_a;
    const Reply& won = by_a.status == 200 ? by_a : by_b;
    EXPECT_EQ(won.status, 200) << won.body;
    EXPECT_EQ(lost.status, 401) << lost.body;
    EXPECT_EQ(lost.member("error.code"), "API_KEY_REVOKED");
    EXPECT_EQ(one("select count(*) from jobforge.api_keys where status = 'REVOKED'"), "1");
}

}  // namespace
}  // namespace jobforge::test
