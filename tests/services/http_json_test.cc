// The adapter http_json without its sockets: what its config may say, which addresses it makes, and
// what it makes of answers, right and wrong.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text/time_text.h"
#include "services/prices/cache_key.h"
#include "services/prices/collection.h"
#include "services/prices/http_json_map.h"
#include "services/prices/manual_prices.h"
#include "services/prices/price_points.h"
#include "services/prices/source_url.h"

namespace jobforge::services {
namespace {

Json json(std::string_view text) {
    return Json::parse(text).value();
}

Json config_json() {
    return json(R"({"path":"/search?q={query}","items":"/results","currency":"USD","next":"/next",
        "max_pages":3,"price_types":{"SOLD":"sold","BUY_NOW":"ask"},
        "fields":{"title":"/title","price":"/price/amount","currency":"/price/currency",
                  "price_type":"/kind","external_id":"/id","url":"/link","observed_at":"/at"}})");
}

HttpJsonConfig config() {
    return HttpJsonConfig::from_json(config_json()).value();
}

// One listing, "title|cents|currency|type|id|url|time", or why it is skipped.
std::string mapped(const Json& item, const HttpJsonConfig& how) {
    const auto one = map_item(how, item);
    if (!one.ok()) {
        return one.error().message;
    }
    return fmt::format("{}|{}|{}|{}|{}|{}|{}", one->title, one->price_cents, one->currency,
                       to_string(one->price_type), one->external_id, one->url,
                       one->observed_us ? format_time(*one->observed_us) : "-");
}

TEST(JsonPointer, FindsPlacesAsRfc6901Says) {
    const Json document =
        json(R"({"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"m~n":8,"o":{"00":9}})");
    const auto at = [&document](std::string_view text) {
        const Json* const value = JsonPointer::parse(text).value().find(document);
        return value == nullptr ? std::string("none") : value->dump();
    };
    EXPECT_EQ(at(""), document.dump());
    EXPECT_EQ(at("/foo/0"), "\"bar\"");
    EXPECT_EQ(at("/"), "0");
    EXPECT_EQ(at("/a~1b"), "1");
    EXPECT_EQ(at("/c%d"), "2");
    EXPECT_EQ(at("/m~0n"), "8");
    EXPECT_EQ(at("/o/00"), "9");
    for (const char* nowhere : {"/foo/2", "/foo/00", "/foo/01", "/foo/-", "/foo/-1", "/foo/ 1",
                                "/foo/18446744073709551616", "/foo/0/x", "/Foo", "/o/0", "/foo/"}) {
        EXPECT_EQ(at(nowhere), "none") << nowhere;
    }
    for (const char* bad : {"foo", "#/foo", "/~", "/~2", "/a~", " /a"}) {
        EXPECT_FALSE(JsonPointer::parse(bad).ok()) << bad;
    }
}

TEST(HttpJsonConfig, AMisspeltOrImpossibleSettingIsRefusedByName) {
    EXPECT_TRUE(HttpJsonConfig::from_json(config_json()).ok());
    struct Case {
        const char *member, *value, *message;
    };
    for (const auto& [member, value, message] :
         {Case{"pth", "\"/x\"", "\"pth\" is not a setting"},
          {"items", "\"results\"", "\"items\" must be a JSON pointer"},
          {"items", "null", "\"items\" must be a JSON pointer"},
          {"fields", "{}", "\"fields.title\" must be a JSON pointer"},
          {"fields", R"({"title":"/t"})", "\"fields.price\" must be a JSON pointer"},
          {"fields", R"({"title":"/t","price":"/p","prise":"/q"})",
           "\"fields.prise\" is not a setting"},
          {"fields", "[]", "fields must be an object"},
          {"currency", "\"usd\"", "\"currency\" must be three capital letters"},
          {"decimal_mark", "\";\"", "\"decimal_mark\" must be \".\" or \",\""},
          {"price_in", "\"pennies\"", "\"price_in\" must be units or cents"},
          {"time_in", "\"days\"", "\"time_in\" must be seconds or milliseconds"},
          {"price_type", "\"SOLD\"", "\"price_type\" must be sold, ask or bid"},
          {"price_types", R"({"X":"gone"})",
           "\"price_types\" must be an object whose values are sold, ask or bid"},
          {"max_pages", "0", "\"max_pages\" must be a whole number from 1 to 50"},
          {"max_pages", "51", "\"max_pages\" must be a whole number from 1 to 50"},
          {"next", "null", "\"max_pages\" must be 1, or \"next\" must say where the next page is"},
          {"timeout_ms", "0", "\"timeout_ms\" must be a whole number from 1 to 120000"},
          {"max_response_bytes", "99999999",
           "\"max_response_bytes\" must be a whole number from 1 to 10485760"},
          {"least_match", "1.1", "\"least_match\" must be a number from 0 to 1"},
          {"headers", R"({"Authorization":"Bearer x"})",
           "\"headers\" must be without Authorization: name a secret in \"auth\""},
          {"headers", R"({"X-Key":7})", "\"headers\" must be an object of texts"},
          {"path", "\"search\"", "\"path\" must begin with / or ?"},
          {"path", "\"/x{y}\"", "\"path\" has no placeholder {y}"},
          {"path", "\"/x{grade}\"", "\"path\" has no placeholder {grade}"},
          {"path", "\"/x{query\"", "\"path\" has a brace without its partner"},
          {"path", "\"/x}\"", "\"path\" has a brace without its partner"}}) {
        Json changed = config_json();
        changed.set(member, json(value));
        const auto read = HttpJsonConfig::from_json(changed);
        ASSERT_FALSE(read.ok()) << member << " " << value;
        EXPECT_EQ(read.error().message, message);
    }
}

TEST(HttpJsonMap, TakesAListingAsTheConfigSays) {
    EXPECT_EQ(
        mapped(json(R"({"id":17,"title":" A cent ","link":"https://x.example/17","kind":"SOLD",
            "price":{"amount":"19.99","currency":"EUR"},"at":"2026-03-01T23:30:00-05:00"})"),
               config()),
        "A cent|1999|EUR|sold|17|https://x.example/17|2026-03-02T04:30:00.000000Z");
    EXPECT_EQ(mapped(json(R"({"title":"A cent","price":{"amount":19.99}})"), config()),
              "A cent|1999|USD|ask|||-");
    EXPECT_EQ(mapped(json(R"({"title":"A","price":{"amount":"$5"},"kind":"bid","at":"2026-03-01",
            "id":null,"link":null})"),
                     config()),
              "A|500|USD|bid|||2026-03-01T00:00:00.000000Z");
    EXPECT_EQ(mapped(json(R"({"title":"A","price":{"amount":1},"at":1772409600})"), config()),
              "A|100|USD|ask|||2026-03-02T00:00:00.000000Z");
}

TEST(HttpJsonMap, AListingThatLacksSomethingOrHoldsNonsenseIsSkippedWithAReason) {
    struct Case {
        const char *item, *reason;
    };
    for (const auto& [item, reason] :
         {Case{R"({"price":{"amount":1}})", "title: missing"},
          {R"({"title":null,"price":{"amount":1}})", "title: missing"},
          {R"({"title":"  ","price":{"amount":1}})", "title: missing"},
          {R"({"title":7,"price":{"amount":1}})", "title: no text"},
          {R"({"title":"A"})", "price: missing"},
          {R"({"title":"A","price":19.99})", "price: missing"},
          {R"({"title":"A","price":{"amount":"19.999"}})", "price: it has a fraction of a cent"},
          {R"({"title":"A","price":{"amount":-1}})", "price: it is negative"},
          {R"({"title":"A","price":{"amount":"call us"}})", "price: it must look like 1234.56"},
          {R"({"title":"A","price":{"amount":[1]}})", "price: it is neither a number nor a text"},
          {R"({"title":"A","price":{"amount":1e300}})", "price: its exponent is too large"},
          {R"({"title":"A","price":{"amount":"1 EUR"}})", "price: it is not in USD"},
          {R"({"title":"A","price":{"amount":1,"currency":"usd"}})",
           "currency: not three capital letters"},
          {R"({"title":"A","price":{"amount":1,"currency":840}})",
           "currency: not three capital letters"},
          {R"({"title":"A","price":{"amount":1},"kind":"RENTED"})", "price_type: unknown"},
          {R"({"title":"A","price":{"amount":1},"kind":{}})", "price_type: no text"},
          {R"({"title":"A","price":{"amount":1},"at":"yesterday"})", "observed_at: no time"},
          {R"({"title":"A","price":{"amount":1},"at":"2026-02-30"})", "observed_at: no time"},
          {R"({"title":"A","price":{"amount":1},"at":-5})", "observed_at: no time"},
          {R"({"title":"A","price":{"amount":1},"at":9223372036854775807})",
           "observed_at: no time"},
          {R"({"title":"A","price":{"amount":1},"at":true})", "observed_at: no time"},
          {R"({"title":"A","price":{"amount":1},"link":"javascript:alert"})",
           "url: no http address"},
          {R"({"title":"A","price":{"amount":1},"link":{"a":1}})", "url: no text"},
          {R"({"title":"A","price":{"amount":1},"id":["x"]})", "external_id: no text"},
          {R"("A cent for 5")", "listing: no object"},
          {"null", "listing: no object"}}) {
        EXPECT_EQ(mapped(json(item), config()), reason) << item;
    }
    Json item = json(R"({"title":"A","price":{"amount":1}})");
    item.set("title", std::string(1001, 'x'));
    EXPECT_EQ(mapped(item, config()), "title: too long");
    item.set("title", "A");
    item.set("id", std::string(201, 'x'));
    EXPECT_EQ(mapped(item, config()), "external_id: too long");
    Json no_currency = config_json();
    no_currency.set("currency", Json());
    const auto how = HttpJsonConfig::from_json(no_currency).value();
    EXPECT_EQ(mapped(json(R"({"title":"A","price":{"amount":1}})"), how), "currency: missing");
    EXPECT_EQ(mapped(json(R"({"title":"A","price":{"amount":"£1"}})"), how), "A|100|GBP|ask|||-");
}

TEST(HttpJsonMap, CountsWhatItSkipsAndKeepsTheRest) {
    const auto page = map_answer(config(), R"({"results":[{"title":"A","price":{"amount":1}},
        {"title":"B"},{"price":{}},{"title":"C"},7],"next":"/search?page=2"})")
                          .value();
    EXPECT_EQ(page.items, 5);
    EXPECT_EQ(page.observations.size(), 1U);
    EXPECT_EQ(to_json(page.skipped).dump(),
              R"({"listing: no object":1,"price: missing":2,"title: missing":1})");
    EXPECT_EQ(page.next, "/search?page=2");
    for (const char* last :
         {R"({"results":[]})", R"({"results":[],"next":null})", R"({"results":[],"next":""})"}) {
        EXPECT_EQ(map_answer(config(), last).value().next, "") << last;
    }
}

TEST(HttpJsonMap, AnAnswerThatIsNotWhatTheConfigDescribesIsAnError) {
    std::string many = R"({"results":[0)";
    for (int i = 0; i < 1000; ++i) {
        many += ",0";
    }
    for (const std::string& body :
         {std::string(), std::string("<html>Sorry!</html>"), std::string("{}"), std::string("null"),
          std::string(R"({"results":{}})"), std::string(R"({"results":null})"),
          std::string(R"({"results":[]} trailing)"), std::string(R"({"results":[],"results":[]})"),
          std::string(R"({"results":[],"next":5})"), std::string("\xff\xfe"),
          std::string(100'000, '['), many + "]}"}) {
        const auto page = map_answer(config(), body);
        ASSERT_FALSE(page.ok()) << body.substr(0, 60);
        EXPECT_EQ(page.error().code, ErrorCode::VALIDATION_ERROR);
        EXPECT_FALSE(page.error().retryable);
        EXPECT_LT(page.error().message.size(), 300U);
    }
}

TEST(SourceUrl, ValuesOfTheIntakeCannotLeaveTheirPlace) {
    Intake intake;
    intake.year = 1909;
    intake.mintmark = "S";
    intake.denomination = "cent";
    intake.title = "a/../b?x=1&y=2#z %41\n\"é";
    intake.keywords_include = {"VDB", "wheat ear"};
    const auto origin = SourceOrigin::make("https://api.example/v1/", "").value();
    const Query query = Query::of(intake);
    EXPECT_EQ(origin.first_page("/search?q={title}&k={keywords}&s={series}", query).value(),
              "https://api.example:443/v1/search?q=a%2F..%2Fb%3Fx%3D1%26y%3D2%23z%20%2541%0A%22"
              "%C3%A9&k=VDB%20wheat%20ear&s=");
    EXPECT_EQ(origin.first_page("?y={year}{mintmark}", query).value(),
              "https://api.example:443/v1?y=1909S");
    EXPECT_EQ(origin.first_page("", query).value(), "https://api.example:443/v1");
    EXPECT_EQ(query.text(), "1909 S cent a/../b?x=1&y=2#z %41 \"é VDB wheat ear");
    intake.title = "..";
    EXPECT_FALSE(origin.first_page("/coins/{title}/x", Query::of(intake)).ok());
    EXPECT_FALSE(SourceOrigin::make("https://api.example/v1?key=1", "").ok());
    EXPECT_FALSE(SourceOrigin::make("ftp://api.example/v1", "").ok());
}

TEST(SourceUrl, AnAnswerDoesNotChooseWhomWeTalkTo) {
    const auto origin = SourceOrigin::make("https://api.example/v1", "/v1/coins/").value();
    const std::string here = "https://api.example:443/v1/coins/list?page=1";
    EXPECT_EQ(origin.next_page(here, "?page=2").value(),
              "https://api.example:443/v1/coins/list?page=2");
    EXPECT_EQ(origin.next_page(here, "/v1/coins/more").value(),
              "https://api.example:443/v1/coins/more");
    EXPECT_EQ(origin.next_page(here, "https://API.example/v1/coins?page=2").value(),
              "https://api.example:443/v1/coins?page=2");
    for (const char* elsewhere :
         {"https://evil.example/v1/coins", "http://api.example/v1/coins",
          "https://api.example:8443/v1/coins", "//evil.example/v1/coins",
          "https://api.example@evil.example/v1/coins",
          "https://api.example\\@evil.example/v1/coins", "/v1/coinsecret", "/v1", "/v2/coins",
          "/v1/coins/../../admin", "/v1/coins/%2e%2E/admin", "/v1/coins/..%2fadmin",
          "/v1/coins/..%5Cadmin", "/v1/coins/./x", "page2", "javascript:1",
          "https://169.254.169.254/latest/meta-data", "\n", " /v1/coins/x"}) {
        const auto next = origin.next_page(here, elsewhere);
        ASSERT_FALSE(next.ok()) << elsewhere << " gave " << *next;
        EXPECT_EQ(next.error().code, ErrorCode::SSRF_BLOCKED);
    }
}

TEST(ManualPrices, APersonsMistakeIsToldAndItsPlace) {
    const auto prices = manual_prices(json(R"([{"title":"A","price":"19.99","currency":"USD"},
        {"title":"B","price":20,"currency":"EUR","price_type":"sold","observed_at":"2026-03-01",
         "url":"https://x.example/1","external_id":"7"}])"));
    ASSERT_TRUE(prices.ok()) << prices.error().message;
    EXPECT_EQ(prices->at(0).price_cents, 1999);
    EXPECT_EQ(prices->at(1).price_type, PriceType::sold);
    struct Case {
        const char *list, *message;
    };
    for (const auto& [list, message] :
         {Case{R"([{"title":"A","price":"1","currency":"USD"},{"title":"B","price":"1.005",
                "currency":"USD"}])",
               "prices[1]: price: it has a fraction of a cent"},
          {R"([{"title":"A","price":"1"}])", "prices[0]: currency: missing"},
          {R"([{"title":"A","price":"1","currency":"USD","type":"sold"}])",
           "prices[0]: \"price.type\" is not a setting"},
          {R"([7])", "prices[0]: price must be an object"},
          {R"({})", "\"prices\" must be a list of at most 1000"}}) {
        const auto read = manual_prices(json(list));
        ASSERT_FALSE(read.ok()) << list;
        EXPECT_EQ(read.error().message, message);
    }
    EXPECT_TRUE(ManualConfig::from_json(json("{}")).ok());
    EXPECT_FALSE(ManualConfig::from_json(json(R"({"price":[]})")).ok());
}

TEST(Collection, ComesBackEqualAndOnlyForItsOwnQuestion) {
    Collection one;
    one.next = "https://api.example:443/v1?page=2";
    one.pages = 1;
    one.items = 3;
    one.skipped = {{"title: missing", 2}};
    one.observations = {map_item(config(), json(R"({"title":"A","price":{"amount":1}})")).value()};
    const Json kept = json(one.to_json("question").dump());
    const auto back = Collection::from_json(kept, "question").value();
    EXPECT_EQ(back.next, one.next);
    EXPECT_EQ(back.pages, 1);
    EXPECT_EQ(back.items, 3);
    EXPECT_EQ(back.skipped, one.skipped);
    EXPECT_EQ(back.observations, one.observations);
    EXPECT_FALSE(Collection::from_json(kept, "another question").ok());
    EXPECT_FALSE(Collection::from_json(Json(), "question").ok());
    Json damaged = kept;
    damaged.set("observations", json(R"([{"title":"A"}])"));
    EXPECT_FALSE(Collection::from_json(damaged, "question").ok());
}

TEST(CacheKey, EveryPartOfTheQuestionMakesAnotherKeyAndTheRestOfTheIntakeDoesNot) {
    const Uuid tenant = Uuid::parse("aaaaaaaa-0000-4000-8000-000000000001").value();
    const Uuid source = Uuid::parse("bbbbbbbb-0000-4000-8000-000000000001").value();
    const Json how = json(R"(["https://api.example","",{}])");
    Intake intake;
    intake.year = 1909;
    intake.title = "a";
    intake.series = "b";
    const auto key = [&](const Intake& of) {
        return cache_key(tenant, source, how, Query::of(of));
    };
    const std::string first = key(intake);
    const auto changed = [&](auto change) {
        Intake other = intake;
        change(other);
        return key(other);
    };
    EXPECT_EQ(changed([](Intake& i) { i.grade = "MS65"; }), first);
    EXPECT_EQ(changed([](Intake& i) { i.cleaned = true; }), first);
    EXPECT_EQ(changed([](Intake& i) { i.keywords_exclude = {"x"}; }), first);
    EXPECT_NE(changed([](Intake& i) { i.year = 1910; }), first);
    EXPECT_NE(changed([](Intake& i) { i.year.reset(); }), first);
    EXPECT_NE(changed([](Intake& i) { i.mintmark = "S"; }), first);
    EXPECT_NE(changed([](Intake& i) { i.denomination = "cent"; }), first);
    EXPECT_NE(changed([](Intake& i) { i.keywords_include = {"x"}; }), first);
    // No text can pretend to be two, or another member.
    EXPECT_NE(changed([](Intake& i) { i.title = "b", i.series = "a"; }), first);
    EXPECT_NE(changed([](Intake& i) { i.title = "b\",\"a", i.series = ""; }), first);
    EXPECT_NE(changed([](Intake& i) { i.series = "b|a", i.title = ""; }), first);
    EXPECT_NE(cache_key(source, source, how, Query::of(intake)), first);
    EXPECT_NE(cache_key(tenant, tenant, how, Query::of(intake)), first);
    EXPECT_NE(
        cache_key(tenant, source, json(R"(["https://api.example","/v2",{}])"), Query::of(intake)),
        first);
}

TEST(ChoosePoints, FiltersMatchesAndKeepsEachListingOnce) {
    std::vector<Observation> seen;
    const auto see = [&seen](const char* id, const char* title, std::int64_t cents,
                             PriceType type) {
        Observation one;
        one.external_id = id;
        one.title = title;
        one.price_cents = cents;
        one.currency = "USD";
        one.price_type = type;
        seen.push_back(one);
    };
    see("1", "1909 cent", 100, PriceType::ask);
    see("1", "1909 cent", 90, PriceType::sold);  // paid beats asked
    see("1", "1909 cent", 95, PriceType::ask);
    see("2", "1909", 200, PriceType::ask);
    see("2", "1909 cent", 201, PriceType::ask);        // matches better
    see("2", "1909 cent again", 202, PriceType::ask);  // as well, but later
    see("3", "1909 cent copy", 1, PriceType::ask);
    see("4", "Morgan dollar", 5000, PriceType::sold);
    Intake intake;
    intake.year = 1909;
    intake.denomination = "penny";
    const auto chosen = choose_points(seen, intake, {{"copy"}, {}, {}}, 1);
    EXPECT_EQ(chosen.count, 2);
    EXPECT_EQ(chosen.points.dump(),
              R"([{"title":"1909 cent","price_cents":90,"currency":"USD","price_type":"sold",)"
              R"("external_id":"1","dedupe_key":"ext_1","match_strength":1.00000},)"
              R"({"title":"1909 cent","price_cents":201,"currency":"USD","price_type":"ask",)"
              R"("external_id":"2","dedupe_key":"ext_2","match_strength":1.00000}])");
    EXPECT_EQ(to_json(chosen.left_out).dump(),
              R"({"excluded keyword: copy":1,"match below 0.00001":1,"the same listing again":4})");
}

}  // namespace
}  // namespace jobforge::services
