// sources.config of the adapter http_json: how an API is asked and where its answers hold what.
// docs/sources.md is the manual of this little language. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "connect/http/outgoing_message.h"
#include "prices/json_pointer.h"
#include "prices/money.h"
#include "prices/observation.h"

namespace jobforge::services {

struct HttpJsonConfig {
    std::string path;  // behind base_url, with {placeholders} (source_url.h)
    connect::HttpHeaders headers;
    Json auth;  // as connector.http.request takes it; null: none

    JsonPointer items;  // the list of listings in an answer
    // Places inside one listing. Price and title must be there.
    JsonPointer title, price;
    std::optional<JsonPointer> currency, price_type, external_id, url, observed_at;

    std::string fixed_currency;                    // where the answer does not say
    PriceType fixed_price_type = PriceType::ask;   // likewise
    std::map<std::string, PriceType> price_types;  // the API's words for ours
    MoneyFormat money;
    std::int64_t time_unit_us = 1'000'000;  // of observed_at as a number

    std::optional<JsonPointer> next;  // the next page's URL
    std::int64_t max_pages = 1;
    std::chrono::milliseconds timeout{30'000};
    std::int64_t max_response_bytes = 2 << 20;
    std::int64_t least_match = 0;  // hundred-thousandths: below, a listing is left out
    bool keep_raw = true;

    // VALIDATION_ERROR that names the member: unknown ones too, because a misspelt setting that is
    // ignored is found much later.
    [[nodiscard]] static Result<HttpJsonConfig> from_json(const Json& config);
};

}  // namespace jobforge::services
