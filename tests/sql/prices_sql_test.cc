// Price points: one row per listing whoever finds it, the worthier one stays; one valuation each.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "price_world.h"

namespace jobforge::test {
namespace {

class Prices : public testing::Test {
protected:
    std::string kept() {
        return sql.one(
            "select string_agg(title || ' ' || price_cents, ', ' order by dedupe_key) "
            "from jobforge.price_points");
    }
    // What another job gets for these points that begins to store them now, when the transaction
    // of `sql` commits. It must wait for that.
    TextRow store_meanwhile(const std::string& points) {
        Session other = database.session();
        std::vector<TextRow> theirs;
        std::jthread waiting(
            [&] { theirs = other.rows(PriceWorld::store_call(intake, source, points)); });
        wait_until_blocked(sql);
        sql.run("commit");
        waiting.join();
        return theirs.at(0);
    }
    static std::string point(const std::string& type, const char* match) {
        return PriceWorld::point("ext_1", type, match);
    }

    EngineDatabase database;
    Session sql = database.session();
    PriceWorld world{sql};
    std::string source = world.source(R"("reputation_weight": 0.8)");
    std::string intake = world.intake();
};

TEST_F(Prices, the_worthier_of_two_is_kept_whichever_comes_first) {
    struct Pair {
        std::array<const char*, 2> worse, better;
    };
    for (const auto& [worse, better] :
         {Pair{{"ask", "0.5"}, {"ask", "0.75"}}, Pair{{"sold", "0.5"}, {"sold", "0.50001"}},
          Pair{{"ask", "1"}, {"sold", "0"}}, Pair{{"bid", "0.9"}, {"sold", "0.1"}},
          Pair{{"bid", "0.2"}, {"ask", "0.3"}}, Pair{{"ask", "0.2"}, {"bid", "0.3"}}}) {
        const auto a = point(worse[0], worse[1]);
        const auto b = point(better[0], better[1]);
        const auto expected = fmt::format("{} at {} 1999", better[0], better[1]);
        for (const bool better_first : {false, true}) {
            sql.run("delete from jobforge.price_points");
            EXPECT_EQ(world.store(intake, source, better_first ? b : a), "1 0 0");
            EXPECT_EQ(world.store(intake, source, better_first ? a : b),
                      better_first ? "0 0 1" : "0 1 0");
            EXPECT_EQ(kept(), expected);
        }
        // Also within one call.
        sql.run("delete from jobforge.price_points");
        EXPECT_EQ(world.store(intake, source, b + "," + a), "1 0 1");
        EXPECT_EQ(kept(), expected);
        EXPECT_EQ(world.store(intake, source, a + "," + b), "0 0 2");
    }
}

TEST_F(Prices, at_a_tie_the_first_stays) {
    world.store(intake, source, PriceWorld::point("ext_1", "ask", "0.5", 100));
    EXPECT_EQ(world.store(intake, source, PriceWorld::point("ext_1", "ask", "0.50000", 200)),
              "0 0 1");
    EXPECT_EQ(world.store(intake, source, PriceWorld::point("ext_1", "bid", "0.5", 300)), "0 0 1");
    EXPECT_EQ(kept(), "ask at 0.5 100");
}

TEST_F(Prices, the_same_listing_from_two_jobs_at_the_same_time_is_one_row) {
    for (const bool mine_is_better : {false, true}) {
        sql.run("delete from jobforge.price_points; begin");
        world.store(intake, source, point("ask", mine_is_better ? "0.9" : "0.3"));
        const auto theirs = store_meanwhile(point("ask", "0.6"));
        EXPECT_EQ(theirs[0], mine_is_better ? "0 0 1" : "0 1 0");
        EXPECT_EQ(kept(), fmt::format("ask at {} 1999", mine_is_better ? "0.9" : "0.6"));
    }
}

TEST_F(Prices, the_later_of_two_jobs_values_what_both_have_found) {
    sql.run("begin");
    world.store(intake, source, point("ask", "0.3"));
    const auto theirs = store_meanwhile(PriceWorld::point("ext_2", "sold", "0.6"));
    EXPECT_EQ(theirs[0], "1 0 0");
    EXPECT_NE(theirs[1].find("ext_1"), std::string::npos) << theirs[1];
    EXPECT_NE(theirs[1].find("ext_2"), std::string::npos) << theirs[1];
}

TEST_F(Prices, all_prices_of_the_intake_come_back_with_what_a_valuation_needs) {
    const auto second = world.source(R"("reputation_weight": 0.25)");
    const auto other_intake = world.intake();
    world.store(intake, source, PriceWorld::point("ext_2", "sold", "0.33333"));
    world.store(other_intake, source, PriceWorld::point("ext_9", "sold", "1"));
    const auto row =
        sql.rows(PriceWorld::store_call(intake, second, PriceWorld::point("ext_1", "ask", "1", 5)));
    EXPECT_EQ(sql.one(fmt::format(
                  "select string_agg(concat_ws(' ', p ->> 'source_id', p ->> 'dedupe_key', p ->> "
                  "'price_cents', p ->> 'currency', p ->> 'price_type', p ->> 'match_strength', p "
                  "->> 'reputation_weight'), ', ') from json_array_elements('{}') p",
                  row.at(0)[1])),
              fmt::format("{} ext_2 1999 USD sold 0.33333 0.8, {} ext_1 5 USD ask 1.00000 0.25",
                          source, second));
}

TEST_F(Prices, what_no_price_can_be_is_refused_and_nothing_of_the_call_is_kept) {
    const auto good = PriceWorld::point("ext_7", "ask", "0.5");
    for (const char* bad :
         {R"({"price_cents": 19.99})", R"({"price_cents": -1})", R"({"price_cents": "a lot"})",
          R"({"price_cents": 9223372036854775808})", R"({"currency": "usd"})",
          R"({"currency": "EURO"})", R"({"currency": null})", R"({"price_type": "gift"})",
          R"({"match_strength": 1.1})", R"({"match_strength": -0.1})",
          R"({"match_strength": null})", R"({"dedupe_key": ""})", R"({"dedupe_key": null})",
          R"({"observed_at": "yesterday-ish"})"}) {
        EXPECT_EQ(sql.error(fmt::format(
                      "select jobforge.store_price_points('{}', '{}', jsonb_build_array('{}'::jsonb"
                      ", '{}'::jsonb || '{}'::jsonb))",
                      intake, source, good, PriceWorld::point("ext_8", "ask", "0.5"), bad)),
                  "VALIDATION_ERROR")
            << bad << sql.message();
    }
    EXPECT_EQ(sql.one("select count(*) from jobforge.price_points"), "0");
    EXPECT_EQ(sql.error(fmt::format("select jobforge.store_price_points('{}', '{}', '{{}}')",
                                    intake, source)),
              "VALIDATION_ERROR");
    EXPECT_EQ(sql.error(fmt::format(
                  "select jobforge.store_price_points('{}', gen_random_uuid(), '[]')", intake)),
              "NOT_FOUND");
}

TEST_F(Prices, price_points_are_listed_newest_first_by_page_and_source) {
    const auto second = world.source();
    for (int i = 0; i < 5; ++i) {
        world.store(intake, i % 2 == 0 ? source : second,
                    PriceWorld::point(fmt::format("ext_{}", i), "ask", "0.5"));
    }
    const auto list = [&](const std::string& more) {
        return sql.one(fmt::format(
            "select string_agg(dedupe_key, ' ') from jobforge.list_price_points('{}'{})", intake,
            more));
    };
    EXPECT_EQ(list(""), "ext_4 ext_3 ext_2 ext_1 ext_0");
    EXPECT_EQ(list(", 'source-2'"), "ext_3 ext_1");
    const auto last = sql.one(fmt::format(
        "select price_point_id from jobforge.list_price_points('{}', p_limit => 2) offset 1",
        intake));
    EXPECT_EQ(list(fmt::format(", p_limit => 2, p_before => '{}'", last)), "ext_2 ext_1");
    EXPECT_EQ(
        sql.error(fmt::format("select jobforge.list_price_points('{}', p_limit => 0)", intake)),
        "VALIDATION_ERROR");
}

TEST_F(Prices, an_intake_has_one_valuation_the_last_one) {
    EXPECT_EQ(sql.error(fmt::format("select * from jobforge.get_valuation('{}')", intake)),
              "NOT_FOUND");
    sql.run(PriceWorld::valuation_call(intake));
    sql.run(
        fmt::format("select jobforge.store_valuation('{}', '{{\"comparables\": 0, "
                    "\"outliers\": 2, \"confidence\": 1, \"explanation\": {{\"a\": 1}}}}')",
                    intake));
    EXPECT_EQ(
        sql.rows(fmt::format("select currency, comparables, outliers, p50, mean_cents, confidence, "
                             "explanation from jobforge.get_valuation('{}')",
                             intake)),
        (std::vector<TextRow>{{"NULL", "0", "2", "NULL", "NULL", "1", R"({"a": 1})"}}));
    EXPECT_EQ(sql.one("select count(*) from jobforge.valuations"), "1");
}

TEST_F(Prices, a_valuation_that_contradicts_itself_is_refused) {
    const std::string good =
        R"({"currency": "USD", "comparables": 3, "outliers": 0, "p10": 1, "p20": 2, "p40": 3, "p50": 4, "p60": 5, "p80": 6, "p90": 7, "mean_cents": 4, "confidence": 3, "explanation": {}})";
    for (const char* bad :
         {R"({"confidence": 0})", R"({"confidence": 11})", R"({"comparables": 0})",
          R"({"comparables": -1})", R"({"outliers": -1})", R"({"p50": null})", R"({"p90": 3})",
          R"({"p10": -1})", R"({"currency": "dollars"})", R"({"currency": null})",
          R"({"mean_cents": 4.5})", R"({"explanation": []})", R"({"explanation": null})",
          R"({"p55": 4})"}) {
        EXPECT_EQ(sql.error(fmt::format("select jobforge.store_valuation('{}', '{}'::jsonb || "
                                        "'{}'::jsonb)",
                                        intake, good, bad)),
                  "VALIDATION_ERROR")
            << bad;
    }
    EXPECT_EQ(sql.error(fmt::format("select jobforge.store_valuation('{}', '{}')", intake, good)),
              "ok")
        << sql.message();
}

}  // namespace
}  // namespace jobforge::test
