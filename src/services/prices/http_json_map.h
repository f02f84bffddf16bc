// An API's answer as observations, by the pointers of its source's config. Pure.
//
// An answer is hostile until it is understood: everything is bounded, nothing is guessed. A listing
// that lacks something or holds nonsense is skipped and counted under a reason; an answer that is
// not what the config describes is an error, because "no listings" would be wrong.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "services/prices/http_json_config.h"

namespace jobforge::services {

// How many were left out, by reason.
using Reasons = std::map<std::string, std::int64_t>;
[[nodiscard]] Json to_json(const Reasons& reasons);

struct ListingPage {
    std::vector<Observation> observations;
    std::int64_t items = 0;  // listings in the answer, also those that were skipped
    Reasons skipped;
    std::string next;  // the next page as the answer names it; empty: this is the last
};

// VALIDATION_ERROR: no JSON, no list where `items` points, a next page that is not a text, more
// than 1,000 listings.
[[nodiscard]] Result<ListingPage> map_answer(const HttpJsonConfig& config, std::string_view body);

// One listing; the reason if it has to be skipped ("title: missing").
[[nodiscard]] Result<Observation> map_item(const HttpJsonConfig& config, const Json& item);

}  // namespace jobforge::services
