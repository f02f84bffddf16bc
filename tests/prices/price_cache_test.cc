// The cache of what sources answer: it saves requests, and never gives anybody what is another's.
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <random>

#include <fmt/format.h>

#include "price_world.h"

namespace jobforge::test {
namespace {

class PriceCache : public PriceWorld {
protected:
    PriceCache() { settings_.cache = cache(); }
    std::shared_ptr<connect::ResponseCache> cache(connect::CacheClock clock = {}) {
        return std::make_shared<connect::ResponseCache>(
            connect::CacheOptions{.path = path(), .clock = std::move(clock)});
    }
    std::string path() const { return directory_.path() + "/cache.sqlite"; }
};

Json listing(int id, const std::string& title, const std::string& price) {
    return Json::object({{"id", id},
                         {"title", title},
                         {"kind", "SOLD"},
                         {"price", Json::object({{"amount", price}, {"currency", "USD"}})}});
}

TEST_F(PriceCache, TheSameQuestionIsAskedOnceAndAnsweredForEachIntakeByItself) {
    const auto marketplace = market();
    const std::string from = source(*marketplace);
    const std::string first = intake(), second = intake(R"({"grade":"MS65","cleaned":true,
        "keywords_exclude":["replica"]})");
    const std::string a = enqueue(first, from);
    ASSERT_EQ(end_of(a), "SUCCEEDED");
    const std::string b = enqueue(second, from);
    ASSERT_EQ(end_of(b), "SUCCEEDED");
    EXPECT_EQ(marketplace->arrivals().size(), 3U);
    EXPECT_EQ(result(a, "cached") + result(b, "cached"), "falsetrue");
    // Its own filter, its own rows, its own condition.
    EXPECT_EQ(points(first), "41");
    EXPECT_EQ(points(second), "40");
    EXPECT_EQ(result(b, "left_out"), R"({"excluded keyword: replica": 1})");
    EXPECT_EQ(points(second, "count(distinct first_job_id) || ' ' || (min(first_job_id::text) = '" +
                                 b + "')"),
              "1 true");
    EXPECT_LT(result(b, "confidence"), result(a, "confidence"));
}

TEST_F(PriceCache, AHitTakesNoTokenAndAsksNoBreaker) {
    const auto marketplace = market({.page_size = 100});
    const std::string from = source(*marketplace, R"({"rate_limit_per_minute":1,"burst":1})");
    ASSERT_EQ(ends(intake(), from), "SUCCEEDED");
    const std::string second = enqueue(intake(R"({"grade":"VF"})"), from);
    ASSERT_EQ(end_of(second), "SUCCEEDED");  // the next token is due in a minute
    EXPECT_EQ(result(second, "cached"), "true");
}

TEST_F(PriceCache, NoIntakeGetsAnothersData) {
    // Questions that differ in one member each; the marketplace answers by the series.
    const auto marketplace =
        market({.listings = {listing(1, "lincoln", "1.00"), listing(2, "morgan", "2.00")}});
    const std::string from = source(*marketplace);
    const std::string lincoln = intake(R"({"series":"lincoln"})");
    const std::string morgan = intake(R"({"series":"morgan"})");
    const std::string again = intake(R"({"series":"lincoln","year":1910})");
    for (const std::string& to : {lincoln, morgan, again}) {
        ASSERT_EQ(ends(to, from), "SUCCEEDED");
    }
    EXPECT_EQ(points(lincoln, "string_agg(title, ',')"), "lincoln");
    EXPECT_EQ(points(morgan, "string_agg(title, ',')"), "morgan");
    EXPECT_EQ(points(again, "string_agg(title || match_strength, ',')"), "lincoln0.25000");
    EXPECT_EQ(marketplace->arrivals().size(), 3U);
}

TEST_F(PriceCache, NoTenantGetsAnothersDataEvenWithTheSameIds) {
    const auto marketplace = market();
    const std::string members = R"({"source_id":"01890a5d-ac96-774b-bcce-b302099a8057"})";
    const std::string from = source(*marketplace, members);
    ASSERT_EQ(ends(intake(), from), "SUCCEEDED");
    const std::string other = one("select jobforge.create_tenant('others')");
    run(fmt::format("select set_config('app.tenant_id', '{}', false)", other));
    EXPECT_EQ(source(*marketplace, members), from);
    const std::string job = enqueue(intake(), from);
    ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
    EXPECT_EQ(result(job, "cached"), "false");
    EXPECT_EQ(marketplace->arrivals().size(), 6U);
}

TEST_F(PriceCache, AnAnswerIsUsedUntilItIsTooOld) {
    std::atomic<std::int64_t> now_ms{1'800'000'000'000};
    settings_.cache = cache([&now_ms] {
        return std::chrono::sys_time<std::chrono::milliseconds>(
            std::chrono::milliseconds(now_ms.load()));
    });
    settings_.cache_ttl = std::chrono::seconds(60);
    const auto marketplace = market();
    const std::string from = source(*marketplace), to = intake();
    ASSERT_EQ(ends(to, from), "SUCCEEDED");
    now_ms += 59'000;
    ASSERT_EQ(ends(to, from), "SUCCEEDED");
    EXPECT_EQ(marketplace->arrivals().size(), 3U);
    now_ms += 2'000;
    ASSERT_EQ(ends(to, from), "SUCCEEDED");
    EXPECT_EQ(marketplace->arrivals().size(), 6U);
}

TEST_F(PriceCache, TheFileMayBeDeletedOrSpoiltAtAnyTime) {
    const auto marketplace = market({.page_size = 100});
    const std::string from = source(*marketplace), to = intake();
    start();
    std::size_t asked = 0;
    const auto collects = [&](const char* when) {
        const std::string job = enqueue(to, from);
        EXPECT_EQ(end_of(job), "SUCCEEDED") << when << ": " << message_of(job);
        EXPECT_EQ(points(to), "41") << when;
        const std::size_t before = asked;
        asked = marketplace->arrivals().size();
        return asked - before;
    };
    EXPECT_EQ(collects("new"), 1U);
    EXPECT_EQ(collects("kept"), 0U);
    ASSERT_EQ(::unlink(path().c_str()), 0);
    EXPECT_EQ(collects("deleted"), 1U);
    for (const char* suffix : {"", "-wal", "-shm"}) {
        ::unlink((path() + suffix).c_str());
    }
    EXPECT_EQ(collects("deleted with its log"), 1U);
    {
        std::ofstream file(path(), std::ios::binary | std::ios::trunc);
        file << std::string(8192, '\x5a');
    }
    // Its log may still hold the answer, whole and with its checksum: then nobody is asked.
    EXPECT_LE(collects("rubbish"), 1U);
    ASSERT_EQ(::truncate(path().c_str(), 100), 0);
    EXPECT_LE(collects("cut short"), 1U);
    // A directory in its place: nothing can be kept, and nobody's work suffers.
    for (const char* suffix : {"", "-wal", "-shm"}) {
        ::unlink((path() + suffix).c_str());
    }
    ASSERT_EQ(::mkdir(path().c_str(), 0700), 0);
    EXPECT_EQ(collects("a directory"), 1U);
    EXPECT_EQ(collects("still a directory"), 1U);
}

TEST_F(PriceCache, WorkersKilledInTheMiddleOfTheirWritesLeaveNothingHalf) {
    // Each intake's question has an answer of its own: a listing with its number in it. Whoever
    // reads half an entry, or another's, stores a wrong price.
    constexpr int kIntakes = 120;
    std::vector<Json> listings;
    std::vector<std::string> intakes;
    for (int i = 0; i < kIntakes; ++i) {
        listings.push_back(listing(i, fmt::format("number{:04} {}", i, std::string(900, 'x')),
                                   fmt::format("{}.00", i)));
        intakes.push_back(intake(fmt::format(R"({{"series":"number{:04}"}})", i)));
    }
    const auto marketplace = market({.listings = std::move(listings)});
    const std::string from = source(*marketplace);
    run("update jobforge.job_types set lease_seconds = 2 where type = 'COLLECT_PRICES'");
    for (const std::string& to : intakes) {
        enqueue(to, from);
        enqueue(to, from);
    }
    std::minstd_rand dice(20260304);
    const std::map<std::string, std::string> fast{{"BPC_JOBS_LEASE_SECONDS", "2"},
                                                  {"BPC_JOBS_LEASE_RENEW_SECONDS", "1"}};
    for (int kills = 0; kills < 4; ++kills) {
        ChildProcess& worker = start_process(fast);
        const std::size_t seen = marketplace->arrivals().size();
        const std::size_t more = 3 + dice() % 20;
        EXPECT_TRUE(wait_until([&] {
            return marketplace->arrivals().size() >= seen + more ||
                   one("select count(*) from jobforge.jobs") == "0";
        }));
        worker.send_signal(SIGKILL);
        EXPECT_EQ(worker.wait(), 128 + SIGKILL);
    }
    start_process(fast);
    start_process(fast);
    EXPECT_TRUE(wait_until([&] { return one("select count(*) from jobforge.jobs") == "0"; },
                           std::chrono::seconds(60)));
    end_processes();
    EXPECT_EQ(one("select count(*) from jobforge.finished_jobs where status <> 'SUCCEEDED'"), "0");
    EXPECT_EQ(one("select count(*) from jobforge.price_points"), std::to_string(kIntakes));
    EXPECT_EQ(one("select count(*) from jobforge.price_points p join jobforge.intakes i using "
                  "(tenant_id, intake_id) where p.title not like i.series || ' %' or p.price_cents "
                  "<> 100 * substr(i.series, 7)::int"),
              "0");
    EXPECT_GT(
        count("select count(*) from jobforge.finished_jobs where (result ->> 'cached')::bool"), 0);
}

}  // namespace
}  // namespace jobforge::test
