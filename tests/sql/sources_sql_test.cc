// Sources and their governors, intakes, and the jobs that collect.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <barrier>
#include <set>
#include <thread>

#include "price_world.h"

namespace jobforge::test {
namespace {

class Sources : public testing::Test {
protected:
    std::string save(const std::string& json) {
        return sql.error(fmt::format("select jobforge.save_source('{}')", json));
    }
    // "rate burst" of the governor of a source.
    std::string limits(const std::string& source) {
        return sql.one(fmt::format(
            "select rate_per_minute || ' ' || coalesce(burst::text, '-') from jobforge.governors "
            "where kind = 'source' and key = '{}'",
            source));
    }
    std::vector<TextRow> collect(Session& who, const std::string& intake,
                                 const std::string& more = "") {
        return who.rows(fmt::format(
            "select name, job_id, extract(epoch from scheduled_at - min(scheduled_at) over "
            "())::integer, deduplicated from jobforge.enqueue_collections('{}'{})",
            intake, more));
    }

    EngineDatabase database;
    Session sql = database.session();
    PriceWorld world{sql};
};

TEST_F(Sources, a_source_is_saved_by_its_name_and_keeps_what_is_not_named) {
    const auto id = world.source(R"("tier": 1, "config": {"items": "/results"})");
    EXPECT_EQ(sql.one("select jobforge.save_source('{\"name\": \"source-1\", "
                      "\"reputation_weight\": 0.9}')"),
              id);
    EXPECT_EQ(sql.rows("select name, adapter, enabled, base_url, rate_limit_per_minute, "
                       "reputation_weight, tier, config, state, failure_streak from "
                       "jobforge.get_source('source-1')"),
              (std::vector<TextRow>{{"source-1", "http_json", "t", "https://example.com/", "60",
                                     "0.9", "1", R"({"items": "/results"})", "CLOSED", "0"}}));
    EXPECT_EQ(sql.one(fmt::format("select name from jobforge.get_source(upper('{}'))", id)),
              "source-1");
    EXPECT_EQ(sql.error("select * from jobforge.get_source('source-2')"), "NOT_FOUND");
}

TEST_F(Sources, what_no_source_can_be_is_refused) {
    for (const char* bad :
         {R"({})", R"({"name": "x"})", R"({"name": "x", "base_url": "ftp://x/"})",
          R"({"name": "", "adapter": "manual"})", R"({"name": "a/b", "adapter": "manual"})",
          R"({"name": "aaaaaaaa-0000-4000-8000-000000000001", "adapter": "manual"})",
          R"({"name": "x", "adapter": "scraper"})",
          R"({"name": "x", "adapter": "manual", "rate_limit_per_minute": 0})",
          R"({"name": "x", "adapter": "manual", "reputation_weight": 1.1})",
          R"({"name": "x", "adapter": "manual", "tier": 0})",
          R"({"name": "x", "adapter": "manual", "config": []})",
          R"({"name": "x", "adapter": "manual", "enabled": null})",
          R"({"name": "x", "adapter": "manual", "colour": "red"})",
          R"({"name": "x", "adapter": "manual", "source_id": "7"})",
          R"({"name": "x", "adapter": "manual", "open_seconds": 0})"}) {
        EXPECT_EQ(save(bad), "VALIDATION_ERROR") << bad;
    }
    EXPECT_EQ(sql.one("select count(*) from jobforge.sources"), "0");
    const auto id = world.source();
    EXPECT_EQ(save(R"({"name": "source-1", "source_id": "aaaaaaaa-0000-4000-8000-000000000001"})"),
              "VALIDATION_ERROR");
    EXPECT_EQ(save(fmt::format(R"({{"name": "y", "adapter": "manual", "source_id": "{}"}})", id)),
              "VALIDATION_ERROR");
    for (const char* bad : {R"({"exclude_keywords": "copy"})", R"({"exclude_keywords": null})",
                            R"({"require_keywords": [null]})", R"({"allowed_path": "search"})",
                            R"({"rate_limit_override": 0})", R"({"keywords": []})", R"([])"}) {
        EXPECT_EQ(sql.error(fmt::format("select jobforge.set_source_rules('source-1', '{}')", bad)),
                  "VALIDATION_ERROR")
            << bad;
    }
}

TEST_F(Sources, two_that_save_a_new_source_at_once_make_one) {
    Session other = database.session();
    const std::string call =
        "select jobforge.save_source('{\"name\": \"m\", \"adapter\": \"manual\"}')";
    sql.run("begin");
    const auto mine = sql.one(call);
    std::string theirs;
    std::jthread waiting([&] { theirs = other.one(call); });
    wait_until_blocked(sql);
    sql.run("commit");
    waiting.join();
    EXPECT_EQ(mine, theirs);
}

TEST_F(Sources, the_governor_follows_the_rate_of_the_source_and_of_its_rules) {
    const auto id = world.source(R"("rate_limit_per_minute": 120, "burst": 3)");
    EXPECT_EQ(limits(id), "120 3");
    sql.run(fmt::format("select jobforge.set_source_rules('{}', '{{\"rate_limit_override\": 30}}')",
                        id));
    EXPECT_EQ(limits(id), "30 3");
    save(R"({"name": "source-1", "rate_limit_per_minute": 90, "burst": null})");
    EXPECT_EQ(limits(id), "30 -");
    sql.run(fmt::format(
        "select jobforge.set_source_rules('{}', '{{\"rate_limit_override\": null}}')", id));
    EXPECT_EQ(limits(id), "90 -");
}

TEST_F(Sources, an_intake_is_written_once_and_its_id_can_be_repeated) {
    const std::string id = "11111111-0000-4000-8000-000000000001";
    const auto add = [&](const std::string& more) {
        return sql.error(
            fmt::format("select jobforge.add_intake('{{\"intake_id\": \"{}\", \"title\": \"Lincoln "
                        "cent\"{}}}')",
                        id, more));
    };
    EXPECT_EQ(add(R"(, "cleaned": true, "keywords_include": ["vdb"])"), "ok");
    EXPECT_EQ(add(R"(, "cleaned": true, "keywords_include": ["vdb"])"), "ok");
    EXPECT_EQ(add(R"(, "cleaned": false, "keywords_include": ["vdb"])"), "VALIDATION_ERROR");
    EXPECT_EQ(add(R"(, "cleaned": true, "keywords_include": ["vdb", "x"])"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.rows("select title, year, cleaned, scratches, keywords_include from "
                       "jobforge.list_intakes()"),
              (std::vector<TextRow>{{"Lincoln cent", "NULL", "t", "f", "{vdb}"}}));
    for (const char* bad :
         {"{}", R"({"grade": "MS65"})", R"({"year": 19090})", R"({"year": "MCMIX"})",
          R"({"title": "x", "keywords_include": "x"})", R"({"title": "x", "colour": "brown"})",
          R"({"title": "x", "keywords_exclude": [null]})", R"("x")"}) {
        EXPECT_EQ(sql.error(fmt::format("select jobforge.add_intake('{}')", bad)),
                  "VALIDATION_ERROR")
            << bad;
    }
}

TEST_F(Sources, an_intake_is_collected_from_all_enabled_sources_one_after_the_other) {
    world.source(R"("tier": 3)");
    world.source(R"("tier": 1)");
    world.source(R"("enabled": false)");
    world.source();
    const auto intake = world.intake();
    const auto jobs = collect(sql, intake);
    ASSERT_EQ(jobs.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(jobs[i][0], (std::array{"source-2", "source-4", "source-1"}[i]));
        EXPECT_EQ(jobs[i][2], (std::array{"0", "10", "20"}[i]));
        EXPECT_EQ(jobs[i][3], "f");
    }
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs j join jobforge.collections c on "
                      "j.job_id = c.job_id and j.payload = jsonb_build_object('intake_id', "
                      "c.intake_id, 'source_id', c.source_id) where j.type = 'COLLECT_PRICES'"),
              "3");
    // The same jobs again; a new source comes at once, since nothing new is before it.
    world.source(R"("tier": 9)");
    const auto again = collect(sql, intake, ", p_stagger_seconds => 2.5");
    ASSERT_EQ(again.size(), 4U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(again[i][1], jobs[i][1]);
        EXPECT_EQ(again[i][3], "t");
    }
    EXPECT_EQ(again[3][3], "f");
    EXPECT_EQ(sql.one("select scheduled_at <= now() from jobforge.jobs order by created_at desc"),
              "t");
}

TEST_F(Sources, a_finished_collection_makes_room_for_the_next_round) {
    const auto source = world.source();
    const auto intake = world.intake();
    const auto first = collect(sql, intake).at(0)[1];
    sql.run(fmt::format("select jobforge.cancel_job('{}')", first));
    const auto second = collect(sql, intake).at(0);
    EXPECT_NE(second[1], first);
    EXPECT_EQ(second[3], "f");
    EXPECT_EQ(
        sql.rows(fmt::format(
            "select name, job_id, round, status from jobforge.list_collections('{}')", intake)),
        (std::vector<TextRow>{{"source-1", second[1], "2", "QUEUED"}}));
}

TEST_F(Sources, named_sources_must_be_there_and_enabled) {
    world.source();
    const auto off = world.source(R"("enabled": false)");
    const auto intake = world.intake();
    const auto error = [&](const std::string& more) {
        return sql.error(
            fmt::format("select * from jobforge.enqueue_collections('{}'{})", intake, more));
    };
    EXPECT_EQ(error(fmt::format(", array['source-1', '{}']", off)), "SOURCE_DISABLED");
    EXPECT_EQ(error(", array['source-1', 'source-9']"), "NOT_FOUND");
    EXPECT_EQ(error(", array[]::text[]"), "VALIDATION_ERROR");
    EXPECT_EQ(error(", p_stagger_seconds => -1"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), "0");
    EXPECT_EQ(collect(sql, intake, ", array['source-1', 'source-1']").size(), 1U);
    sql.run("select jobforge.set_source_enabled('source-1', false)");
    EXPECT_EQ(error(""), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select * from jobforge.enqueue_collections(gen_random_uuid())"),
              "NOT_FOUND");
}

TEST_F(Sources, many_that_enqueue_at_once_get_the_same_jobs) {
    for (int i = 0; i < 3; ++i) {
        world.source();
    }
    const auto intake = world.intake();
    constexpr std::size_t kCallers = 6;
    // The first round makes the rows that the second one meets at.
    for (int round = 1; round <= 2; ++round) {
        std::vector<std::set<std::string>> jobs(kCallers);
        std::barrier together(kCallers);
        {
            std::vector<std::jthread> callers;
            for (std::size_t caller = 0; caller < kCallers; ++caller) {
                callers.emplace_back([&, caller] {
                    Session mine = database.session();
                    together.arrive_and_wait();
                    for (const auto& row : collect(mine, intake)) {
                        jobs[caller].insert(row[1]);
                    }
                });
            }
        }
        for (const auto& mine : jobs) {
            EXPECT_EQ(mine.size(), 3U);
            EXPECT_EQ(mine, jobs[0]);
        }
        EXPECT_EQ(sql.one("select count(*) from jobforge.jobs"), "3") << "round " << round;
        sql.run("select jobforge.cancel_job(job_id) from jobforge.jobs");
    }
}

TEST_F(Sources, what_waits_for_a_paused_source_is_due_when_it_is_resumed) {
    const auto paused = world.source(R"("rate_limit_per_minute": 60, "burst": 1)");
    world.source();
    for (int i = 0; i < 3; ++i) {
        collect(sql, world.intake());
    }
    sql.run(
        "select jobforge.pause_source('source-1', p_reason => 'asked'); "
        "update jobforge.jobs set scheduled_at = now() + interval '55 minutes'");
    EXPECT_EQ(sql.one("select pause_reason from jobforge.get_source('source-1')"), "asked");
    sql.run("select jobforge.resume_source('source-1')");
    EXPECT_EQ(sql.one(fmt::format(
                  "select string_agg(round(extract(epoch from scheduled_at - now()))::text, ' ' "
                  "order by scheduled_at) from jobforge.jobs where payload ->> 'source_id' = '{}'",
                  paused)),
              "0 1 2");
    EXPECT_EQ(sql.one("select count(*) from jobforge.jobs where scheduled_at > now() + interval "
                      "'50 minutes'"),
              "3");
    EXPECT_EQ(sql.one("select paused_until from jobforge.get_source('source-1')"), "NULL");
}

TEST_F(Sources, a_handler_gets_all_it_needs_and_goes_on_where_it_stopped) {
    const auto source = world.source(R"("config": {"items": "/results"})");
    const auto intake = world.intake();
    const auto inputs = [&](const std::string& path) {
        return sql.one(fmt::format("select jobforge.collection_inputs('{}', '{}') #>> '{}'", intake,
                                   source, path));
    };
    EXPECT_EQ(inputs("{source,config,items}"), "/results");
    EXPECT_EQ(inputs("{source,enabled}"), "true");
    EXPECT_EQ(inputs("{intake,year}"), "1909");
    EXPECT_EQ(inputs("{intake,keywords_exclude,0}"), "copy");
    EXPECT_EQ(inputs("{rules,exclude_keywords}"), "[]");
    EXPECT_EQ(inputs("{progress}"), "NULL");
    sql.run(fmt::format(
        "select jobforge.save_collection_progress('{0}', '{1}', '{{\"page\": 2}}'); select "
        "jobforge.set_source_rules('{1}', '{{\"exclude_keywords\": [\"copy\"]}}')",
        intake, source));
    EXPECT_EQ(inputs("{progress,page}"), "2");
    EXPECT_EQ(inputs("{rules,exclude_keywords,0}"), "copy");
    world.store(intake, source, "");
    EXPECT_EQ(inputs("{progress}"), "NULL");
}

}  // namespace
}  // namespace jobforge::test
