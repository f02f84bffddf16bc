#include "services/prices/http_json_map.h"

#include <limits>

#include <fmt/format.h>

#include "base/text/time_text.h"
#include "values/date.h"
#include "values/unicode.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kMostItems = 1'000;
constexpr std::size_t kLongestTitle = 1'000;
constexpr std::size_t kLongestUrl = 2'000;
constexpr std::size_t kLongestId = 200;
constexpr std::size_t kLongestRaw = 4'096;

Error skip(std::string_view field, std::string_view why) {
    return Error::of(ErrorCode::VALIDATION_ERROR, fmt::format("{}: {}", field, why));
}

const Json* find(const JsonPointer& place, const Json& item) {
    const Json* const value = place.find(item);
    return value == nullptr || value->is_null() ? nullptr : value;
}

const Json* find(const std::optional<JsonPointer>& place, const Json& item) {
    return place ? find(*place, item) : nullptr;
}

// A text of at most so many bytes; a number's digits if `numbers`.
Result<std::string> text_of(std::string_view field, const Json& value, std::size_t longest,
                            bool numbers = false) {
    std::string text;
    if (const std::string* const found = value.as_string()) {
        text = unicode::trimmed(*found);
    } else if (const auto number = value.number_text(); numbers && number) {
        text = *number;
    } else {
        return skip(field, "no text");
    }
    return text.size() > longest ? Result<std::string>(skip(field, "too long")) : text;
}

Status take_title(const HttpJsonConfig& config, const Json& item, Observation& out) {
    const Json* const value = find(config.title, item);
    if (value == nullptr) {
        return skip("title", "missing");
    }
    auto text = text_of("title", *value, kLongestTitle);
    if (!text.ok()) {
        return std::move(text).error();
    }
    out.title = *std::move(text);
    return out.title.empty() ? Status(skip("title", "missing")) : ok_status();
}

Status take_price(const HttpJsonConfig& config, const Json& item, Observation& out) {
    std::string currency = config.fixed_currency;
    if (const Json* const named = find(config.currency, item)) {
        auto text = text_of("currency", *named, kLongestId);
        if (!text.ok() || !is_currency(*text)) {
            return skip("currency", "not three capital letters");
        }
        currency = *std::move(text);
    }
    const Json* const price = find(config.price, item);
    if (price == nullptr) {
        return skip("price", "missing");
    }
    const auto money = read_money(*price, config.money, currency);
    if (!money.ok()) {
        const std::string& message = money.error().message;
        return skip("price", message.substr(message.rfind(": ") + 2));
    }
    out.price_cents = money->cents;
    out.currency = currency.empty() ? money->currency : currency;
    return out.currency.empty() ? Status(skip("currency", "missing")) : ok_status();
}

Status take_price_type(const HttpJsonConfig& config, const Json& item, Observation& out) {
    out.price_type = config.fixed_price_type;
    const Json* const value = find(config.price_type, item);
    if (value == nullptr) {
        return ok_status();
    }
    const auto word = text_of("price_type", *value, kLongestId);
    if (!word.ok()) {
        return word.error();
    }
    const auto named = config.price_types.find(*word);
    const auto known =
        named == config.price_types.end() ? price_type_of(*word) : std::optional(named->second);
    if (!known) {
        return skip("price_type", "unknown");
    }
    out.price_type = *known;
    return ok_status();
}

Status take_time(const HttpJsonConfig& config, const Json& item, Observation& out) {
    const Json* const value = find(config.observed_at, item);
    if (value == nullptr) {
        return ok_status();
    }
    if (const auto number = value->as_int64()) {
        constexpr std::int64_t kLatest = 253'402'300'799;  // 9999-12-31T23:59:59Z in seconds
        const std::int64_t latest = kLatest * (1'000'000 / config.time_unit_us);
        if (*number < 0 || *number > latest) {
            return skip("observed_at", "no time");
        }
        out.observed_us = *number * config.time_unit_us;
        return ok_status();
    }
    const std::string* const text = value->as_string();
    const auto time = parse_time(text == nullptr ? "" : *text);
    const auto day = Date::parse(text == nullptr ? "" : *text);
    if (!time.ok() && !day) {
        return skip("observed_at", "no time");
    }
    out.observed_us = time.ok() ? *time : parse_time(*text + "T00:00:00Z").value();
    return ok_status();
}

Status take_identity(const HttpJsonConfig& config, const Json& item, Observation& out) {
    if (const Json* const value = find(config.external_id, item)) {
        auto id = text_of("external_id", *value, kLongestId, true);
        if (!id.ok()) {
            return std::move(id).error();
        }
        out.external_id = *std::move(id);
    }
    if (const Json* const value = find(config.url, item)) {
        auto url = text_of("url", *value, kLongestUrl);
        if (!url.ok()) {
            return std::move(url).error();
        }
        // Shown as a link some day: nothing but an address of the web.
        const std::string scheme = unicode::lower_case(url->substr(0, 8));
        if (!scheme.starts_with("https://") && !scheme.starts_with("http://")) {
            return skip("url", "no http address");
        }
        out.url = *std::move(url);
    }
    return ok_status();
}

}  // namespace

Json to_json(const Reasons& reasons) {
    Json out = Json::object();
    for (const auto& [reason, count] : reasons) {
        out.set(reason, count);
    }
    return out;
}

Result<Observation> map_item(const HttpJsonConfig& config, const Json& item) {
    if (!item.is_object() && !item.is_array()) {
        return skip("listing", "no object");
    }
    Observation out;
    for (const auto take :
         {&take_title, &take_price, &take_price_type, &take_time, &take_identity}) {
        if (auto taken = take(config, item, out); !taken.ok()) {
            return std::move(taken).error();
        }
    }
    if (config.keep_raw && item.dump().size() <= kLongestRaw) {
        out.raw = item;
    }
    return out;
}

Result<ListingPage> map_answer(const HttpJsonConfig& config, std::string_view body) {
    const auto answer = Json::parse(body);
    if (!answer.ok()) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         "the source's answer is not JSON: " + answer.error().message);
    }
    const Json* const list = config.items.find(*answer);
    const Json::Array* const items = list == nullptr ? nullptr : list->as_array();
    if (items == nullptr) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         "the source's answer has no list where config.items points");
    }
    if (items->size() > kMostItems) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         fmt::format("the source's answer has {} listings, more than {}",
                                     items->size(), kMostItems));
    }
    ListingPage page;
    page.items = static_cast<std::int64_t>(items->size());
    for (const Json& item : *items) {
        auto one = map_item(config, item);
        one.ok() ? page.observations.push_back(*std::move(one))
                 : void(++page.skipped[one.error().message]);
    }
    if (const Json* const next = find(config.next, *answer)) {
        const std::string* const text = next->as_string();
        if (text == nullptr) {
            return Error::of(ErrorCode::VALIDATION_ERROR,
                             "the source's answer has no text where config.next points");
        }
        page.next = *text;
    }
    return page;
}

}  // namespace jobforge::services
