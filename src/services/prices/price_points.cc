#include "services/prices/price_points.h"

#include <map>

#include <fmt/format.h>

#include "prices/dedupe_key.h"
#include "prices/match_strength.h"

namespace jobforge::services {

namespace {

struct Candidate {
    const Observation* observation;
    std::int64_t match;
};

bool worthier(const Candidate& a, const Candidate& b) {
    const bool sold_a = a.observation->price_type == PriceType::sold;
    const bool sold_b = b.observation->price_type == PriceType::sold;
    return sold_a != sold_b ? sold_a : a.match > b.match;
}

}  // namespace

ChosenPoints choose_points(std::span<const Observation> observations, const Intake& intake,
                           const KeywordRules& rules, std::int64_t least_match) {
    ChosenPoints out;
    std::map<std::string, Candidate> chosen;
    for (const Observation& one : observations) {
        if (const auto why = why_left_out(rules, one.title)) {
            ++out.left_out[*why];
            continue;
        }
        const Candidate candidate{&one, match_strength(intake, one.title)};
        if (candidate.match < least_match) {
            ++out.left_out[fmt::format("match below {}", strength_text(least_match))];
            continue;
        }
        const auto [place, added] = chosen.emplace(dedupe_key(one), candidate);
        if (!added) {
            ++out.left_out["the same listing again"];
            place->second = worthier(candidate, place->second) ? candidate : place->second;
        }
    }
    Json::Array points;
    for (const auto& [key, candidate] : chosen) {
        Json point = to_json(*candidate.observation);
        point.set("dedupe_key", key);
        point.set("match_strength", Json::number(strength_text(candidate.match)).value());
        points.push_back(std::move(point));
    }
    out.count = static_cast<std::int64_t>(points.size());
    out.points = Json(std::move(points));
    return out;
}

}  // namespace jobforge::services
