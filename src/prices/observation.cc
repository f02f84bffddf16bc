#include "prices/observation.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "base/text/time_text.h"
#include "prices/money.h"
#include "prices/price_members.h"

namespace jobforge::services {

namespace {

constexpr std::array kTypes{PriceType::sold, PriceType::ask, PriceType::bid};

}  // namespace

std::string_view to_string(PriceType type) noexcept {
    switch (type) {
        case PriceType::sold:
            return "sold";
        case PriceType::ask:
            return "ask";
        case PriceType::bid:
            return "bid";
    }
    return "";
}

std::optional<PriceType> price_type_of(std::string_view word) noexcept {
    const auto* const found = std::find_if(
        kTypes.begin(), kTypes.end(), [word](PriceType type) { return to_string(type) == word; });
    return found == kTypes.end() ? std::nullopt : std::optional(*found);
}

Json to_json(const Observation& observation) {
    Json out = Json::object({{"title", observation.title},
                             {"price_cents", observation.price_cents},
                             {"currency", observation.currency},
                             {"price_type", to_string(observation.price_type)}});
    if (!observation.external_id.empty()) {
        out.set("external_id", observation.external_id);
    }
    if (!observation.url.empty()) {
        out.set("url", observation.url);
    }
    if (observation.observed_us) {
        out.set("observed_at", format_time(*observation.observed_us));
    }
    if (!observation.raw.is_null()) {
        out.set("raw", observation.raw);
    }
    return out;
}

Result<Observation> observation_from_json(const Json& value) {
    Observation out;
    std::string type, observed_at;
    Members members(value, "observation");
    members.text("title", out.title)
        .integer("price_cents", out.price_cents, 0, kMostCents)
        .text("currency", out.currency)
        .text("price_type", type)
        .text("external_id", out.external_id)
        .text("url", out.url)
        .text("observed_at", observed_at);
    if (const Json* const raw = members.any("raw")) {
        out.raw = *raw;
    }
    const auto known = price_type_of(type);
    if (!known) {
        members.fault("price_type", "sold, ask or bid");
    }
    if (!is_currency(out.currency)) {
        members.fault("currency", "three capital letters");
    }
    if (!observed_at.empty()) {
        const auto time = parse_time(observed_at);
        time.ok() ? void(out.observed_us = *time) : members.fault("observed_at", "a time");
    }
    auto read = members.end_strict();
    if (!read.ok()) {
        return std::move(read).error();
    }
    out.price_type = *known;
    return out;
}

Json to_json(const std::vector<Observation>& observations) {
    Json::Array out;
    out.reserve(observations.size());
    std::transform(observations.begin(), observations.end(), std::back_inserter(out),
                   [](const Observation& one) { return to_json(one); });
    return out;
}

Result<std::vector<Observation>> observations_from_json(const Json& value) {
    const Json::Array* const items = value.as_array();
    if (items == nullptr) {
        return Error::of(ErrorCode::VALIDATION_ERROR, "observations must be a list");
    }
    std::vector<Observation> out;
    out.reserve(items->size());
    for (const Json& item : *items) {
        auto one = observation_from_json(item);
        if (!one.ok()) {
            return std::move(one).error();
        }
        out.push_back(*std::move(one));
    }
    return out;
}

}  // namespace jobforge::services
