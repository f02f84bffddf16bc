#include "services/prices/manual_prices.h"

#include <fmt/format.h>

#include "prices/match_strength.h"
#include "prices/price_members.h"
#include "services/prices/http_json_map.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kMostPrices = 1'000;

// A price that a person writes is a listing whose members have our names.
const HttpJsonConfig& own_names() {
    static const HttpJsonConfig kConfig =
        HttpJsonConfig::from_json(
            Json::parse(R"({"items":"","keep_raw":false,"fields":{"title":"/title",
                "price":"/price","currency":"/currency","price_type":"/price_type",
                "observed_at":"/observed_at","url":"/url","external_id":"/external_id"}})")
                .value())
            .value();
    return kConfig;
}

Status check_members(const Json& price) {
    Members members(price, "price");
    for (const char* name :
         {"title", "price", "currency", "price_type", "observed_at", "url", "external_id"}) {
        (void)members.any(name);
    }
    return members.end_strict();
}

}  // namespace

Result<std::vector<Observation>> manual_prices(const Json& list) {
    const Json::Array* const items = list.as_array();
    if (items == nullptr || items->size() > kMostPrices) {
        return Error::of(ErrorCode::VALIDATION_ERROR, "\"prices\" must be a list of at most 1000");
    }
    std::vector<Observation> out;
    for (std::size_t i = 0; i < items->size(); ++i) {
        const Json& item = (*items)[i];
        auto known = check_members(item);
        auto one = known.ok() ? map_item(own_names(), item)
                              : Result<Observation>(std::move(known).error());
        if (!one.ok()) {
            Error error = std::move(one).error();
            error.message = fmt::format("prices[{}]: {}", i, error.message);
            return error;
        }
        out.push_back(*std::move(one));
    }
    return out;
}

Result<ManualConfig> ManualConfig::from_json(const Json& config) {
    ManualConfig out;
    Members members(config);
    const Json* const list = members.any("prices");
    members.share("least_match", out.least_match, kMatchDigits);
    if (auto read = members.end_strict(); !read.ok()) {
        return std::move(read).error();
    }
    if (list != nullptr) {
        auto prices = manual_prices(*list);
        if (!prices.ok()) {
            return std::move(prices).error();
        }
        out.prices = *std::move(prices);
    }
    return out;
}

}  // namespace jobforge::services
