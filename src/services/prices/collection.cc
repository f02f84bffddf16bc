#include "services/prices/collection.h"

#include <limits>

#include "prices/price_members.h"

namespace jobforge::services {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Result<Reasons> reasons_from_json(const Json& value) {
    Reasons out;
    const Json::Object* const members = value.as_object();
    if (members == nullptr) {
        return Error::of(ErrorCode::VALIDATION_ERROR, "\"skipped\" must be an object");
    }
    for (const auto& [reason, count] : *members) {
        out[reason] = count.as_int64().value_or(0);
    }
    return out;
}

}  // namespace

Json Collection::to_json(const std::string& origin) const {
    return Json::object({{"origin", origin},
                         {"next", next},
                         {"pages", pages},
                         {"items", items},
                         {"skipped", services::to_json(skipped)},
                         {"observations", services::to_json(observations)}});
}

Result<Collection> Collection::from_json(const Json& value, const std::string& origin) {
    Collection out;
    std::string read_for;
    Members members(value, "collection");
    members.text("origin", read_for)
        .text("next", out.next)
        .integer("pages", out.pages, 0, kMost)
        .integer("items", out.items, 0, kMost);
    const Json* const skipped = members.any("skipped");
    const Json* const list = members.any("observations");
    if (read_for != origin || skipped == nullptr || list == nullptr) {
        members.fault("origin", "the one that is asked for");
    }
    if (auto read = members.end_strict(); !read.ok()) {
        return std::move(read).error();
    }
    auto reasons = reasons_from_json(*skipped);
    auto observations = observations_from_json(*list);
    if (!reasons.ok() || !observations.ok()) {
        return reasons.ok() ? std::move(observations).error() : std::move(reasons).error();
    }
    out.skipped = *std::move(reasons);
    out.observations = *std::move(observations);
    return out;
}

}  // namespace jobforge::services
