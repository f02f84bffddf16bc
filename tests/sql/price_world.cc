#include "price_world.h"

#include <fmt/format.h>

namespace jobforge::test {

std::string PriceWorld::source(const std::string& more) {
    return sql_.one(
        fmt::format("select jobforge.save_source('{{\"name\": \"source-{}\", \"base_url\": "
                    "\"https://example.com/\"{}{}}}')",
                    ++next_, more.empty() ? "" : ", ", more));
}

std::string PriceWorld::intake() {
    return sql_.one(
        "select jobforge.add_intake('{\"denomination\": \"1 cent\", \"year\": 1909, "
        "\"mintmark\": \"S\", \"keywords_exclude\": [\"copy\"]}')");
}

std::string PriceWorld::point(const std::string& key, const std::string& type, const char* match,
                              int cents) {
    return fmt::format(
        R"({{"dedupe_key": "{}", "price_type": "{}", "match_strength": {}, "price_cents": {}, "currency": "USD", "title": "{} at {}"}})",
        key, type, match, cents, type, match);
}

std::string PriceWorld::store_call(const std::string& intake, const std::string& source,
                                   const std::string& points) {
    return fmt::format(
        "select inserted || ' ' || updated || ' ' || kept, points from "
        "jobforge.store_price_points('{}', '{}', '[{}]')",
        intake, source, points);
}

std::string PriceWorld::store(const std::string& intake, const std::string& source,
                              const std::string& points) {
    return sql_.one(store_call(intake, source, points));
}

std::string PriceWorld::valuation_call(const std::string& intake) {
    return fmt::format(
        "select jobforge.store_valuation('{}', '{{\"currency\": \"USD\", \"comparables\": 1, "
        "\"outliers\": 0, \"p10\": 1999, \"p20\": 1999, \"p40\": 1999, \"p50\": 1999, \"p60\": "
        "1999, \"p80\": 1999, \"p90\": 1999, \"mean_cents\": 1999, \"confidence\": 3, "
        "\"explanation\": {{}}}}')",
        intake);
}

void PriceWorld::everything() {
    const auto from = source();
    const auto what = intake();
    sql_.run(
        fmt::format("select jobforge.set_source_rules('{}', '{{\"exclude_keywords\": "
                    "[\"copy\"]}}'); select jobforge.pause_source('{}')",
                    from, from));
    sql_.run(fmt::format("select * from jobforge.enqueue_collections('{}')", what));
    store(what, from, point("ext_1", "sold", "0.5"));
    sql_.run(valuation_call(what));
}

}  // namespace jobforge::test
