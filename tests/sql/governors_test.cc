// Governors: the limiter is exact however many ask at once, the breaker is one for all, pauses
// hold. Time passes by moving the row's times back, never by waiting.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>

#include "sql_session.h"

namespace jobforge::test {
namespace {

struct Verdict {
    std::string verdict;
    std::int64_t wait_ms;
    std::int64_t generation;
    bool probe;
    std::string reason;
    std::int64_t at_us;
};

class Governors : public testing::Test {
protected:
    static Verdict enter(Session& who, const std::string& key = "h", const std::string& more = "") {
        const auto row =
            who.rows(fmt::format("select verdict, wait_ms, generation, probe, reason, "
                                 "(extract(epoch from decided_at) * 1000000)::bigint from "
                                 "jobforge.governor_enter('host', '{}'{})",
                                 key, more))
                .at(0);
        return {row[0], std::stoll(row[1]), std::stoll(row[2]), row[3] == "t",
                row[4], std::stoll(row[5])};
    }
    std::string report(std::int64_t generation, bool ok, const std::string& more = "") {
        return sql.one(fmt::format("select jobforge.governor_report('host', 'h', {}, {}{})",
                                   generation, ok, more));
    }
    void configure(const std::string& settings) {
        sql.run(fmt::format("select jobforge.governor_configure('host', 'h', '{}')", settings));
    }
    // As if this much time had passed since everything that happened.
    void pass(std::int64_t us) {
        sql.run(
            fmt::format("update jobforge.governors set "
                        "next_free_at = next_free_at - {0}, hint_at = hint_at - {0}, "
                        "open_until = open_until - {0}, probe_expires_at = probe_expires_at - {0}, "
                        "paused_until = paused_until - {0}, last_success_at = last_success_at - "
                        "{0}, last_failure_at = last_failure_at - {0}",
                        fmt::format("interval '{} microseconds'", us)));
    }
    void pass_seconds(double seconds) { pass(static_cast<std::int64_t>(seconds * 1e6)); }
    std::string column(const std::string& name) {
        return sql.one(fmt::format(
            "select {} from jobforge.governors where kind = 'host' and key = 'h'", name));
    }
    // Fails until the breaker is open.
    void open() {
        const auto generation = enter(sql).generation;
        for (int i = 0; i < 5; ++i) {
            report(generation, false);
        }
        ASSERT_EQ(column("state"), "OPEN");
    }

    EngineDatabase database;
    Session sql = database.session();
};

// The most grants that any half-open minute holds.
std::size_t busiest_minute(std::vector<std::int64_t> at_us) {
    std::sort(at_us.begin(), at_us.end());
    std::size_t most = 0;
    for (std::size_t first = 0, end = 0; first < at_us.size(); ++first) {
        while (end < at_us.size() && at_us[end] < at_us[first] + 60'000'000) {
            ++end;
        }
        most = std::max(most, end - first);
    }
    return most;
}

TEST_F(Governors, many_callers_at_once_never_get_more_than_the_rate_in_any_minute) {
    constexpr int kRate = 240;
    constexpr std::size_t kCallers = 8;
    constexpr int kRounds = 60;
    configure(R"({"rate_per_minute": 240, "burst": 20})");
    std::vector<std::vector<std::int64_t>> granted(kCallers);
    std::int64_t passed_us = 0;
    std::barrier together(kCallers + 1);
    {
        std::vector<std::jthread> callers;
        for (std::size_t caller = 0; caller < kCallers; ++caller) {
            callers.emplace_back([&, caller] {
                Session mine = database.session();
                for (int round = 0; round < kRounds; ++round) {
                    together.arrive_and_wait();
                    for (int refused = 0; refused < 2;) {
                        const auto answer = enter(mine);
                        if (answer.verdict == "go") {
                            granted[caller].push_back(answer.at_us + passed_us);
                        } else {
                            ++refused;
                        }
                    }
                    together.arrive_and_wait();
                }
            });
        }
        for (int round = 0; round < kRounds; ++round) {
            together.arrive_and_wait();
            together.arrive_and_wait();
            // Uneven steps, one of them a long rest that fills the bucket.
            const std::int64_t step_us = round == 30 ? 90'000'000 : 1'900'000 + round * 37'003;
            pass(step_us);
            passed_us += step_us;
        }
    }
    std::vector<std::int64_t> all;
    for (const auto& mine : granted) {
        all.insert(all.end(), mine.begin(), mine.end());
    }
    EXPECT_LE(busiest_minute(all), static_cast<std::size_t>(kRate));
    // And close to it: the burst and a step an interval, which is 221 a minute here.
    EXPECT_GE(busiest_minute(all), static_cast<std::size_t>(kRate) * 95 / 100);
}

TEST_F(Governors, a_burst_passes_at_once_and_then_one_an_interval) {
    configure(R"({"rate_per_minute": 6, "burst": 3})");  // an interval of 60 s / 4
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(enter(sql).verdict, "go") << i;
    }
    const auto refused = enter(sql);
    EXPECT_EQ(refused.verdict, "wait");
    EXPECT_EQ(refused.reason, "the limit of 6 calls a minute");
    EXPECT_GT(refused.wait_ms, 10'000);
    EXPECT_LE(refused.wait_ms, 15'000);
    pass_seconds(8);
    EXPECT_EQ(enter(sql).verdict, "wait");
    pass_seconds(7);
    EXPECT_EQ(enter(sql).verdict, "go");
    EXPECT_EQ(enter(sql).verdict, "wait");
    // The burst of a rate is a twelfth of it where nothing is said.
    EXPECT_EQ(sql.one("select step || ' ' || slack from jobforge.governor_pace(60, null)"),
              "00:00:01.071429 00:00:04.285716");
    EXPECT_EQ(sql.one("select step || ' ' || slack from jobforge.governor_pace(5, null)"),
              "00:00:12 00:00:00");
}

TEST_F(Governors, the_interval_is_never_rounded_to_a_shorter_one) {
    for (const auto& [rate, burst] :
         {std::pair{7, 1}, {60, 5}, {59999, 1}, {60000, 60000}, {1, 9}}) {
        EXPECT_EQ(sql.one(fmt::format("select {0} - least({0}, {1}) + 1 >= 60000000 / (extract("
                                      "epoch from step) * 1000000) from jobforge.governor_pace("
                                      "{0}, {1})",
                                      rate, burst)),
                  "t")
            << rate << " " << burst;
    }
}

TEST_F(Governors, refused_callers_come_back_one_by_one_and_nobody_waits_for_ever) {
    configure(R"({"rate_per_minute": 12, "burst": 3})");  // an interval of 6 s
    const auto exhaust = [this] {
        while (enter(sql).verdict == "go") {
        }
        sql.run("update jobforge.governors set hint_at = '-infinity'");
    };
    exhaust();
    std::vector<std::int64_t> due_us;
    for (int i = 0; i < 10; ++i) {
        const auto answer = enter(sql);
        due_us.push_back(answer.at_us + answer.wait_ms * 1000);
        if (i > 0) {
            EXPECT_NEAR(static_cast<double>(due_us[due_us.size() - 1] - due_us[due_us.size() - 2]),
                        6e6, 2000);
        }
    }
    // Every one of them, coming when it was told to, finds its token.
    std::int64_t passed_us = 0;
    for (const auto due : due_us) {
        const auto now_us =
            std::stoll(sql.one("select (extract(epoch from clock_timestamp()) * 1000000)::bigint"));
        if (const auto left = due - now_us - passed_us; left > 0) {
            pass(left);
            passed_us += left;
        }
        EXPECT_EQ(enter(sql).verdict, "go");
    }
    exhaust();
    for (int i = 0; i < 100; ++i) {
        EXPECT_LE(enter(sql).wait_ms, 306'001);
    }
}

TEST_F(Governors, five_failures_in_a_row_stop_everybody) {
    Session other = database.session();
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(report(enter(sql).generation, false), "CLOSED");
    }
    report(enter(sql).generation, true);  // not in a row any more
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(report(enter(sql).generation, false), "CLOSED");
    }
    EXPECT_EQ(enter(other).verdict, "go");
    EXPECT_EQ(report(enter(sql).generation, false), "OPEN");
    const auto refused = enter(other);
    EXPECT_EQ(refused.verdict, "wait");
    EXPECT_NE(refused.reason.find("5 failures in a row"), std::string::npos) << refused.reason;
    EXPECT_GT(refused.wait_ms, 290'000);
    pass_seconds(299);
    EXPECT_EQ(enter(other).verdict, "wait");
}

TEST_F(Governors, of_many_that_come_after_the_pause_one_is_the_probe) {
    open();
    pass_seconds(301);
    constexpr std::size_t kCallers = 8;
    std::atomic<int> probes = 0;
    std::atomic<int> others = 0;
    std::barrier together(kCallers);
    {
        std::vector<std::jthread> callers;
        for (std::size_t caller = 0; caller < kCallers; ++caller) {
            callers.emplace_back([&] {
                Session mine = database.session();
                together.arrive_and_wait();
                const auto answer = enter(mine);
                (answer.verdict == "go" && answer.probe ? probes : others) +=
                    answer.verdict == "go" && !answer.probe ? 100 : 1;
            });
        }
    }
    EXPECT_EQ(probes, 1);
    EXPECT_EQ(others, static_cast<int>(kCallers) - 1);
    EXPECT_EQ(column("state"), "HALF_OPEN");
}

TEST_F(Governors, a_good_probe_closes_and_a_failed_one_opens_again) {
    open();
    pass_seconds(301);
    const auto first = enter(sql);
    ASSERT_TRUE(first.probe);
    EXPECT_EQ(report(first.generation, false), "OPEN");
    EXPECT_EQ(enter(sql).verdict, "wait");
    pass_seconds(301);
    const auto second = enter(sql);
    ASSERT_TRUE(second.probe);
    EXPECT_EQ(report(second.generation, true), "CLOSED");
    EXPECT_EQ(column("failure_streak"), "0");
    const auto after = enter(sql);
    EXPECT_EQ(after.verdict, "go");
    EXPECT_FALSE(after.probe);
    EXPECT_EQ(report(second.generation, false), "LATE");  // its report once more
}

TEST_F(Governors, a_probe_that_never_answers_is_replaced_and_its_late_answer_ignored) {
    open();
    pass_seconds(301);
    const auto lost = enter(sql);
    ASSERT_TRUE(lost.probe);
    pass_seconds(59);
    const auto waiting = enter(sql);
    EXPECT_EQ(waiting.verdict, "wait");
    EXPECT_LE(waiting.wait_ms, 2000);
    pass_seconds(2);
    const auto next = enter(sql);
    ASSERT_TRUE(next.probe);
    EXPECT_GT(next.generation, lost.generation);
    EXPECT_EQ(report(lost.generation, true), "LATE");
    EXPECT_EQ(report(lost.generation, false, ", 999999"), "LATE");
    EXPECT_EQ(column("state"), "HALF_OPEN");
    EXPECT_EQ(column("paused_until"), "NULL");
    EXPECT_EQ(report(next.generation, true), "CLOSED");
}

TEST_F(Governors, results_from_before_the_breaker_opened_change_nothing) {
    const auto early = enter(sql);
    open();
    const auto before = column("governors::text");
    EXPECT_EQ(report(early.generation, true), "LATE");
    EXPECT_EQ(report(early.generation, false), "LATE");
    EXPECT_EQ(column("governors::text"), before);
    EXPECT_EQ(sql.one("select jobforge.governor_report('host', 'never seen', 1, true)"), "UNKNOWN");
}

TEST_F(Governors, a_result_that_waited_while_the_breaker_opened_is_late) {
    configure(R"({"failure_threshold": 1})");
    const auto call = enter(sql);
    Session other = database.session();
    sql.run("begin");
    EXPECT_EQ(report(call.generation, false), "OPEN");
    std::string answer;
    std::jthread waiting([&] {
        answer = other.one(fmt::format("select jobforge.governor_report('host', 'h', {}, false)",
                                       call.generation));
    });
    wait_until_blocked(sql);
    sql.run("commit");
    waiting.join();
    EXPECT_EQ(answer, "LATE");
    EXPECT_EQ(column("state || failure_streak"), "OPEN1");
}

TEST_F(Governors, a_probe_needs_a_token_like_everybody) {
    configure(R"({"rate_per_minute": 1, "open_seconds": 1})");
    open();
    pass_seconds(2);
    const auto refused = enter(sql);
    EXPECT_EQ(refused.verdict, "wait");
    EXPECT_EQ(column("state"), "OPEN");
    pass_seconds(60);
    EXPECT_TRUE(enter(sql).probe);
}

TEST_F(Governors, retry_after_pauses_everybody_and_never_shortens_a_pause) {
    const auto call = enter(sql);
    EXPECT_EQ(report(call.generation, false, ", 120000"), "CLOSED");
    auto refused = enter(sql);
    EXPECT_EQ(refused.verdict, "paused");
    EXPECT_NEAR(static_cast<double>(refused.wait_ms), 120'000, 2000);
    report(call.generation, false, ", 1000");
    EXPECT_GT(enter(sql).wait_ms, 110'000);
    // A day at most, whatever the server says.
    report(call.generation, false, ", 9223372036854775807");
    EXPECT_EQ(column("paused_until between now() + interval '23 hours' and now() + interval '25 "
                     "hours'"),
              "t");
    pass_seconds(86'500);
    EXPECT_EQ(enter(sql).verdict, "go");
    EXPECT_EQ(sql.one("select coalesce(paused_until::text, 'none') from jobforge.list_governors()"),
              "none");
    // A pause by hand that has no end stays what it is.
    sql.run("select jobforge.governor_pause('host', 'h', p_reason => 'they asked us to')");
    report(call.generation, true, ", 5000");
    EXPECT_EQ(column("paused_until"), "infinity");
}

TEST_F(Governors, a_pause_by_hand_holds_until_it_is_resumed) {
    sql.run("select jobforge.governor_pause('host', 'h', p_reason => 'they asked us to')");
    auto refused = enter(sql);
    EXPECT_EQ(refused.verdict, "paused");
    EXPECT_EQ(refused.reason, "paused until resumed: they asked us to");
    EXPECT_LE(refused.wait_ms, 3'600'000);
    sql.run("select jobforge.governor_resume('host', 'h')");
    EXPECT_EQ(enter(sql).verdict, "go");
    sql.run("select jobforge.governor_pause('host', 'h', now() + interval '10 minutes')");
    refused = enter(sql);
    EXPECT_EQ(refused.verdict, "paused");
    EXPECT_NEAR(static_cast<double>(refused.wait_ms), 600'000, 2000);
    pass_seconds(601);
    EXPECT_EQ(enter(sql).verdict, "go");
    EXPECT_EQ(sql.error("select jobforge.governor_pause('host', 'h', now() - interval '1 s')"),
              "VALIDATION_ERROR");
}

TEST_F(Governors, resume_closes_an_open_breaker_and_ignores_what_was_under_way) {
    open();
    pass_seconds(301);
    const auto probe = enter(sql);
    ASSERT_TRUE(probe.probe);
    sql.run("select jobforge.governor_resume('host', 'h')");
    EXPECT_EQ(column("state || failure_streak"), "CLOSED0");
    EXPECT_EQ(enter(sql).verdict, "go");
    EXPECT_EQ(report(probe.generation, false), "LATE");
}

TEST_F(Governors, a_healthy_one_without_a_limit_is_neither_locked_nor_written) {
    report(enter(sql).generation, true);
    Session holder = database.session();
    holder.run("begin; select from jobforge.governors for update");
    sql.run("set statement_timeout = '5s'");
    const auto version = column("xmin || ' ' || last_success_at");
    EXPECT_EQ(enter(sql).verdict, "go");
    EXPECT_EQ(report(1, true), "CLOSED");
    EXPECT_EQ(column("xmin || ' ' || last_success_at"), version);
    // Also not when the time of the last success is due: whoever holds the row writes later.
    holder.run("rollback");
    pass_seconds(2);
    holder.run("begin; select from jobforge.governors for update");
    EXPECT_EQ(report(1, true), "CLOSED");
    EXPECT_EQ(column("now() - last_success_at > interval '1 second'"), "t");
}

TEST_F(Governors, the_time_of_the_last_success_is_kept_once_a_second) {
    report(enter(sql).generation, true);
    const auto first = column("last_success_at");
    EXPECT_NE(first, "NULL");
    report(1, true);
    EXPECT_EQ(column("last_success_at"), first);
    pass_seconds(1.1);
    report(1, true);
    EXPECT_NE(column("last_success_at"), first);
    EXPECT_EQ(column("now() - last_success_at < interval '30 seconds'"), "t");
}

TEST_F(Governors, a_rate_given_with_the_call_is_kept_and_zero_lifts_it) {
    EXPECT_EQ(enter(sql, "h", ", 1").verdict, "go");
    EXPECT_EQ(enter(sql, "h", ", 1").verdict, "wait");
    EXPECT_EQ(enter(sql).verdict, "wait");
    EXPECT_EQ(enter(sql, "h", ", 0").verdict, "go");
    EXPECT_EQ(enter(sql).verdict, "go");
    EXPECT_EQ(column("rate_per_minute"), "NULL");
}

TEST_F(Governors, a_new_pace_forgets_the_times_that_were_handed_out_at_the_old_one) {
    configure(R"({"rate_per_minute": 1, "burst": 1})");
    EXPECT_EQ(enter(sql).verdict, "go");
    EXPECT_GT(enter(sql).wait_ms, 50'000);
    // An interval of a second, and a token that was just taken.
    const auto take_at = [&](const std::string& change) {
        sql.run(change);
        sql.run("update jobforge.governors set next_free_at = clock_timestamp() + interval '1 s'");
        return enter(sql);
    };
    const auto configured = take_at(
        R"(select jobforge.governor_configure('host', 'h', '{"rate_per_minute": 60, "burst": 1}'))");
    EXPECT_EQ(configured.verdict, "wait");
    EXPECT_LE(configured.wait_ms, 1000);
    // Settings that are not pace leave the queue as it is.
    const auto queued =
        take_at(R"(select jobforge.governor_configure('host', 'h', '{"failure_threshold": 9}'))");
    EXPECT_GT(queued.wait_ms, 1000);
    sql.run("update jobforge.governors set hint_at = clock_timestamp() + interval '1 minute'");
    EXPECT_LE(enter(sql, "h", ", 120").wait_ms, 1000);
}

TEST_F(Governors, settings_out_of_range_and_unknown_ones_are_refused) {
    for (const char* bad :
         {R"({"rate_per_minute": 0})", R"({"rate_per_minute": 60001})", R"({"burst": 0})",
          R"({"failure_threshold": 0})", R"({"open_seconds": -1})", R"({"probe_seconds": "x"})",
          R"({"rate": 5})", R"([])", R"({"open_seconds": null})", R"({"burst": 99999999999})"}) {
        EXPECT_EQ(
            sql.error(fmt::format("select jobforge.governor_configure('host', 'h', '{}')", bad)),
            "VALIDATION_ERROR")
            << bad;
    }
    EXPECT_EQ(sql.error("select jobforge.governor_enter('planet', 'h')"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select jobforge.governor_enter('host', '')"), "VALIDATION_ERROR");
    EXPECT_EQ(sql.error("select jobforge.governor_enter('host', repeat('x', 501))"),
              "VALIDATION_ERROR");
    EXPECT_EQ(sql.one("select count(*) from jobforge.governors"), "0");
}

TEST_F(Governors, tenants_have_governors_of_their_own) {
    configure(R"({"rate_per_minute": 1})");
    EXPECT_EQ(enter(sql).verdict, "go");
    EXPECT_EQ(enter(sql).verdict, "wait");
    sql.use_tenant(kTenantB);
    EXPECT_EQ(enter(sql).verdict, "go");
    EXPECT_EQ(enter(sql).verdict, "go");
    EXPECT_EQ(sql.one("select count(*) from jobforge.list_governors()"), "1");
}

TEST_F(Governors, hosts_that_nobody_calls_any_more_are_forgotten) {
    const auto prune = [this] { return sql.one("select jobforge.prune_governors()"); };
    report(enter(sql).generation, true);
    pass_seconds(29 * 86400.0);
    EXPECT_EQ(prune(), "0");
    pass_seconds(2 * 86400.0);
    for (const char* kept :
         {"kind = 'source'", "rate_per_minute = 5", "failure_threshold = 6", "burst = 2",
          "state = 'OPEN', open_until = now()", "paused_until = 'infinity', pause_reason = 'x'"}) {
        sql.run(fmt::format("begin; update jobforge.governors set {}", kept));
        EXPECT_EQ(prune(), "0") << kept;
        sql.run("rollback");
    }
    EXPECT_EQ(prune(), "1");
    EXPECT_EQ(enter(sql).verdict, "go");
}

TEST_F(Governors, impossible_rows_are_refused_by_the_table) {
    enter(sql);
    for (const char* change :
         {"state = 'OPEN'", "state = 'HALF_OPEN'", "state = 'AJAR'", "open_until = now()",
          "probe_expires_at = now()", "failure_streak = -1", "paused_until = now()",
          "pause_reason = 'x'", "kind = 'x'", "key = ''", "rate_per_minute = 0"}) {
        EXPECT_EQ(sql.error(fmt::format("update jobforge.governors set {}", change)), "23514")
            << change;
    }
}

}  // namespace
}  // namespace jobforge::test
