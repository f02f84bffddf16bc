// One job per key, whoever races.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class Idempotency : public testing::Test {
protected:
    static std::string call(const std::string& key, const std::string& payload = "{}") {
        return fmt::format(
            "select job_id, deduplicated from jobforge.enqueue_job('a', '{}', p_idempotency_key => "
            "'{}')",
            payload, key);
    }
    EngineDatabase database;
    Session sql = database.session();
};

TEST_F(Idempotency, the_same_key_and_payload_is_the_same_job) {
    const auto first = sql.rows(call("k", R"({"a": 1, "b": 2})")).at(0);
    EXPECT_EQ(first[1], "f");
    EXPECT_EQ(sql.rows(call("k", R"({"b": 2, "a": 1})")).at(0), (TextRow{first[0], "t"}));
}

TEST_F(Idempotency, another_payload_is_a_conflict_and_adds_nothing) {
    sql.run(call("k", R"({"a": 1})"));
    EXPECT_EQ(sql.error(call("k", R"({"a": 2})")), "IDEMPOTENCY_CONFLICT");
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), "1");
}

TEST_F(Idempotency, a_key_spans_finished_jobs_and_belongs_to_type_and_tenant) {
    const auto job = sql.one(call("k"));
    sql.run(
        "select from jobforge.claim_jobs('w', 1, array['a']); "
        "select jobforge.complete_job('w', tenant_id, job_id, 1) from jobforge.jobs");
    EXPECT_EQ(sql.one(call("k")), job);
    EXPECT_NE(sql.one("select job_id from jobforge.enqueue_job('b', p_idempotency_key => 'k')"),
              job);
    sql.use_tenant(kTenantB);
    EXPECT_NE(sql.one(call("k")), job);
}

TEST_F(Idempotency, a_rolled_back_enqueue_frees_its_key) {
    sql.run("begin");
    const auto lost = sql.one(call("k"));
    sql.run("rollback");
    EXPECT_EQ(sql.rows(call("k")).at(0)[1], "f");
}

TEST_F(Idempotency, sixty_four_clients_racing_on_the_same_keys_get_one_job_a_key) {
    constexpr int kKeys = 20;
    std::mutex mutex;
    std::map<std::string, std::set<std::string>> ids;
    int created = 0;
    std::vector<std::jthread> clients;
    for (int client = 0; client < 64; ++client) {
        clients.emplace_back([&] {
            Session mine = database.session();
            for (int key = 0; key < kKeys; ++key) {
                const auto row = mine.rows(call(fmt::format("k{}", key))).at(0);
                const std::lock_guard lock(mutex);
                ids[fmt::format("k{}", key)].insert(row[0]);
                created += row[1] == "f" ? 1 : 0;
            }
        });
    }
    clients.clear();
    EXPECT_EQ(created, kKeys);
    for (const auto& [key, jobs] : ids) {
        EXPECT_EQ(jobs.size(), 1U) << key;
    }
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), std::to_string(kKeys));
}

TEST_F(Idempotency, a_caller_that_waits_for_an_open_transaction_gets_its_job) {
    Session first = database.session();
    first.run("begin");
    const auto job = first.one(call("k"));
    std::string second;
    std::jthread waiting([&] { second = database.session().one(call("k")); });
    while (sql.one("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
                   "datname = current_database()") != "1") {
    }
    first.run("commit");
    waiting.join();
    EXPECT_EQ(second, job);
}

TEST_F(Idempotency, batches_in_opposite_order_do_not_deadlock) {
    const auto batch = [](bool forward) {
        return fmt::format(
            "select count(*) from jobforge.enqueue_jobs(array_fill('a'::text, array[50]), "
            "array_fill('{{}}'::jsonb, array[50]), p_idempotency_keys => array(select 'k' || "
            "lpad(i::text, 3, '0') "
            "from generate_series(1, 50) i order by i {}))",
            forward ? "asc" : "desc");
    };
    std::vector<std::jthread> clients;
    for (int client = 0; client < 8; ++client) {
        clients.emplace_back([&, client] {
            Session mine = database.session();
            EXPECT_EQ(mine.one(batch(client % 2 == 0)), "50");
        });
    }
    clients.clear();
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), "50");
}

}  // namespace
}  // namespace jobforge::test
