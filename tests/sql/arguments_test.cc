// Every public function refuses arguments that make no sense, with our own code:
// never with Postgres's, and never by doing nothing in silence.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "argument_cases.h"
#include "argument_world.h"
#include "sql_session.h"

namespace jobforge::test {
namespace {

class Arguments : public testing::Test {
protected:
    void SetUp() override {
        done = sql.one("select job_id from jobforge.enqueue_job('b')");
        sql.run(
            fmt::format("select from jobforge.claim_jobs('w', 1, array['b']); select "
                        "jobforge.fail_job('w', '{}', '{}', 1, '{{\"code\": \"X\", "
                        "\"message\": \"m\", \"retryable\": false}}')",
                        kTenantA, done));
        job = sql.one("select job_id from jobforge.enqueue_job('a')");
        sql.run("select from jobforge.claim_jobs('w', 1, array['a'])");
        objects = {{"TENANT", kTenantA},
                   {"JOB", job},
                   {"DONE", done},
                   {"DELETED", sql.one("select jobforge.create_tenant('of no use')")}};
    }
    std::string filled(std::string text) const {
        for (const auto& [name, value] : objects) {
            for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) {
                text.replace(at, name.size(), value);
            }
        }
        return text;
    }
    // The call with good values, and `bad` for one of them.
    [[nodiscard]] std::string call(const Function& function, const std::string& name = "",
                                   const std::string& bad = "") const {
        std::string arguments;
        for (const auto& argument : function.arguments) {
            arguments += fmt::format("{}{} => {}", arguments.empty() ? "" : ", ", argument.name,
                                     argument.name == name ? bad : argument.good);
        }
        return filled(fmt::format("select * from jobforge.{}({})", function.name, arguments));
    }
    std::string answer(const std::string& statement) {
        sql.run("begin; set local jobforge.only_settles = true");  // as the HTTP API does
        const auto code = sql.error(statement);
        sql.run("rollback");
        return code;
    }
    // Names and types of the arguments that are passed in, in order.
    std::vector<TextRow> declared(const std::string& function) {
        return sql.rows(fmt::format(
            "select coalesce(p.proargnames[a.n], ''), format_type(a.type, null) from pg_proc p, "
            "unnest(p.proargtypes::oid[]) with ordinality a(type, n) where p.pronamespace = "
            "'jobforge'::regnamespace and p.proname = '{}' order by a.n",
            function));
    }

    EngineDatabase database;
    Session sql = database.session();
    std::string job;
    std::string done;
    std::map<std::string, std::string> objects;  // what a name in the table stands for
};

TEST_F(Arguments, what_makes_no_sense_is_refused_with_our_own_code) {
    objects.merge(argument_world(sql));
    for (const auto& function : all_functions()) {
        EXPECT_EQ(answer(call(function)), "ok") << call(function) << "\n" << sql.message();
        const auto types = declared(function.name);
        ASSERT_EQ(types.size(), function.arguments.size()) << function.name;
        for (std::size_t at = 0; at < types.size(); ++at) {
            const auto& argument = function.arguments[at];
            ASSERT_EQ(argument.name, types[at][0]) << function.name;
            ASSERT_TRUE(bad_values().contains(types[at][1])) << types[at][1];
            std::map<std::string, std::string> expected;
            std::istringstream exceptions(argument.exceptions);
            for (std::string item; exceptions >> item;) {
                expected[item.substr(0, item.find('='))] = item.substr(item.find('=') + 1);
            }
            for (const auto& [name, value] : bad_values().at(types[at][1])) {
                const auto statement = call(function, argument.name, value);
                const auto wanted = expected.contains(name) ? expected[name] : "VALIDATION_ERROR";
                EXPECT_EQ(answer(statement), wanted)
                    << function.name << "." << argument.name << " " << name << "\n"
                    << statement.substr(0, 500) << "\n"
                    << sql.message();
            }
        }
    }
}

TEST_F(Arguments, whatever_is_said_no_error_of_postgres_comes_back) {
    objects.merge(argument_world(sql));
    for (const auto& function : all_functions()) {
        const auto types = declared(function.name);
        for (std::size_t at = 0; at < types.size(); ++at) {
            const auto odd = odd_values().find(types[at][1]);
            if (odd == odd_values().end()) {
                continue;
            }
            for (const auto& [name, value] : odd->second) {
                const auto statement = call(function, function.arguments.at(at).name, value);
                const auto code = answer(statement);
                // Ours have names; a code of Postgres stands as it is, five characters.
                EXPECT_TRUE(code == "ok" || code.size() != 5)
                    << function.name << "." << types[at][0] << " " << name << ": " << code << "\n"
                    << statement.substr(0, 500) << "\n"
                    << sql.message();
            }
        }
    }
}

TEST_F(Arguments, a_bad_tenant_setting_is_refused_by_every_function_of_tenants) {
    objects.merge(argument_world(sql));
    Session gateway = database.login_as("jobforge_gateway");
    Session worker = database.login_as("jobforge_worker");
    for (const auto& function : all_functions()) {
        if (!function.for_tenants) {
            continue;
        }
        const bool served =
            sql.one(fmt::format(
                "select bool_or(has_function_privilege('jobforge_gateway', oid, 'execute')) from "
                "pg_proc where proname = '{}'",
                function.name)) == "t";
        Session& login = served ? gateway : worker;
        for (const char* bad : {"x", "aaaaaaaa-0000-4000-8000-00000000000", "{}", " ", "a--a"}) {
            login.use_tenant(bad);
            EXPECT_EQ(login.error(call(function)), "VALIDATION_ERROR")
                << bad << ": " << call(function) << login.message();
        }
        login.use_tenant("");
        EXPECT_EQ(login.error(call(function)), "FORBIDDEN") << call(function) << login.message();
    }
    gateway.use_tenant("x");
    EXPECT_EQ(gateway.error("select * from jobforge.all_jobs"), "VALIDATION_ERROR");
    // Whatever uuid accepts, names the tenant.
    for (const char* good :
         {"{aaaaaaaa-0000-4000-8000-000000000001}", "AAAAAAAA000040008000000000000001"}) {
        gateway.use_tenant(good);
        EXPECT_EQ(gateway.one("select jobforge.current_tenant()"), kTenantA);
    }
}

TEST_F(Arguments, batches_of_no_jobs_do_nothing) {
    for (const char* call :
         {"heartbeat_jobs('w', '{}', '{}', '{}')", "complete_jobs('w', '{}', '{}', '{}')",
          "fail_jobs('w', '{}', '{}', '{}', '{}')", "snooze_jobs('w', '{}', '{}', '{}', '{}')",
          "release_jobs('w', '{}', '{}', '{}')", "cancel_running_jobs('w', '{}', '{}', '{}')",
          "enqueue_jobs('{}', '{}')"}) {
        EXPECT_TRUE(sql.rows(std::string("select * from jobforge.") + call).empty()) << call;
    }
}

// Elements of parallel arrays are found by their places: a limit at another place would bound
// nothing.
TEST_F(Arguments, an_array_that_is_not_counted_from_one_does_not_evade_a_limit) {
    const std::string lane = fmt::format(
        ", p_lane_types => '{{a}}', p_lane_priorities => '[0:0]={{2}}', p_lane_tenants => "
        "'{{{}}}', "
        "p_lane_floors => '{{2020-01-01}}'",
        kTenantA);
    for (const std::string& more :
         {std::string("'{a}', p_type_limits => '[0:0]={0}'"),
          std::string("'[0:0]={a}', p_type_limits => '{0}'"), "'{a}'" + lane,
          fmt::format("'{{a}}', p_tenant_cap => 1, p_held_tenants => '[0:0]={{{}}}', "
                      "p_held_counts => '{{1}}'",
                      kTenantA)}) {
        EXPECT_EQ(sql.error("select jobforge.claim_jobs('w', 1, " + more + ")"), "VALIDATION_ERROR")
            << more;
    }
}

TEST_F(Arguments, a_missing_answer_to_reset_does_not_skip_the_budget) {
    sql.run(
        fmt::format("select jobforge.reschedule_job('{}', p_max_attempts => 1, "
                    "p_reset_attempts => true)",
                    done));
    sql.run("select from jobforge.claim_jobs('w', 1, array['b'])");
    sql.run(
        fmt::format("select jobforge.fail_job('w', '{}', '{}', 2, '{{\"code\": \"X\", "
                    "\"message\": \"m\"}}')",
                    kTenantA, done));
    for (const char* reset : {"null", "false"}) {
        EXPECT_EQ(sql.error(fmt::format(
                      "select jobforge.reschedule_job('{}', p_reset_attempts => {})", done, reset)),
                  "VALIDATION_ERROR");
    }
    EXPECT_EQ(sql.one(fmt::format("select status from jobforge.get_job('{}')", done)),
              "DEAD_LETTER");
}

// Keys of sources and endpoints are ids, and a resume looks for the jobs that wait for them.
TEST_F(Arguments, a_governor_whose_key_is_not_an_id_is_resumed_like_any_other) {
    for (const char* kind : {"source", "endpoint", "host"}) {
        for (const char* key : {"h", "------------------------------------"}) {
            EXPECT_EQ(
                sql.error(fmt::format("select jobforge.governor_resume('{}', '{}')", kind, key)),
                "ok")
                << kind << " " << key << "\n"
                << sql.message();
        }
    }
}

TEST_F(Arguments, times_must_lie_between_the_years_2000_and_9999_and_the_message_says_so) {
    for (const char* bad : {"294276-12-31", "4713-01-01 BC", "10000-01-01", "infinity"}) {
        for (const char* statement :
             {"select jobforge.enqueue_job('a', p_scheduled_at => '{0}')",
              "select jobforge.enqueue_jobs(array['a'], array['{{}}']::jsonb[], p_scheduled_at => "
              "array['{0}']::timestamptz[])",
              "select jobforge.enqueue_jobs(array['a'], array['{{}}']::jsonb[], p_scheduled_at => "
              "array['{0}']::timestamptz[], p_idempotency_keys => array['k'])",
              "select jobforge.reschedule_job('DONE', '{0}', true)",
              "select jobforge.retry_jobs(p_scheduled_at => '{0}')"}) {
            const auto call = filled(fmt::format(fmt::runtime(statement), bad));
            EXPECT_EQ(sql.error(call), "VALIDATION_ERROR") << call;
            EXPECT_NE(sql.message().find("between the years 2000 and 9999"), std::string::npos)
                << sql.message();
        }
    }
}

TEST_F(Arguments, every_public_function_is_in_the_table) {
    std::set<std::string> known;
    for (const auto& function : all_functions()) {
        EXPECT_TRUE(known.insert(function.name).second) << function.name << " is there twice";
    }
    // The owner's helpers run with the rights of their caller and change nothing. The functions
    // that are named make the texts of errors.
    for (const auto& row : sql.rows(
             "select distinct p.proname from pg_proc p, unnest(array['jobforge_worker', "
             "'jobforge_tenant', 'jobforge_gateway', 'jobforge_observer', 'jobforge_owner']) r "
             "where p.pronamespace = 'jobforge'::regnamespace and p.pronargs > 0 and "
             "(p.prosecdef or r <> 'jobforge_owner') and has_function_privilege(r, p.oid, "
             "'execute') and p.proname not in ('raise_error', 'error_sqlstate', 'counted')")) {
        EXPECT_TRUE(known.contains(row[0])) << row[0] << " has no row in argument_cases*.cc";
    }
}

}  // namespace
}  // namespace jobforge::test
