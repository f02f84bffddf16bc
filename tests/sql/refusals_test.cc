// What a person reads when a table refuses what was written: settings and ranges, not the names of
// constraints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sql_session.h"

namespace jobforge::test {
namespace {

class Refusals : public testing::Test {
protected:
    // The primary message of a statement that fails.
    std::string message(const std::string& statement) {
        EXPECT_EQ(sql.error(statement), "VALIDATION_ERROR");
        const std::string text = sql.message().substr(std::string_view("ERROR:  ").size());
        return text.substr(0, text.find('\n'));
    }
    EngineDatabase database;
    Session sql = database.session();
};

// Constraints that only our own functions can break: a sentence about them would help nobody.
constexpr char kInternal[] =
    "('governors_open_ends', 'governors_pause_has_reason', 'governors_probe_expires', "
    "'governors_state_known', 'governors_streak_not_negative', 'tenant_defaults_is_one_row', "
    "'webhook_endpoints_active_is_not_disabled', 'webhook_endpoints_failures_not_negative')";

TEST_F(Refusals, every_constraint_on_what_people_write_has_a_sentence) {
    EXPECT_EQ(sql.one(fmt::format(
                  "select coalesce(string_agg(k.conname, ', '), '') from pg_constraint k "
                  "join pg_class c on c.oid = k.conrelid "
                  "where k.contype = 'c' and c.relnamespace = 'jobforge'::regnamespace "
                  "and c.relname in ('job_types', 'tenants', 'tenant_defaults', 'sources', "
                  "'source_rules', 'intakes', 'price_points', 'valuations', 'webhook_endpoints', "
                  "'workers', 'access_policies', 'governors') and k.conname not in {} "
                  "and jobforge.constraint_sentence(k.conname) is null",
                  kInternal)),
              "");
}

TEST_F(Refusals, name_the_setting_and_its_range) {
    EXPECT_EQ(message("select jobforge.set_job_type('t', '{\"max_attempts\": 0}')"),
              "job type t: max_attempts is 1 to 1000");
    EXPECT_EQ(message("select jobforge.set_job_type('9')"),
              "job type 9: a job type is a letter, then letters, digits, \"_\", \".\", \":\" or "
              "\"-\", at most 100 in all");
    EXPECT_EQ(message("select jobforge.set_job_type('t', '{\"max_attempts\": null}')"),
              "job type t: max_attempts is needed, and must not be null");
}

TEST_F(Refusals, name_the_member_whose_type_is_wrong) {
    EXPECT_EQ(message("select jobforge.set_job_type('t', '{\"lease_seconds\": \"soon\", "
                      "\"enabled\": true}')"),
              "job type t: lease_seconds: invalid input syntax for type integer: \"soon\"");
    EXPECT_EQ(message("select jobforge.set_job_type('t', '{\"lease_seconds\": 99999999999999}')"),
              "job type t: lease_seconds: value \"99999999999999\" is out of range for type "
              "integer");
}

TEST_F(Refusals, say_the_same_whatever_the_language_of_the_server) {
    EXPECT_EQ(sql.one("select jobforge.refusal_text('neue Zeile f\u00fcr Relation »job_types« "
                      "verletzt Check-Constraint \"job_types_lease_range\"')"),
              "lease_seconds is 1 to 86400");
    EXPECT_EQ(sql.one("select jobforge.refusal_text('something else')"), "something else");
}

}  // namespace
}  // namespace jobforge::test
