// The audit chain: what C++ computes from the same columns, no fork and no gap under any race.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <jobforge/json.h>

#include <atomic>
#include <thread>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "pipeline_world.h"

namespace jobforge::test {
namespace {

class EventChain : public testing::Test {
protected:
    static std::string append(const std::string& aggregate, const std::string& payload = "{}",
                              const std::string& actor = "null") {
        return fmt::format(
            "select jobforge.append_event('System', '{}', 'POLICY_CHANGED', '{}', {})", aggregate,
            payload, actor);
    }
    std::string canonical_in_sql(const std::string& json) {
        return sql.one("select jobforge.canonical_json(" + literal(json) + ")");
    }
    static std::string literal(const std::string& text) {
        std::string quoted = "'";
        for (const char c : text) {
            quoted += c;
            if (c == '\'') {
                quoted += c;
            }
        }
        return quoted + "'";
    }
    // Recomputes every hash of the tenant's events with the C++ of src/base.
    void expect_chains_hold() {
        std::map<std::string, std::pair<int, std::string>> last;  // aggregate: version, hash
        for (const auto& row : sql.rows(
                 "select aggregate_type, aggregate_id, aggregate_version, event_type, actor_id, "
                 "jobforge.utc_text(occurred_at), encode(payload_canonical, 'hex'), "
                 "encode(payload_hash, 'hex'), encode(prev_event_hash, 'hex'), encode(event_hash, "
                 "'hex'), tenant_id from jobforge.audit_events() order by aggregate_type, "
                 "aggregate_id, aggregate_version")) {
            auto& [version, hash] = last[row[0] + row[1]];
            EXPECT_EQ(row[2], std::to_string(++version));
            EXPECT_EQ(row[8], hash.empty() ? "NULL" : hash);
            EXPECT_EQ(row[7], sha256_hex(*hex_decode(row[6])));
            const auto nullable = [](const std::string& text) {
                return text == "NULL" ? Json() : Json(text);
            };
            const auto bytes = canonical(Json::object({{"tenant_id", row[10]},
                                                       {"prev_event_hash", nullable(row[8])},
                                                       {"payload_hash", row[7]},
                                                       {"occurred_at", row[5]},
                                                       {"event_type", row[3]},
                                                       {"aggregate_version", version},
                                                       {"aggregate_type", row[0]},
                                                       {"aggregate_id", row[1]},
                                                       {"actor_id", nullable(row[4])}}));
            ASSERT_TRUE(bytes.ok());
            EXPECT_EQ(row[9], sha256_hex(*bytes));
            hash = row[9];
        }
        EXPECT_FALSE(last.empty());
    }

    static constexpr char kAggregate[] = "00000000-0000-4000-8000-000000000001";
    EngineDatabase database;
    Session sql = database.session();
    PipelineWorld world{sql};
};

TEST_F(EventChain, canonical_json_is_byte_for_byte_what_the_program_writes) {
    std::string controls;
    for (int c = 1; c < 0x80; ++c) {  // jsonb holds no U+0000, and neither does our JSON
        controls += static_cast<char>(c);
    }
    const Json hostile = Json::object(
        {{"controls", controls},
         {"wide", "\u00e9\u20ac\ud7ff\U0001F50B\U0010FFFF\u2028"},
         {"b", Json::object({{"z", 1}, {"aa", -1}, {"a", Json::array({1, "x", Json(), true})}})},
         {"Z", 9007199254740991},
         {"long_name", -9007199254740991},
         {"a\"\\/", ""},
         {"", Json::array()},
         {"empty", Json::object()}});
    const auto expected = canonical(hostile);
    ASSERT_TRUE(expected.ok());
    EXPECT_EQ(canonical_in_sql(*expected), *expected);
    EXPECT_EQ(canonical_in_sql(R"({"b":2,"a":1})"), R"({"a":1,"b":2})");
    EXPECT_EQ(canonical_in_sql("[-0, 1e2, \"\\u00e9\\u001F\\/\"]"), "[0,100,\"\u00e9\\u001f/\"]");
}

TEST_F(EventChain, a_number_that_is_no_plain_integer_is_refused) {
    for (const char* number : {"1.5", "1.0", "9007199254740992", "-9007199254740992", "1e400",
                               "[[0.1]]", "{\"a\":{\"b\":1e30}}"}) {
        EXPECT_EQ(sql.error(fmt::format("select jobforge.canonical_json('{}')", number)),
                  "CANONICAL_NUMBER_NOT_ALLOWED")
            << number;
    }
    EXPECT_EQ(sql.error("select jobforge.canonical_json('{\"\u00e9\":1}')"), "VALIDATION_ERROR");
}

TEST_F(EventChain, every_event_of_the_pipeline_hashes_as_the_program_computes_it) {
    world.version("SUPERSEDED");
    world.version("REVOKED");
    world.document("REJECTED");
    world.rules("RETIRED");
    sql.run(append(kAggregate, R"({"text":"tab\tquote\" \u0001 \u20ac"})",
                   "'actor \"\u00e9\"\n\t\u0001'"));
    sql.run(append(kAggregate));
    expect_chains_hold();
}

TEST_F(EventChain, a_time_is_hashed_with_six_digits_whatever_the_session_thinks_of_dates) {
    sql.run("set timezone = 'Asia/Kathmandu'; set datestyle = 'German, DMY'");
    sql.run(append(kAggregate));
    expect_chains_hold();
    EXPECT_EQ(sql.one("select jobforge.utc_text('2026-01-02 03:04:05+00')"),
              "2026-01-02T03:04:05.000000Z");
}

TEST_F(EventChain, two_writers_of_one_version_wait_and_one_gets_the_conflict) {
    sql.run(append(kAggregate));
    Session first = database.session();
    first.run("begin");
    first.run(append(kAggregate));
    std::string second;
    std::jthread waiting([&] { second = database.session().error(append(kAggregate)); });
    while (sql.one("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
                   "datname = current_database()") != "1") {
    }
    first.run("commit");
    waiting.join();
    EXPECT_EQ(second, "EVENT_VERSION_CONFLICT");
    EXPECT_EQ(sql.one("select string_agg(aggregate_version::text, ' ' order by aggregate_version) "
                      "from jobforge.events"),
              "1 2");
    expect_chains_hold();
}

TEST_F(EventChain, a_writer_that_waited_for_a_rollback_takes_the_version) {
    Session first = database.session();
    first.run("begin");
    first.run(append(kAggregate));
    std::string second;
    std::jthread waiting([&] { second = database.session().error(append(kAggregate)); });
    while (sql.one("select count(*) from pg_stat_activity where wait_event_type = 'Lock' and "
                   "datname = current_database()") != "1") {
    }
    first.run("rollback");
    waiting.join();
    EXPECT_EQ(second, "ok");
    EXPECT_EQ(sql.one("select max(aggregate_version) from jobforge.events"), "1");
    expect_chains_hold();
}

TEST_F(EventChain, eight_writers_racing_leave_one_chain_without_a_gap) {
    constexpr int kEach = 25;
    std::atomic<int> conflicts = 0;
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < 8; ++writer) {
        writers.emplace_back([&] {
            Session mine = database.session();
            for (int done = 0; done < kEach;) {
                const auto answer = mine.error(append(kAggregate));
                if (answer == "ok") {
                    ++done;
                } else {
                    EXPECT_EQ(answer, "EVENT_VERSION_CONFLICT") << mine.message();
                    ++conflicts;
                }
            }
        });
    }
    writers.clear();
    EXPECT_EQ(sql.one("select count(*) || ' ' || max(aggregate_version) from jobforge.events"),
              fmt::format("{0} {0}", 8 * kEach));
    RecordProperty("conflicts", conflicts.load());
    expect_chains_hold();
}

TEST_F(EventChain, a_rolled_back_change_leaves_no_event_and_no_follow_up) {
    const auto document = world.document("UPLOADED");
    const auto count = [&] {
        return sql.one(
            "select (select count(*) from jobforge.events) || ' ' || (select count(*) "
            "from jobforge.jobs) || ' ' || (select count(*) from jobforge.facts)");
    };
    const auto before = count();
    sql.run(
        fmt::format("begin; select jobforge.store_facts('{}', array['Battery'], "
                    "array['battery:x'], array['{{}}']::bytea[], array['/'])",
                    document));
    sql.run("rollback");
    EXPECT_EQ(count(), before);
    EXPECT_EQ(world.status("document_versions", document), "UPLOADED");
}

}  // namespace
}  // namespace jobforge::test
