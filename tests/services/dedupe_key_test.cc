// Published vectors, computed outside of this program:
//
//     python3 -c "import hashlib,sys; print('hash_' + hashlib.sha256(sys.argv[1].encode())
//         .hexdigest()[:16])" 'https://shop.example/i/1|1909-s vdb cent|1999|2026-03-01|sold'
#include <gtest/gtest.h>

#include "base/text/time_text.h"
#include "prices/dedupe_key.h"

namespace jobforge::services {
namespace {

Observation listing() {
    Observation out;
    out.url = "https://shop.example/i/1";
    out.title = "1909-S VDB Cent";
    out.price_cents = 1999;
    out.currency = "USD";
    out.price_type = PriceType::sold;
    out.observed_us = parse_time("2026-03-01T12:00:00Z").value();
    return out;
}

TEST(DedupeKey, AnIdOfTheSourceIsTheKeyAsItIs) {
    Observation one = listing();
    one.external_id = "v1|1234567890|0";
    EXPECT_EQ(dedupe_key(one), "ext_v1|1234567890|0");
    one.title = "another title";
    one.price_cents = 5;
    EXPECT_EQ(dedupe_key(one), "ext_v1|1234567890|0");
}

TEST(DedupeKey, PublishedVectors) {
    struct Vector {
        const char *url, *title;
        std::int64_t cents;
        const char* observed_at;  // "" for unknown
        PriceType type;
        const char *text, *key;
    };
    const Vector vectors[] = {
        {"https://shop.example/i/1", "1909-S VDB Cent", 1999, "2026-03-01T12:00:00Z",
         PriceType::sold, "https://shop.example/i/1|1909-s vdb cent|1999|2026-03-01|sold",
         "hash_928382b034292788"},
        {"HTTPS://Shop.Example/I/1?ref=1#x", "  1909-S  VDB\tCENT ", 1999,
         "2026-03-01T23:59:59.999999Z", PriceType::sold,
         "https://shop.example/i/1|1909-s vdb cent|1999|2026-03-01|sold", "hash_928382b034292788"},
        {"https://shop.example/i/1", "1909-S VDB Cent", 1999, "2026-03-01T23:30:00-05:00",
         PriceType::sold, "https://shop.example/i/1|1909-s vdb cent|1999|2026-03-02|sold",
         "hash_b14f39182b40139e"},
        {"https://shop.example/i/1", "1909-S VDB Cent", 1999, "", PriceType::ask,
         "https://shop.example/i/1|1909-s vdb cent|1999|unknown|ask", "hash_c831dba9dee02f0b"},
        {"", "1 Kreuzer ÖSTERREICH Ünicode", 5, "2025-12-31T23:59:59Z", PriceType::bid,
         "|1 kreuzer österreich ünicode|5|2025-12-31|bid", "hash_14aef7e450af7039"},
        {"", "", 0, "", PriceType::ask, "||0|unknown|ask", "hash_3dd098b57b932e83"},
        {"https://монеты.example/МОНЕТА", "ΔΡΑΧΜΗ 1874", 123456789, "1999-01-01T00:00:00Z",
         PriceType::sold, "https://монеты.example/монета|δραχμη 1874|123456789|1999-01-01|sold",
         "hash_9adcc634cbd982a0"},
    };
    for (const Vector& vector : vectors) {
        Observation one = listing();
        one.url = vector.url;
        one.title = vector.title;
        one.price_cents = vector.cents;
        one.price_type = vector.type;
        one.observed_us.reset();
        if (*vector.observed_at != '\0') {
            one.observed_us = parse_time(vector.observed_at).value();
        }
        EXPECT_EQ(dedupe_text(one), vector.text);
        EXPECT_EQ(dedupe_key(one), vector.key) << vector.text;
    }
}

TEST(DedupeKey, WhatAListingIsNotToldApartBy) {
    const std::string key = dedupe_key(listing());
    const auto with = [](auto change) {
        Observation one = listing();
        change(one);
        return dedupe_key(one);
    };
    EXPECT_EQ(with([](auto& o) { o.url += "?utm_source=mail#top"; }), key);
    EXPECT_EQ(with([](auto& o) { o.url += "#a?b"; }), key);
    EXPECT_EQ(with([](auto& o) { o.url = "  HTTPS://Shop.Example/I/1 "; }), key);
    EXPECT_EQ(with([](auto& o) { o.title = "  1909-s \u00a0 vdb\tCENT "; }), key);
    EXPECT_EQ(with([](auto& o) { o.observed_us = *o.observed_us + 3'600'000'000; }), key);
    EXPECT_EQ(with([](auto& o) { o.raw = Json::object({{"views", 7}}); }), key);
    EXPECT_EQ(with([](auto& o) { o.currency = "EUR"; }), key);  // not among the five
    EXPECT_NE(with([](auto& o) { o.url += "/2"; }), key);
    EXPECT_NE(with([](auto& o) { o.title += "s"; }), key);
    EXPECT_NE(with([](auto& o) { o.price_cents += 1; }), key);
    EXPECT_NE(with([](auto& o) { o.observed_us = *o.observed_us + 86'400'000'000; }), key);
    EXPECT_NE(with([](auto& o) { o.observed_us.reset(); }), key);
    EXPECT_NE(with([](auto& o) { o.price_type = PriceType::ask; }), key);
}

TEST(Observation, SurvivesTheWayThroughJson) {
    Observation one = listing();
    EXPECT_EQ(observation_from_json(to_json(one)).value(), one);
    one.external_id = "x";
    one.raw = Json::object({{"price", Json::number("19.990").value()}});
    one.observed_us.reset();
    EXPECT_EQ(observation_from_json(Json::parse(to_json(one).dump()).value()).value(), one);
    Json bad = to_json(one);
    bad.set("price_cents", -1);
    EXPECT_FALSE(observation_from_json(bad).ok());
    bad = to_json(one);
    bad.set("intake_id", "x");  // an observation is nobody's
    EXPECT_FALSE(observation_from_json(bad).ok());
}

}  // namespace
}  // namespace jobforge::services
