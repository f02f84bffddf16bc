// One price that was asked, offered or paid, as a source told it. Pure.
//
// An observation belongs to its source, not to an intake: the same one may be read from the cache
// for another intake. What depends on the intake (match strength, filters, the row) comes later.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge::services {

enum class PriceType { sold, ask, bid };
[[nodiscard]] std::string_view to_string(PriceType type) noexcept;
[[nodiscard]] std::optional<PriceType> price_type_of(std::string_view word) noexcept;

struct Observation {
    std::string external_id;  // the source's own; empty: none
    std::string url;          // empty: none
    std::string title;
    std::int64_t price_cents = 0;
    std::string currency;
    PriceType price_type = PriceType::ask;
    std::optional<std::int64_t> observed_us;  // since 1970, UTC; nullopt: unknown
    Json raw;                                 // the source's item, if it is kept; else null

    friend bool operator==(const Observation&, const Observation&) = default;
};

// As the cache and a waiting job keep them: what from_json reads back is equal.
[[nodiscard]] Json to_json(const Observation& observation);
[[nodiscard]] Result<Observation> observation_from_json(const Json& value);
[[nodiscard]] Json to_json(const std::vector<Observation>& observations);
[[nodiscard]] Result<std::vector<Observation>> observations_from_json(const Json& value);

}  // namespace jobforge::services
