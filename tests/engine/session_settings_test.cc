// Defaults that an operator gives a database or a role: with each of them jobs are enqueued, run
// and complete once, or an error says which setting is in the way.
#include <jobforge/client.h>
#include <jobforge/worker.h>

#include <array>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <libpq-fe.h>

#include "worker_world.h"

namespace jobforge::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::array kSettings = {
    "default_transaction_isolation = 'repeatable read'",
    "default_transaction_isolation = 'serializable'",
    "default_transaction_deferrable = on",
    "row_security = off",
    "statement_timeout = 40",
    "lock_timeout = 1",
    "idle_session_timeout = 200",
    "idle_in_transaction_session_timeout = 100",
    "synchronous_commit = off",
    "search_path = ''",
    "search_path = public, pg_catalog",
    "standard_conforming_strings = off",
    "escape_string_warning = off",
    "backslash_quote = off",
    "transform_null_equals = on",
    "array_nulls = off",
    "quote_all_identifiers = on",
    "DateStyle = 'German, DMY'",
    "IntervalStyle = 'sql_standard'",
    "bytea_output = 'escape'",
    "extra_float_digits = -15",
    "timezone = 'Pacific/Apia'",
    "timezone_abbreviations = 'India'",
    "client_encoding = 'LATIN1'",
    "lc_numeric = 'C'",
    "client_min_messages = log",
    "enable_indexscan = off",
    "enable_seqscan = off",
    "enable_nestloop = off",
    "enable_hashjoin = off",
    "enable_sort = off",
    "enable_bitmapscan = off",
    "jit = on",
    "jit_above_cost = 0",
    "plan_cache_mode = force_custom_plan",
    "plan_cache_mode = force_generic_plan",
    "work_mem = '64kB'",
    "join_collapse_limit = 1",
    "from_collapse_limit = 1",
    "constraint_exclusion = on",
    "default_toast_compression = 'pglz'",
    "check_function_bodies = off",
    "default_statistics_target = 1",
};

class SettingsOfASession : public WorkerWorld {
protected:
    SettingsOfASession() {
        run("do $$ begin create role test_world_client login in role jobforge_gateway; "
            "exception when duplicate_object or unique_violation then null; end $$");
        type("t");
    }
    void set(const std::string& setting) {
        run(fmt::format("alter database \"{}\" set {}", database_.name(), setting));
    }
    void reset() { run(fmt::format("alter database \"{}\" reset all", database_.name())); }
    [[nodiscard]] std::string client_url() const { return database_.url("test_world_client"); }

    // By a client of the SQL functions that sets nothing but its tenant.
    std::string enqueue_with_sql() {
        PGconn* plain = PQconnectdb(client_url().c_str());
        PQsetNoticeReceiver(plain, [](void*, const PGresult*) {}, nullptr);
        PGresult* answer = PQexec(
            plain, fmt::format("select set_config('app.tenant_id', '{}', false); "
                               "select job_id from jobforge.enqueue_job('t', '{{\"n\": 1.5}}', "
                               "p_idempotency_key => gen_random_uuid()::text)",
                               tenant_.to_string())
                       .c_str());
        const std::string id = PQntuples(answer) == 1 ? PQgetvalue(answer, 0, 0) : "";
        EXPECT_EQ(id.size(), 36U) << PQerrorMessage(plain);
        PQclear(answer);
        PQfinish(plain);
        return id;
    }
    std::string enqueue_with_client() {
        ClientOptions options;
        options.database_url = client_url();
        options.tenant_id = tenant_;
        auto client = Client::connect(std::move(options));
        EXPECT_TRUE(client.ok()) << (client.ok() ? "" : client.error().describe());
        NewJob job;
        job.type = "t";
        job.payload = *Json::parse(R"({"text": "\\ 'ä' \"é\"", "none": null})");
        auto enqueued = client->enqueue(job);
        EXPECT_TRUE(enqueued.ok()) << (enqueued.ok() ? "" : enqueued.error().describe());
        return enqueued.ok() ? enqueued->job_id.to_string() : "";
    }
    // Runs both jobs: a write in the transaction, then the session is idle.
    void work(std::chrono::milliseconds idle, const std::shared_ptr<Lines>& lines) {
        WorkerOptions given = options();
        given.log = Logger(lines);
        Worker worker(given);
        worker.on("t", [idle](JobContext& context) -> Outcome {
            auto transaction = context.transaction();
            if (!transaction) {
                return Retry{transaction.error()};
            }
            auto written =
                (*transaction)
                    ->exec(
                        "effect",
                        "insert into public.effects values ($1::uuid, "
                        "current_setting('statement_timeout') || current_setting('lock_timeout'))",
                        {context.job().job_id.to_string()});
            work_for(context, idle);
            return written ? Outcome(Done{context.job().payload}) : Outcome(Retry{written.error()});
        });
        expect_ok(worker.start());
        EXPECT_TRUE(wait_until([&] { return worker.numbers().succeeded == 2; }, 15s));
        EXPECT_EQ(worker.numbers().reconnects, 0U) << "a session was ended";
    }
};

TEST_F(SettingsOfASession, of_any_default_do_not_keep_jobs_from_running_once) {
    for (const std::string setting : kSettings) {
        SCOPED_TRACE(setting);
        set(setting);
        const std::array ids = {enqueue_with_sql(), enqueue_with_client()};
        auto lines = std::make_shared<Lines>();
        work(setting.find("timeout") == std::string::npos ? 0ms : 400ms, lines);
        for (const std::string& id : ids) {
            EXPECT_EQ(one(fmt::format("select status || attempts || (result = payload) from "
                                      "jobforge.all_jobs where job_id = '{}'",
                                      id)),
                      "SUCCEEDED1true");
            EXPECT_EQ(one(fmt::format("select string_agg(note, ',') from public.effects where "
                                      "job_id = '{}'",
                                      id)),
                      "00")
                << "once, and without a timeout that it did not set";
        }
        reset();
        ASSERT_FALSE(HasFailure()) << lines->text();
    }
}

TEST_F(SettingsOfASession, that_its_url_names_are_kept) {
    auto named =
        pg::Connection::connect({.url = database_.url() + " options='-c statement_timeout=54321'"});
    ASSERT_TRUE(named.ok()) << named.error().describe();
    auto rows = named->exec({"test", "select current_setting('statement_timeout')"});
    EXPECT_EQ(rows->text(0, 0), "54321ms");
}

// The two that fail closed. A standby and a fenced primary are read-only, too: it is not overruled.
TEST_F(SettingsOfASession, read_only_is_refused_with_a_reason) {
    set("default_transaction_read_only = on");
    Worker worker(options());
    worker.on("t", [](JobContext&) -> Outcome { return Done{}; });
    const Status started = worker.start();
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().sqlstate, "25006");
    EXPECT_THAT(started.error().hint, HasSubstr("default_transaction_read_only"));
}

TEST_F(SettingsOfASession, without_row_security_a_query_is_refused_with_a_reason) {
    auto client = database_.connect("test_world_client");
    expect_ok(client.script("test", "set row_security = off"));
    auto rows = client.exec({"test_read", "select from jobforge.all_jobs"});
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(rows.error().sqlstate, "42501");
    EXPECT_THAT(rows.error().hint, HasSubstr("row_security is off for this session"));
}

}  // namespace
}  // namespace jobforge::test
