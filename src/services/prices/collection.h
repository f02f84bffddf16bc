// What one job has read from a source so far. A job that runs out of tokens between two pages is
// snoozed with it and goes on where it stopped; a complete one is what the cache keeps. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "services/prices/http_json_map.h"

namespace jobforge::services {

struct Collection {
    std::string next;        // the URL of the next page; empty: none
    std::int64_t pages = 0;  // read
    std::int64_t items = 0;  // listings in them
    Reasons skipped;
    std::vector<Observation> observations;

    // `origin` says what it was read for (cache_key.h) and comes back unchanged.
    [[nodiscard]] Json to_json(const std::string& origin) const;
    // VALIDATION_ERROR, also if it was read for anything else than `origin`: an answer to another
    // question is not an answer.
    [[nodiscard]] static Result<Collection> from_json(const Json& value, const std::string& origin);
};

}  // namespace jobforge::services
