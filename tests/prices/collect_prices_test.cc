// COLLECT_PRICES with a marketplace that behaves: what is stored, what is answered, what is left
// out, and that repeating changes nothing.
#include <fmt/format.h>

#include <atomic>

#include "price_world.h"
#include "tcp_server.h"

namespace jobforge::test {
namespace {

using CollectPrices = PriceWorld;

Json listing(int id, const std::string& title, const Json& price, const char* kind = "SOLD") {
    return Json::object({{"id", id},
                         {"title", title},
                         {"kind", kind},
                         {"price", Json::object({{"amount", price}, {"currency", "USD"}})}});
}

TEST_F(CollectPrices, ReadsAllPagesAndStoresExactCentsAndAValuation) {
    const auto marketplace = market();
    const std::string job = enqueue(intake(), source(*marketplace));
    ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
    // 43 listings in pages of 20; the Morgan dollar has none of the words that are asked for; one
    // listing has no price.
    EXPECT_EQ(marketplace->arrivals().size(), 3U);
    EXPECT_EQ(result(job, "pages"), "3");
    EXPECT_EQ(result(job, "items"), "42");
    EXPECT_EQ(result(job, "skipped"), R"({"price: missing": 1})");
    EXPECT_EQ(result(job, "inserted"), "41");
    EXPECT_EQ(result(job, "cached"), "false");
    const std::string id = job.empty() ? "" : this->job(job, "payload ->> 'intake_id'");
    EXPECT_EQ(points(id,
                     "string_agg(price_cents || ' ' || currency || ' ' || price_type || ' ' || "
                     "match_strength, ', ' order by dedupe_key) filter (where dedupe_key in "
                     "('ext_1000', 'ext_1001', 'ext_2003'))"),
              "70000 USD sold 1.00000, 70537 USD sold 1.00000, 106000 USD ask 1.00000");
    EXPECT_EQ(points(id, "min(observed_at at time zone 'UTC')"), "2026-02-01 15:00:00");
    EXPECT_EQ(points(id, "count(distinct first_job_id)"), "1");
    // Of 41 prices q1 = sorted[10] = 720.48 and q3 = sorted[30] = 1060.00: the finest known
    // (117500) and the replica (4.99) lie outside of [211.20, 1569.28]. The median is sorted[19]
    // of 39.
    EXPECT_EQ(one(fmt::format("select format('%s %s %s %s %s', comparables, outliers, currency, "
                              "p50, job_id = '{}') from jobforge.valuations where intake_id = '{}'",
                              job, id)),
              "39 2 USD 74533 t");
    EXPECT_EQ(result(job, "comparables"), "39");
}

TEST_F(CollectPrices, RepeatingItChangesNothing) {
    const auto marketplace = market();
    const std::string from = source(*marketplace), to = intake();
    ASSERT_EQ(ends(to, from), "SUCCEEDED");
    const std::string before = points(to,
                                      "md5(string_agg(price_points::text, '' order by "
                                      "price_point_id))");
    const std::string again = enqueue(to, from);
    ASSERT_EQ(end_of(again), "SUCCEEDED");
    EXPECT_EQ(result(again, "inserted"), "0");
    EXPECT_EQ(result(again, "updated"), "0");
    EXPECT_EQ(result(again, "kept"), "41");
    EXPECT_EQ(points(to, "md5(string_agg(price_points::text, '' order by price_point_id))"),
              before);
}

TEST_F(CollectPrices, ABetterMatchAndAPaidPriceReplaceWhatWasThere) {
    const auto first =
        market({.listings = {listing(1, "1909 lincoln", "10.00", "BUY_NOW"),
                             listing(2, "1909-S lincoln cent", "20.00", "SOLD"),
                             listing(3, "1909-S lincoln cent", "30.00", "BUY_NOW")}});
    const auto second = market({.listings = {listing(1, "1909-S lincoln cent", "11.00", "BUY_NOW"),
                                             listing(2, "1909-S lincoln cent", "21.00", "BUY_NOW"),
                                             listing(3, "lincoln", "31.00", "SOLD")}});
    const std::string to = intake();
    const std::string from = source(*first);
    ASSERT_EQ(ends(to, from), "SUCCEEDED");
    EXPECT_EQ(source(*second), from);  // the same source, moved
    ASSERT_EQ(ends(to, from), "SUCCEEDED");
    EXPECT_EQ(points(to,
                     "string_agg(price_cents || ' ' || price_type || ' ' || match_strength, "
                     "', ' order by dedupe_key)"),
              "1100 ask 1.00000, 2000 sold 1.00000, 3100 sold 0.25000");
}

TEST_F(CollectPrices, TheSameListingFromTwoJobsAtTheSameTimeIsOneRow) {
    // Both requests are held until both have come: the jobs store at the same moment.
    std::mutex mutex;
    std::condition_variable both;
    int waiting = 0;
    const std::string body =
        Json::object({{"results", Json::array({listing(7, "1909 lincoln cent", "19.99")})}}).dump();
    TcpServer server([&](TcpPeer& peer) {
        if (peer.read_request().empty()) {
            return;
        }
        std::unique_lock lock(mutex);
        ++waiting;
        both.notify_all();
        both.wait_for(lock, kPatience, [&] { return waiting % 2 == 0; });
        lock.unlock();
        peer.write(cli::demo_answer("200 OK", "", body));
    });
    const std::string from = source({.base_url = server.url("/api")});
    for (int round = 0; round < 5; ++round) {
        const std::string to = intake(fmt::format(R"({{"title":"round {}"}})", round));
        const std::string a = enqueue(to, from), b = enqueue(to, from);
        ASSERT_EQ(end_of(a), "SUCCEEDED") << message_of(a);
        ASSERT_EQ(end_of(b), "SUCCEEDED") << message_of(b);
        EXPECT_EQ(points(to, "count(*) || ' ' || min(price_cents)"), "1 1999");
        EXPECT_EQ(std::stoi(result(a, "inserted")) + std::stoi(result(b, "inserted")), 1);
        EXPECT_EQ(std::stoi(result(a, "kept")) + std::stoi(result(b, "kept")), 1);
    }
}

TEST_F(CollectPrices, KeywordsOfTheSourceAndOfTheIntakeDecideTogether) {
    const auto marketplace = market();
    const std::string from = source(*marketplace);
    run(
        fmt::format("select jobforge.set_source_rules('{}', '{{\"exclude_keywords\":[\"replica\"], "
                    "\"require_keywords\":[\"LINCOLN\"]}}')",
                    from));
    const std::string to = intake(R"({"keywords_include":["v.d.b.","wheat"],
                                      "keywords_exclude":["finest known"]})");
    const std::string job = enqueue(to, from);
    ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
    EXPECT_EQ(points(to), "13");  // "V.D.B." is three words; "VDB" is another
    EXPECT_EQ(result(job, "left_out"),
              R"({"excluded keyword: replica": 1, "none of the intake's keywords": 26, )"
              R"("excluded keyword: finest known": 1})");
}

TEST_F(CollectPrices, CurrenciesOfOneIntakeAreNotMixed) {
    Json euro = listing(3, "1909 lincoln cent", "5.00");
    euro.set("price", Json::object({{"amount", "5.00"}, {"currency", "EUR"}}));
    const auto marketplace = market({.listings = {listing(1, "1909 lincoln cent", "19.99"),
                                                  listing(2, "1909 lincoln cent", "29.99"), euro}});
    const std::string to = intake();
    ASSERT_EQ(ends(to, source(*marketplace)), "SUCCEEDED");
    EXPECT_EQ(one(fmt::format("select format('%s %s %s %s', currency, comparables, mean_cents, "
                              "explanation -> 'other_currencies') from jobforge.valuations where "
                              "intake_id = '{}'",
                              to)),
              R"(USD 2 2499 {"EUR": 1})");
}

TEST_F(CollectPrices, NothingFoundIsAValuationWithoutNumbers) {
    const auto marketplace = market({.listings = {listing(1, "Morgan dollar", "19.99")}});
    const std::string to = intake();
    ASSERT_EQ(ends(to, source(*marketplace)), "SUCCEEDED");
    EXPECT_EQ(
        one(fmt::format("select format('%s %s %s', comparables, confidence, p50 is null) from "
                        "jobforge.valuations where intake_id = '{}'",
                        to)),
        "0 1 t");
}

TEST_F(CollectPrices, PricesGivenByHandCountLikeOthers) {
    const std::string by_hand =
        source({.name = "catalogue",
                .members = R"({"adapter":"manual","base_url":null,"reputation_weight":1,"config":{
            "least_match":0.5,"prices":[
            {"title":"1909-S Lincoln cent","price":"850.00","currency":"USD","price_type":"sold"},
            {"title":"1921 Morgan dollar","price":"40","currency":"USD"}]}})"});
    const std::string to = intake();
    const std::string job = enqueue(to, by_hand);
    ASSERT_EQ(end_of(job), "SUCCEEDED") << message_of(job);
    EXPECT_EQ(result(job, "left_out"), R"({"match below 0.50000": 1})");
    EXPECT_EQ(points(to, "string_agg(price_cents::text, ' ')"), "85000");
    const std::string given = enqueue(to, by_hand, R"({"prices":[{"title":"from a dealer",
        "price":"900.00","currency":"USD","external_id":"d-1","observed_at":"2026-03-01"}]})");
    ASSERT_EQ(end_of(given), "SUCCEEDED") << message_of(given);
    EXPECT_EQ(points(to, "string_agg(price_cents::text, ' ' order by price_cents)"), "85000 90000");
    const std::string wrong = enqueue(to, by_hand, R"({"prices":[{"title":"x","price":"1.999",
        "currency":"USD"}]})");
    EXPECT_EQ(end_of(wrong), "FAILED JOB_PAYLOAD_INVALID");
    EXPECT_EQ(message_of(wrong), "prices[0]: price: it has a fraction of a cent");
}

TEST_F(CollectPrices, WhatCannotBeCollectedFailsAtOnceAndSaysWhy) {
    const auto marketplace = market();
    const std::string to = intake(), from = source(*marketplace);
    EXPECT_EQ(end_of(enqueue(to, from, R"({"prices":[]})")), "FAILED JOB_PAYLOAD_INVALID");
    EXPECT_EQ(end_of(enqueue(to, from, R"({"intake_id":"x"})")), "FAILED JOB_PAYLOAD_INVALID");
    EXPECT_EQ(end_of(enqueue("01890a5d-ac96-774b-bcce-b302099a8057", from)), "FAILED NOT_FOUND");
    EXPECT_EQ(end_of(enqueue(to, "01890a5d-ac96-774b-bcce-b302099a8057")), "FAILED NOT_FOUND");
    run(fmt::format("select jobforge.set_source_enabled('{}', false)", from));
    EXPECT_EQ(end_of(enqueue(to, from)), "FAILED SOURCE_DISABLED");
    EXPECT_TRUE(marketplace->arrivals().empty());
    const std::string misspelt = source({.name = "misspelt",
                                         .base_url = marketplace->base_url(),
                                         .members = R"({"config":{"itms":"/results"}})"});
    EXPECT_EQ(end_of(enqueue(to, misspelt)), "FAILED VALIDATION_ERROR");
    const std::string path = source({.name = "elsewhere", .base_url = marketplace->base_url()});
    run(fmt::format("select jobforge.set_source_rules('{}', '{{\"allowed_path\":\"/v2\"}}')",
                    path));
    EXPECT_EQ(end_of(enqueue(to, path)), "FAILED SSRF_BLOCKED");
    EXPECT_TRUE(marketplace->arrivals().empty());
}

TEST_F(CollectPrices, ASecretTravelsInItsHeaderAndIsKeptNowhere) {
    const std::string secret = "s3cr3t-of-the-market";
    secrets_["JOBFORGE_SECRET_MARKET"] = secret;
    // A server that gives back whatever it was sent.
    TcpServer server([](TcpPeer& peer) {
        const std::string request = peer.read_request();
        const std::string_view sent = cli::demo_header(request, "Authorization");
        peer.write(cli::demo_answer(
            "200 OK", "",
            Json::object(
                {{"results", Json::array({listing(1, "1909 cent " + std::string(sent), "5.00")})}})
                .dump()));
    });
    Json config = cli::DemoMarketplace::source_config();
    config.set("auth", Json::object({{"type", "bearer"}, {"secret_ref", "MARKET"}}));
    const std::string from = source(
        {.base_url = server.url("/api"), .members = Json::object({{"config", config}}).dump()});
    const std::string to = intake();
    ASSERT_EQ(ends(to, from), "SUCCEEDED");
    EXPECT_EQ(points(to, "title"), "1909 cent Bearer [redacted]");
    EXPECT_EQ(points(to, "raw::text || url"), "");
    EXPECT_EQ(one("select count(*) from jobforge.all_jobs j where j::text like '%s3cr3t%'"), "0");
    EXPECT_EQ(one("select count(*) from jobforge.price_points p where p::text like '%s3cr3t%'"),
              "0");
    config.set("auth", Json::object({{"type", "bearer"}, {"secret_ref", "NOBODYS"}}));
    const std::string other = source({.name = "other",
                                      .base_url = server.url("/api"),
                                      .members = Json::object({{"config", config}}).dump()});
    EXPECT_EQ(ends(to, other), "FAILED SECRET_NOT_FOUND");
}

TEST_F(CollectPrices, InProductionASecretGoesNowhereWithoutTls) {
    secrets_["JOBFORGE_SECRET_MARKET"] = "s3cr3t-of-the-market";
    settings_.https_only = true;
    std::atomic<int> requests = 0;
    TcpServer server([&requests](TcpPeer& peer) {
        ++requests;
        (void)peer.read_request();
    });
    Json config = cli::DemoMarketplace::source_config();
    config.set("auth", Json::object({{"type", "bearer"}, {"secret_ref", "MARKET"}}));
    const std::string from = source(
        {.base_url = server.url("/api"), .members = Json::object({{"config", config}}).dump()});
    EXPECT_EQ(ends(intake(), from), "FAILED SSRF_BLOCKED");
    EXPECT_EQ(requests, 0);
}

}  // namespace
}  // namespace jobforge::test
