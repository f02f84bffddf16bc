// Valuations against arithmetic done outside of this program: by hand in the comments here, and by
// valuation_reference.py (fractions, from the description) in valuation_cases.json.
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "prices/match_strength.h"
#include "prices/valuation.h"
#include "test_paths.h"

namespace jobforge::services {
namespace {

constexpr std::int64_t kReputationOne = 1'000'000;

struct Listing {
    std::int64_t cents;
    bool sold = true;
    std::int64_t match = kFullMatch;
    std::int64_t reputation = kReputationOne;
};

std::vector<PricePoint> points(std::initializer_list<Listing> listings) {
    std::vector<PricePoint> out;
    for (const Listing& one : listings) {
        out.push_back({one.cents, "USD", one.sold, one.match, one.reputation});
    }
    return out;
}

std::vector<PricePoint> prices(std::initializer_list<std::int64_t> cents) {
    std::vector<PricePoint> out;
    for (const std::int64_t one : cents) {
        out.push_back({one, "USD", true, kFullMatch, kReputationOne});
    }
    return out;
}

// "comparables outliers | p10 p20 p40 p50 p60 p80 p90 | mean".
std::string numbers(const Valuation& v) {
    return fmt::format("{} {} | {} | {}", v.comparables, v.outliers, fmt::join(v.percentiles, " "),
                       v.mean_cents);
}

int points_of(const Confidence& confidence, std::string_view name) {
    for (const ConfidencePart& part : confidence.parts) {
        if (part.name == name) {
            return part.points;
        }
    }
    return -100;
}

TEST(Valuation, OutliersPercentilesAndMeanByHand) {
    // Sorted 1000 1100 1200 1300 1400 1500 1600 9900, n = 8: q1 = s[2] = 1200, q3 = s[6] = 1600,
    // iqr = 400, fence [1200 - 600, 1600 + 600] = [600, 2200]: 9900 is out. Of the 7 others
    // percentile p is s[floor(p * 6 / 100)]: 10 -> s[0], 20 -> s[1] (1.2), 40 -> s[2] (2.4),
    // 50 -> s[3], 60 -> s[3] (3.6), 80 -> s[4] (4.8), 90 -> s[5] (5.4).
    // Mean 9100 / 7 = 1300.
    EXPECT_EQ(numbers(valuation_of(prices({1600, 9900, 1000, 1400, 1200, 1300, 1100, 1500}), 0)),
              "7 1 | 1000 1100 1200 1300 1300 1400 1500 | 1300");
}

TEST(Valuation, FromFourPricesOnAndWithTheFenceItselfInside) {
    // Three prices: no outliers, whatever they are. Mean (1 + 2 + 1000000) / 3 = 333334.33.
    EXPECT_EQ(numbers(valuation_of(prices({1, 2, 1'000'000}), 0)), "3 0 | 1 1 1 2 2 2 2 | 333334");
    // Four: q1 = s[1] = 100, q3 = s[3] = 200, iqr = 100, fence [-50, 350]: all in.
    EXPECT_EQ(valuation_of(prices({10, 100, 110, 200}), 0).outliers, 0);
    // Five: q1 = s[1] = 100, q3 = s[3] = 200: 350 is on the fence and stays, 351 goes.
    EXPECT_EQ(valuation_of(prices({100, 100, 150, 200, 350}), 0).outliers, 0);
    EXPECT_EQ(valuation_of(prices({100, 100, 150, 200, 351}), 0).outliers, 1);
    // Half cents: q1 = 100, q3 = 101, iqr = 1, fence [98.5, 102.5]: 99 and 102 in, 98 and 103 out.
    EXPECT_EQ(valuation_of(prices({99, 100, 100, 101, 101}), 0).outliers, 0);
    EXPECT_EQ(valuation_of(prices({98, 100, 100, 101, 101}), 0).outliers, 1);
    EXPECT_EQ(valuation_of(prices({100, 100, 101, 101, 103}), 0).outliers, 1);
    EXPECT_EQ(valuation_of(prices({100, 100, 101, 101, 102}), 0).outliers, 0);
    // All the same: iqr = 0, and nothing but that price is in.
    EXPECT_EQ(valuation_of(prices({5, 5, 5, 5, 5, 5, 6, 4}), 0).outliers, 2);
}

TEST(Valuation, HalfACentOfTheMeanGoesToTheEvenNeighbour) {
    EXPECT_EQ(valuation_of(prices({1, 2}), 0).mean_cents, 2);  // 1.5
    EXPECT_EQ(valuation_of(prices({2, 3}), 0).mean_cents, 2);  // 2.5
    EXPECT_EQ(valuation_of(prices({1, 1, 2}), 0).mean_cents, 1);
    EXPECT_EQ(valuation_of(prices({1, 2, 2}), 0).mean_cents, 2);
}

TEST(Valuation, CurrenciesAreNeverMixed) {
    std::vector<PricePoint> mixed = prices({100, 200, 300});
    mixed.push_back({1, "EUR", true, kFullMatch, kReputationOne});
    mixed.push_back({2, "CHF", true, kFullMatch, kReputationOne});
    const Valuation v = valuation_of(mixed, 0);
    EXPECT_EQ(v.currency, "USD");
    EXPECT_EQ(numbers(v), "3 0 | 100 100 100 200 200 200 200 | 200");
    EXPECT_EQ(v.to_json().find("explanation")->find("other_currencies")->dump(),
              R"({"CHF":1,"EUR":1})");
    mixed.push_back({3, "EUR", true, kFullMatch, kReputationOne});
    mixed.push_back({4, "EUR", true, kFullMatch, kReputationOne});
    EXPECT_EQ(valuation_of(mixed, 0).currency, "EUR");  // 3 of each: the first by name
}

TEST(Valuation, NothingSeenIsAValuationWithoutNumbers) {
    const Json none = valuation_of({}, 2).to_json();
    EXPECT_EQ(none.find("comparables")->dump(), "0");
    EXPECT_TRUE(none.find("p50")->is_null());
    EXPECT_TRUE(none.find("mean_cents")->is_null());
    EXPECT_TRUE(none.find("currency")->is_null());
    EXPECT_EQ(none.find("confidence")->dump(), "1");
}

TEST(Confidence, EachPartByHand) {
    // 5 prices of 1000: comparables 1, match floor(2 * 1) = 2, reputation floor(1) = 1, sold share
    // 1 -> 2, spread 0 / 1000 -> 3, no flags: 9.
    const auto five = points({{1000}, {1000}, {1000}, {1000}, {1000}});
    EXPECT_EQ(valuation_of(five, 0).confidence.score, 9);
    EXPECT_EQ(valuation_of(five, 2).confidence.score, 7);
    EXPECT_EQ(valuation_of(five, 5).confidence.score, 6);  // at most 3 flags count
    // 20 of them: 3 + 2 + 1 + 2 + 3 = 11, clamped to 10.
    EXPECT_EQ(valuation_of(std::vector<PricePoint>(20, five.front()), 0).confidence.score, 10);
    // Nobody paid: 3 + 2 + 1 + 0 + 3 = 9, at most 7; with 3 flags 6.
    std::vector<PricePoint> asked(20, five.front());
    for (PricePoint& point : asked) {
        point.sold = false;
    }
    EXPECT_EQ(valuation_of(asked, 0).confidence.score, 7);
    EXPECT_EQ(valuation_of(asked, 3).confidence.score, 6);
    // One asked price that matches nothing: 0 + 0 + 0 + 0 + 3 - 3 = 0, clamped to 1.
    EXPECT_EQ(valuation_of(points({{1000, false, 0}}), 3).confidence.score, 1);
}

TEST(Confidence, ThresholdsAreExact) {
    // Mean match of exactly one half: (0.33333 + 0.66667) / 2 -> floor(2 * 0.5) = 1. One part in a
    // hundred thousand less -> 0.
    const auto match = [](std::int64_t a, std::int64_t b) {
        return points_of(valuation_of(points({{1, true, a}, {1, true, b}}), 0).confidence, "match");
    };
    EXPECT_EQ(match(33'333, 66'667), 1);
    EXPECT_EQ(match(33'333, 66'666), 0);
    EXPECT_EQ(match(100'000, 99'999), 1);
    EXPECT_EQ(match(100'000, 100'000), 2);
    // Reputation counts by match: the source of 0.5 does not count where its title matches nothing.
    const auto reputation = [](Listing a, Listing b) {
        return points_of(valuation_of(points({a, b}), 0).confidence, "reputation");
    };
    EXPECT_EQ(reputation({1, true, 100'000, 1'000'000}, {1, true, 0, 500'000}), 1);
    EXPECT_EQ(reputation({1, true, 100'000, 1'000'000}, {1, true, 1, 500'000}), 0);
    EXPECT_EQ(reputation({1, true, 0, 1'000'000}, {1, true, 0, 1'000'000}), 0);
    // Sold: 4 of 5 is 0.8; 1 of 2 is 0.5; 3 of 4 is 0.75.
    const auto sold = [](int paid, int all) {
        std::vector<PricePoint> some;
        for (int i = 0; i < all; ++i) {
            some.push_back({1000, "USD", i < paid, kFullMatch, kReputationOne});
        }
        return points_of(valuation_of(some, 0).confidence, "sold_share");
    };
    EXPECT_EQ(sold(4, 5), 2);
    EXPECT_EQ(sold(3, 4), 1);
    EXPECT_EQ(sold(1, 2), 1);
    EXPECT_EQ(sold(1, 3), 0);
    // Spread of a, 1000, b (p10 = a, p50 = p90 = 1000, since floor(0.9 * 2) = 1): (1000 - a) /
    // 1000.
    const auto spread = [](std::int64_t a) {
        return points_of(valuation_of(prices({a, 1000, 1000}), 0).confidence, "spread");
    };
    EXPECT_EQ(spread(801), 3);  // 0.199
    EXPECT_EQ(spread(800), 2);  // 0.2
    EXPECT_EQ(spread(601), 2);
    EXPECT_EQ(spread(600), 1);  // 0.4
    EXPECT_EQ(spread(401), 1);
    EXPECT_EQ(spread(400), 0);  // 0.6
    EXPECT_EQ(points_of(valuation_of(prices({0, 0, 0}), 0).confidence, "spread"),
              0);  // a median of 0
}

TEST(Confidence, TheExplanationAddsUpToTheScore) {
    for (int flags = 0; flags <= 5; ++flags) {
        for (const bool sold : {true, false}) {
            for (const std::size_t count : {1U, 4U, 5U, 10U, 20U}) {
                const auto v = valuation_of(
                    std::vector<PricePoint>(count, {7, "USD", sold, kFullMatch, kReputationOne}),
                    flags);
                int sum = 0;
                for (const ConfidencePart& part : v.confidence.parts) {
                    sum += part.points;
                    EXPECT_FALSE(part.reason.empty());
                }
                EXPECT_EQ(sum, v.confidence.score);
            }
        }
    }
}

Json cases() {
    std::ifstream file(JOBFORGE_SOURCE_DIR "/tests/services/valuation_cases.json");
    std::stringstream text;
    text << file.rdbuf();
    return Json::parse(text.str()).value();
}

// A row as jobforge.store_price_points answers it.
Json row_of(const Json& point) {
    const Json::Array& p = *point.as_array();
    return Json::object({{"price_cents", p.at(0)},
                         {"currency", p.at(1)},
                         {"price_type", p.at(2)},
                         {"match_strength", Json::number(*p.at(3).as_string()).value()},
                         {"reputation_weight", Json::number(*p.at(4).as_string()).value()}});
}

TEST(Valuation, AgreesWithTheReferenceInAllCases) {
    const Json all = cases();
    ASSERT_EQ(all.as_array()->size(), 200U);
    for (const Json& one : *all.as_array()) {
        std::vector<PricePoint> seen;
        for (const Json& point : *one.find("points")->as_array()) {
            seen.push_back(PricePoint::from_json(row_of(point)).value());
        }
        const auto flags = static_cast<int>(one.find("flags")->as_int64().value());
        const Json made = valuation_of(seen, flags).to_json();
        for (const auto& [member, expected] : *one.find("expected")->as_object()) {
            EXPECT_EQ(made.find(member)->dump(), expected.dump()) << member << " of " << one.dump();
        }
    }
}

TEST(Valuation, PointsThatCannotBeAreRefused) {
    const Json good = Json::parse(R"({"price_cents":1,"currency":"USD","price_type":"ask",
        "match_strength":0.5,"reputation_weight":1})")
                          .value();
    EXPECT_TRUE(PricePoint::from_json(good).ok());
    for (const char* bad : {R"({"match_strength":1.00001})", R"({"match_strength":-0.1})",
                            R"({"match_strength":"1"})", R"({"reputation_weight":null})",
                            R"({"price_cents":-1})", R"({"price_cents":1.5})"}) {
        Json row = good;
        const Json change = Json::parse(bad).value();
        row.set(change.as_object()->front().first, change.as_object()->front().second);
        EXPECT_FALSE(PricePoint::from_json(row).ok()) << bad;
    }
}

}  // namespace
}  // namespace jobforge::services
