// From a header to who asks, on a real database: what the cache may remember, and what it may never
// get wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include <fmt/format.h>

#include "engine/schema/migrate.h"
#include "services/access/access_admin.h"
#include "services/access/request_calls.h"
#include "test_cluster.h"
#include "wait_until.h"

namespace jobforge::services {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kTenant[] = "aaaaaaaa-0000-4000-8000-000000000001";
constexpr char kPepper[] = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

Status fill_template(const std::string& url) {
    if (auto migrated = engine::migrate(url); !migrated.ok()) {
        return std::move(migrated).error();
    }
    auto connection = pg::Connection::connect({.url = url});
    return connection.ok()
               ? connection->script("fixtures",
                                    fmt::format("select jobforge.create_tenant('a', '{}'); select "
                                                "jobforge.set_job_type('a', '{{}}')",
                                                kTenant))
               : Status(std::move(connection).error());
}

Pepper pepper() {
    return Pepper::from_base64(kPepper).value();
}

class KeyRings : public testing::Test {
protected:
    KeyRings() {
        run(fmt::format("create role \"{}_api\" login in role jobforge_gateway", database.name()));
    }

    std::string create(const std::string& name = "k",
                       std::vector<std::string> roles = {"Operator"}) {
        auto made =
            create_api_key(calls, pepper(), "dev", {.name = name, .roles = std::move(roles)});
        EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().describe());
        return made->text;
    }
    static std::string id_of(const std::string& key) { return ApiKeyText::parse(key)->key_id; }
    Result<Principal> find(const std::string& key) { return ring.find("Bearer " + key, pool); }
    std::string code_of(const std::string& key) {
        const auto found = find(key);
        return std::string(found.ok() ? "ok" : to_string(found.error().code));
    }
    // What the database says to a request that was decided by this principal.
    std::string enter(const Principal& principal, Effect effect = Effect::reads) {
        auto connection = pool.acquire();
        EXPECT_TRUE(connection.ok());
        const engine::TenantCall call = enter_request_call(principal, effect);
        const auto rows = (*connection)->exec(call.statement, call.params);
        return rows.ok() ? rows->uuid(0, 0).to_string() : std::string(to_string(rows.error().code));
    }
    void run(const std::string& text) {
        const auto done = sql.script("test", text);
        EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().describe());
    }
    pg::PoolOptions pool_options() {
        return {.connect = {.url = database.url(database.name() + "_api")}, .max_size = 40};
    }

    test::TestDatabase database{"access_workloads", &fill_template};
    pg::Connection sql = database.connect();
    engine::TenantCalls calls =
        engine::TenantCalls::connect(
            {.database_url = database.url(), .tenant_id = Uuid::parse(kTenant).value()})
            .value();
    pg::Pool pool{pool_options()};
    KeyRing ring{pepper(), {.environment = "dev", .capacity = 100}};
};

TEST_F(KeyRings, a_key_says_who_asks_and_enters_for_its_tenant) {
    const std::string key = create("k", {"Operator", "Auditor"});
    for (int i = 0; i < 2; ++i) {  // from the database, from the cache
        const auto principal = find(key);
        ASSERT_TRUE(principal.ok()) << principal.error().describe();
        EXPECT_EQ(principal->tenant_id.to_string(), kTenant);
        EXPECT_EQ(principal->key_id, id_of(key));
        EXPECT_EQ(principal->roles, (Roles{Role::auditor, Role::operator_}));
        EXPECT_EQ(enter(*principal), kTenant);
        EXPECT_EQ(enter(*principal, Effect::changes), kTenant);
    }
}

TEST_F(KeyRings, the_database_never_has_the_secret) {
    const ApiKeyText key = ApiKeyText::parse(create()).value();
    const auto rows = sql.exec({"look",
                                "select (select json_agg(k) from jobforge.api_keys k)::text "
                                "|| (select json_agg(convert_from(payload_canonical, "
                                "'UTF8')) from jobforge.events)::text"});
    ASSERT_TRUE(rows.ok());
    EXPECT_THAT(std::string(rows->text(0, 0)), HasSubstr(key.key_id));
    EXPECT_THAT(std::string(rows->text(0, 0)), Not(HasSubstr(key.secret)));
}

TEST_F(KeyRings, an_unknown_id_and_a_wrong_secret_look_alike) {
    const ApiKeyText key = ApiKeyText::parse(create()).value();
    const ApiKeyText other = ApiKeyText::make("dev").value();
    const auto unknown = find(other.text());
    const auto wrong = find(ApiKeyText{"dev", key.key_id, other.secret}.text());
    const auto again = find(ApiKeyText{"dev", key.key_id, other.secret}.text());
    for (const auto* refused : {&unknown, &wrong, &again}) {
        ASSERT_FALSE(refused->ok());
        EXPECT_EQ(refused->error().code, ErrorCode::UNAUTHORIZED);
        EXPECT_EQ(refused->error().describe(), unknown.error().describe());
    }
    EXPECT_EQ(ring.size(), 1U) << "ids that nobody has are not kept";
    const auto elsewhere = find(ApiKeyText{"test", key.key_id, key.secret}.text());
    ASSERT_FALSE(elsewhere.ok());
    EXPECT_THAT(elsewhere.error().message, HasSubstr("another environment"));
    EXPECT_EQ(ring.find("", pool).error().code, ErrorCode::UNAUTHORIZED);
    EXPECT_EQ(code_of(key.text()), "ok");
}

TEST_F(KeyRings, another_pepper_knows_no_key) {
    KeyRing other(Pepper::from_base64("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDI=").value(), {});
    EXPECT_EQ(other.find("Bearer " + create(), pool).error().code, ErrorCode::UNAUTHORIZED);
}

TEST_F(KeyRings, a_revocation_holds_at_once_on_every_node_whatever_it_remembers) {
    const std::string key = create();
    KeyRing other_node(pepper(), {.environment = "dev"});
    const Principal here = find(key).value();
    const Principal there = other_node.find("Bearer " + key, pool).value();
    ASSERT_TRUE(revoke_api_key(calls, id_of(key)).ok());
    EXPECT_EQ(enter(here), "API_KEY_REVOKED");
    EXPECT_EQ(enter(there), "API_KEY_REVOKED");
    EXPECT_EQ(enter(find(key).value()), "API_KEY_REVOKED") << "remembered as it was";
    ring.forget(id_of(key));
    EXPECT_EQ(code_of(key), "API_KEY_REVOKED");
    const ApiKeyText wrong{"dev", id_of(key), ApiKeyText::make("dev")->secret};
    EXPECT_EQ(code_of(wrong.text()), "UNAUTHORIZED") << "only who has the key learns of its end";
}

TEST_F(KeyRings, an_expired_key_is_refused_by_the_cache_and_by_the_database) {
    const std::string key = create();
    const Principal before = find(key).value();
    run("update jobforge.api_keys set expires_at = created_at + interval '1 microsecond', version "
        "= version + 1");
    EXPECT_EQ(enter(before), "UNAUTHORIZED");
    ring.forget(id_of(key));
    EXPECT_EQ(code_of(key), "UNAUTHORIZED");
}

TEST_F(KeyRings, changed_policies_are_found_out_and_then_decide) {
    const std::string key = create();
    const Principal before = find(key).value();
    const auto allowed = [](const Principal& principal) {
        return decide(principal.roles, *principal.policies, Permission::jobs_read, "GET",
                      "/v1/jobs")
            .allowed;
    };
    EXPECT_TRUE(allowed(before));
    ASSERT_TRUE(
        add_access_policy(calls, {.effect = "deny", .path_pattern = "/v1/jobs", .priority = 1})
            .ok());
    EXPECT_EQ(enter(before), "ACCESS_CHANGED");
    ring.forget(before.key_id);
    const Principal after = find(key).value();
    EXPECT_EQ(enter(after), kTenant);
    EXPECT_FALSE(allowed(after));
    ASSERT_TRUE(
        add_access_policy(
            calls,
            {.effect = "allow", .path_pattern = "/v1/**", .priority = 2, .key_id = after.key_id})
            .ok());
    ring.forget(before.key_id);
    EXPECT_TRUE(allowed(find(key).value()));
}

TEST_F(KeyRings, both_keys_of_a_rotation_work_and_then_the_new_one) {
    const std::string old = create();
    const auto next = rotate_api_key(calls, pepper(), "dev", id_of(old), std::chrono::hours(1));
    ASSERT_TRUE(next.ok()) << next.error().describe();
    EXPECT_EQ(enter(find(old).value()), kTenant);
    EXPECT_EQ(enter(find(next->text).value()), kTenant);
    EXPECT_EQ(find(next->text)->roles, Roles{Role::operator_});
    ASSERT_TRUE(rotate_api_key(calls, pepper(), "dev", id_of(next->text), {}).ok());
    EXPECT_EQ(enter(find(next->text).value()), "API_KEY_REVOKED");
    EXPECT_EQ(rotate_api_key(calls, pepper(), "dev", id_of(old), {}).error().code,
              ErrorCode::INVALID_TRANSITION);
}

TEST_F(KeyRings, the_cache_is_bounded_and_keeps_what_is_used) {
    KeyRing small(pepper(), {.environment = "dev", .capacity = 2});
    const std::vector<std::string> keys{create("a"), create("b"), create("c")};
    for (const auto index : {0U, 1U, 0U, 2U}) {
        ASSERT_TRUE(small.find("Bearer " + keys[index], pool).ok());
    }
    EXPECT_EQ(small.size(), 2U);
    pool.close();  // what is cached needs no connection
    EXPECT_TRUE(small.find("Bearer " + keys[0], pool).ok());
    EXPECT_TRUE(small.find("Bearer " + keys[2], pool).ok());
    EXPECT_EQ(small.find("Bearer " + keys[1], pool).error().code, ErrorCode::DB_UNAVAILABLE);
}

TEST_F(KeyRings, who_must_not_wait_finds_what_is_remembered_and_right) {
    const std::string key = create();
    const auto cached = [&](const std::string& text) {
        return ring.find_cached("Bearer " + text).has_value();
    };
    EXPECT_FALSE(cached(key)) << "nobody asked the database yet";
    EXPECT_EQ(code_of(key), "ok");
    const auto principal = ring.find_cached("Bearer " + key);
    ASSERT_TRUE(principal);
    EXPECT_EQ(principal->key_id, id_of(key));
    EXPECT_EQ(principal->roles, Roles{Role::operator_});
    const ApiKeyText parts = ApiKeyText::parse(key).value();
    EXPECT_FALSE(cached(ApiKeyText{"dev", parts.key_id, ApiKeyText::make("dev")->secret}.text()));
    EXPECT_FALSE(cached(ApiKeyText{"test", parts.key_id, parts.secret}.text()));
    EXPECT_FALSE(cached("nonsense"));
    ring.forget(parts.key_id);
    EXPECT_FALSE(cached(key));
    ASSERT_TRUE(revoke_api_key(calls, parts.key_id).ok());
    EXPECT_EQ(code_of(key), "API_KEY_REVOKED");
    EXPECT_FALSE(cached(key)) << "remembered as revoked";
}

TEST_F(KeyRings, an_answer_from_before_a_forget_is_not_kept) {
    const std::string key = create();
    run("begin; lock table jobforge.api_keys");
    std::jthread client([&] { EXPECT_TRUE(find(key).ok()); });
    EXPECT_TRUE(test::wait_until([this] {
        auto rows = database.connect().exec(
            {"blocked",
             "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
             "datname = current_database()"});
        return rows.ok() && rows->integer(0, 0) > 0;
    }));
    ring.forget(id_of(key));
    run("commit");
    client.join();
    EXPECT_EQ(ring.size(), 0U);
    EXPECT_EQ(code_of(key), "ok");
    EXPECT_EQ(ring.size(), 1U);
}

TEST_F(KeyRings, a_connection_that_died_in_the_pool_costs_nobody_his_request) {
    const std::string key = create();
    {
        (void)pool.acquire();
    }
    run("select pg_terminate_backend(pid) from pg_stat_activity where datname = "
        "current_database() and usename like '%_api'");
    EXPECT_EQ(code_of(key), "ok");
}

TEST_F(KeyRings, many_threads_ask_while_keys_are_forgotten) {
    const std::vector<std::string> keys{create("a"), create("b")};
    std::vector<std::jthread> threads;
    for (unsigned thread = 0; thread < 32; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 50; ++i) {
                const std::string& key = keys[thread % 2];
                if (i % 10 == 0) {
                    ring.forget(id_of(key));
                }
                const auto found = find(key);
                ASSERT_TRUE(found.ok()) << found.error().describe();
                EXPECT_EQ(found->key_id, id_of(key));
            }
        });
    }
}

TEST_F(KeyRings, a_request_is_answered_once_for_its_idempotency_key) {
    const Principal principal = find(create()).value();
    const Sha256 hash = request_hash("POST", "/v1/jobs", "{}");
    const StoredResponse answer{201, R"({"location": "/v1/jobs/7"})", std::string("a\0b", 3)};
    const auto on_connection = [&](const engine::TenantCall& call) {
        auto connection = pool.acquire();
        const engine::TenantCall enter = enter_request_call(principal, Effect::changes);
        (*connection)->queue(enter.statement, enter.params);
        (*connection)->queue(call.statement, call.params);
        return (*connection)->flush();
    };
    auto first = on_connection(begin_api_request_call(principal, "i", hash));
    ASSERT_TRUE(first.ok()) << first.error().describe();
    EXPECT_FALSE(stored_response(first->at(1)));
    ASSERT_TRUE(on_connection(store_api_response_call(principal, "i", hash, answer)).ok());
    const auto second = on_connection(begin_api_request_call(principal, "i", hash));
    ASSERT_TRUE(second.ok());
    const auto stored = stored_response(second->at(1));
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->status, 201);
    EXPECT_EQ(stored->headers_json, answer.headers_json);
    EXPECT_EQ(stored->body, answer.body);
    const auto other = on_connection(
        begin_api_request_call(principal, "i", request_hash("POST", "/v1/jobs", "{ }")));
    EXPECT_EQ(other.error().code, ErrorCode::IDEMPOTENCY_CONFLICT);
    EXPECT_TRUE(on_connection(access_denied_call(principal, "GET /v1/jobs", "role")).ok());
    EXPECT_TRUE(on_connection(key_refused_call("nobody", "GET /v1/jobs", "role")).ok());
}

TEST(RequestHash, is_bound_to_method_target_and_body) {
    const Sha256 hash = request_hash("POST", "/v1/jobs", "{}");
    EXPECT_EQ(request_hash("POST", "/v1/jobs", "{}"), hash);
    EXPECT_NE(request_hash("PUT", "/v1/jobs", "{}"), hash);
    EXPECT_NE(request_hash("POST", "/v1/jobs?x", "{}"), hash);
    EXPECT_NE(request_hash("POST", "/v1/jobs", "{ }"), hash);
    EXPECT_NE(request_hash("POST", "/v1/jobs\n", "{}"), request_hash("POST", "/v1/jobs", "\n{}x"));
}

}  // namespace
}  // namespace jobforge::services
