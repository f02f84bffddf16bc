#include "worker_world.h"

#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "engine/schema/migrate.h"
#include "pg_bouncer.h"

namespace jobforge::test {

namespace {

constexpr std::string_view kLogin = "test_world_worker";

Status prepare(const std::string& url) {
    if (auto migrated = engine::migrate(url); !migrated) {
        return migrated.error();
    }
    auto admin = pg::Connection::connect({.url = url});
    if (!admin) {
        return admin.error();
    }
    return admin->script("test_login",
                         "do $$ begin create role test_world_worker login in role jobforge_worker; "
                         "exception when duplicate_object or unique_violation then null; end $$;"
                         "create table public.effects (job_id uuid, note text);"
                         "grant all on public.effects to test_world_worker");
}

}  // namespace

void expect_ok(const Status& status) {
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().describe());
}

void work_for(const JobContext& context, std::chrono::milliseconds time) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, context.stop_token(), time, [] { return false; });
}

void wait_for_stop(const JobContext& context) {
    work_for(context, kPatience);
    EXPECT_TRUE(context.stop_token().stop_requested());
}

WorkerWorld::WorkerWorld()
    : database_("jobforge_worker_world", prepare), admin_(database_.connect()) {
    const std::string id = one("select jobforge.create_tenant('world')");
    tenant_ = *Uuid::parse(id);
    run(fmt::format("select set_config('app.tenant_id', '{}', false)", id));
}

WorkerOptions WorkerWorld::options() const {
    return {.database_url = pooled_url(database_.url(kLogin)),
            .slots = 4,
            .poll_interval = std::chrono::milliseconds(50),
            .lease = std::chrono::seconds(10),
            .lease_renew = std::chrono::seconds(5),
            .drain_grace = std::chrono::seconds(10),
            .listen_url = pooled() ? database_.url(kLogin) : std::string()};
}

void WorkerWorld::type(const std::string& name, const std::string& policy) {
    run(fmt::format("insert into jobforge.job_types (type) values ('{}') on conflict do nothing",
                    name));
    if (!policy.empty()) {
        run(fmt::format("update jobforge.job_types set {} where type = '{}'", policy, name));
    }
}

Uuid WorkerWorld::enqueue(const std::string& type, const std::string& payload,
                          const std::string& more) {
    const std::string id =
        one(fmt::format("select job_id from jobforge.enqueue_job('{}', '{}'{}{})", type, payload,
                        more.empty() ? "" : ", ", more));
    auto parsed = Uuid::parse(id);
    EXPECT_TRUE(parsed.ok()) << "not enqueued: " << id;
    return parsed ? *parsed : Uuid{};
}

void WorkerWorld::enqueue_many(const std::string& type, int count) {
    run(
        fmt::format("select count(*) from jobforge.enqueue_jobs(array_fill('{}'::text, array[{}]), "
                    "array_fill('{{}}'::jsonb, array[{}]))",
                    type, count, count));
}

void WorkerWorld::run(const std::string& sql) {
    expect_ok(admin_.script("test", sql));
}

std::string WorkerWorld::one(const std::string& sql) {
    auto rows = admin_.exec({"test_one", fmt::format("select ({})::text", sql)});
    EXPECT_TRUE(rows.ok()) << (rows.ok() ? "" : rows.error().describe()) << "\n" << sql;
    return rows.ok() && !rows->empty() && !rows->is_null(0, 0) ? std::string(rows->text(0, 0)) : "";
}

std::string WorkerWorld::job(const Uuid& id, const std::string& expression) {
    return one(fmt::format("select {} from jobforge.all_jobs where job_id = '{}'", expression,
                           id.to_string()));
}

std::string WorkerWorld::attempts(const Uuid& id) {
    return one(
        fmt::format("select string_agg(outcome, ',' order by lease_token) "
                    "from jobforge.job_attempts where job_id = '{}'",
                    id.to_string()));
}

bool WorkerWorld::becomes(const Uuid& id, const std::string& status) {
    const bool did = wait_until([&] { return job(id, "status") == status; });
    EXPECT_TRUE(did) << "wanted " << status << ", is "
                     << job(id, "status || ' ' || coalesce(last_error::text, '')");
    return did;
}

}  // namespace jobforge::test
