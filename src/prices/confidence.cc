#include "prices/confidence.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "prices/match_strength.h"

namespace jobforge::services {

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kFullReputation = 1'000'000;
constexpr int kLeast = 1;
constexpr int kMost = 10;
constexpr int kMostWithoutSold = 7;
constexpr int kMostConditionFlags = 3;

// numerator / denominator with `digits` digits, cut off: for people, never for decisions.
std::string ratio_text(Wide numerator, Wide denominator) {
    constexpr Wide kDigits = 1000;
    const auto scaled = static_cast<std::int64_t>(numerator * kDigits / denominator);
    return fmt::format("{}.{:03}", scaled / static_cast<std::int64_t>(kDigits),
                       scaled % static_cast<std::int64_t>(kDigits));
}

ConfidencePart comparables_part(const ConfidenceInputs& in) {
    constexpr std::array kSteps{std::pair{20, 3}, std::pair{10, 2}, std::pair{5, 1}};
    for (const auto& [least, points] : kSteps) {
        if (in.comparables >= least) {
            return {"comparables", points,
                    fmt::format("{} comparables: at least {}", in.comparables, least)};
        }
    }
    return {"comparables", 0, fmt::format("{} comparables: fewer than 5", in.comparables)};
}

ConfidencePart match_part(const ConfidenceInputs& in) {
    const std::int64_t full = in.comparables * kFullMatch;
    return {"match", static_cast<int>(2 * in.match_sum / full),
            fmt::format("titles match by {} on average", ratio_text(in.match_sum, full))};
}

ConfidencePart reputation_part(const ConfidenceInputs& in) {
    if (in.match_sum == 0) {
        return {"reputation", 0, "no title matches, so no source counts"};
    }
    const Wide full = Wide{in.match_sum} * kFullReputation;
    return {"reputation", static_cast<int>(in.weighted_reputation / full),
            fmt::format("sources have a reputation of {} on average",
                        ratio_text(in.weighted_reputation, full))};
}

ConfidencePart sold_part(const ConfidenceInputs& in) {
    const int points = 10 * in.sold >= 8 * in.comparables   ? 2
                       : 10 * in.sold >= 5 * in.comparables ? 1
                                                            : 0;
    return {"sold_share", points,
            fmt::format("{} of {} are prices that were paid", in.sold, in.comparables)};
}

ConfidencePart spread_part(const ConfidenceInputs& in) {
    if (in.p50 == 0) {
        return {"spread", 0, "the median is 0"};
    }
    const Wide spread = Wide{in.p90} - in.p10;
    int points = 0;
    for (const int tenths : {6, 4, 2}) {
        points += spread * 10 < Wide{in.p50} * tenths ? 1 : 0;
    }
    return {"spread", points,
            fmt::format("from p10 to p90 it is {} of the median", ratio_text(spread, in.p50))};
}

}  // namespace

Json Confidence::to_json() const {
    Json::Array out;
    for (const ConfidencePart& part : parts) {
        out.push_back(
            Json::object({{"name", part.name}, {"points", part.points}, {"reason", part.reason}}));
    }
    return out;
}

Confidence confidence(const ConfidenceInputs& in) {
    Confidence out;
    if (in.comparables == 0) {
        out.parts.push_back({"range", kLeast, "there is no price: the least there is"});
        return out;
    }
    out.parts = {comparables_part(in), match_part(in), reputation_part(in), sold_part(in),
                 spread_part(in)};
    const int flags = std::min(in.condition_flags, kMostConditionFlags);
    out.parts.push_back(
        {"condition", -flags, fmt::format("{} faults of the thing itself", in.condition_flags)});
    int score = 0;
    for (const ConfidencePart& part : out.parts) {
        score += part.points;
    }
    const auto limit = [&out, &score](const char* name, int to, const char* reason) {
        if (to != score) {
            out.parts.push_back({name, to - score, reason});
            score = to;
        }
    };
    if (in.sold == 0) {
        limit("no_sold_price", std::min(score, kMostWithoutSold), "at most 7 without a paid price");
    }
    limit("range", std::clamp(score, kLeast, kMost), "a confidence is from 1 to 10");
    out.score = score;
    return out;
}

}  // namespace jobforge::services
