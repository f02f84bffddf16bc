#include "prices/valuation.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "prices/match_strength.h"
#include "prices/money.h"
#include "prices/price_members.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kFewestForOutliers = 4;
constexpr int kReputationDigits = 6;

// The currency of most points, and how many points each of the others has.
std::string main_currency(std::span<const PricePoint> points,
                          std::vector<std::pair<std::string, int>>& others) {
    std::map<std::string, int> counts;
    for (const PricePoint& point : points) {
        ++counts[point.currency];
    }
    if (counts.empty()) {
        return {};
    }
    const auto most =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    std::string currency = most->first;
    counts.erase(most);
    others.assign(counts.begin(), counts.end());
    return currency;
}

std::vector<PricePoint> sorted_points(std::span<const PricePoint> points,
                                      const std::string& currency) {
    std::vector<PricePoint> out;
    std::copy_if(points.begin(), points.end(), std::back_inserter(out),
                 [&currency](const PricePoint& point) { return point.currency == currency; });
    std::stable_sort(out.begin(), out.end(), [](const PricePoint& a, const PricePoint& b) {
        return a.price_cents < b.price_cents;
    });
    return out;
}

// Takes outliers away and says between which prices (in half cents) the others lie.
void drop_outliers(std::vector<PricePoint>& sorted, Valuation& out) {
    const std::size_t n = sorted.size();
    if (n < kFewestForOutliers) {
        return;
    }
    const std::int64_t q1 = sorted[n / 4].price_cents;
    const std::int64_t q3 = sorted[3 * n / 4].price_cents;
    const std::int64_t low = 2 * q1 - 3 * (q3 - q1);
    const std::int64_t high = 2 * q3 + 3 * (q3 - q1);
    std::erase_if(sorted, [low, high](const PricePoint& point) {
        return 2 * point.price_cents < low || 2 * point.price_cents > high;
    });
    out.outliers = static_cast<int>(n - sorted.size());
    out.low = low;
    out.high = high;
}

// sum / count, half to even.
std::int64_t mean(std::int64_t sum, std::int64_t count) {
    const std::int64_t whole = sum / count;
    const std::int64_t twice_rest = 2 * (sum % count);
    const bool up = twice_rest > count || (twice_rest == count && whole % 2 != 0);
    return whole + (up ? 1 : 0);
}

ConfidenceInputs confidence_inputs(const std::vector<PricePoint>& points) {
    ConfidenceInputs in;
    in.comparables = static_cast<std::int64_t>(points.size());
    for (const PricePoint& point : points) {
        in.sold += point.sold ? 1 : 0;
        in.match_sum += point.match;
        in.weighted_reputation += point.match * point.reputation;
    }
    return in;
}

// A number of half cents: "12.345" of 2469.
std::string half_cents_text(std::int64_t half_cents) {
    const std::int64_t size = half_cents < 0 ? -half_cents : half_cents;
    return fmt::format("{}{}{}", half_cents < 0 ? "-" : "", format_cents(size / 2),
                       size % 2 == 0 ? "" : "5");
}

Json explanation(const Valuation& valuation) {
    Json out = Json::object({{"confidence", valuation.confidence.to_json()}});
    if (valuation.low && valuation.high) {
        out.set("outlier_fence", Json::object({{"low", half_cents_text(*valuation.low)},
                                               {"high", half_cents_text(*valuation.high)}}));
    }
    out.set("mean",
            Json::object({{"sum_cents", valuation.sum_cents}, {"count", valuation.comparables}}));
    Json others = Json::object();
    for (const auto& [currency, count] : valuation.other_currencies) {
        others.set(currency, count);
    }
    out.set("other_currencies", std::move(others));
    return out;
}

}  // namespace

Result<PricePoint> PricePoint::from_json(const Json& row) {
    PricePoint out;
    std::string type;
    Members members(row, "price point");
    members.integer("price_cents", out.price_cents, 0, kMostCents)
        .text("currency", out.currency)
        .text("price_type", type)
        .share("match_strength", out.match, kMatchDigits)
        .share("reputation_weight", out.reputation, kReputationDigits);
    for (const char* member : {"price_cents", "currency", "match_strength", "reputation_weight"}) {
        if (members.any(member) == nullptr) {
            members.fault(member, "there");
        }
    }
    out.sold = type == "sold";
    auto read = members.end();
    return read.ok() ? Result<PricePoint>(std::move(out)) : std::move(read).error();
}

Valuation valuation_of(std::span<const PricePoint> points, int condition_flags) {
    Valuation out;
    out.currency = main_currency(points, out.other_currencies);
    std::vector<PricePoint> kept = sorted_points(points, out.currency);
    drop_outliers(kept, out);
    out.comparables = static_cast<int>(kept.size());
    ConfidenceInputs inputs = confidence_inputs(kept);
    inputs.condition_flags = condition_flags;
    if (!kept.empty()) {
        for (const PricePoint& point : kept) {
            out.sum_cents += point.price_cents;
        }
        out.mean_cents = mean(out.sum_cents, out.comparables);
        for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
            const auto p = static_cast<std::size_t>(kPercentiles.at(i));
            out.percentiles.at(i) = kept[p * (kept.size() - 1) / 100].price_cents;
        }
        inputs.p10 = out.percentiles.front();
        inputs.p50 = out.percentiles.at(3);
        inputs.p90 = out.percentiles.back();
    }
    out.confidence = confidence(inputs);
    return out;
}

Json Valuation::to_json() const {
    const bool some = comparables > 0;
    Json out = Json::object({{"currency", currency.empty() ? Json() : Json(currency)},
                             {"comparables", comparables},
                             {"outliers", outliers},
                             {"confidence", confidence.score}});
    for (std::size_t i = 0; i < kPercentiles.size(); ++i) {
        out.set(fmt::format("p{}", kPercentiles.at(i)), some ? Json(percentiles.at(i)) : Json());
    }
    out.set("mean_cents", some ? Json(mean_cents) : Json());
    out.set("explanation", explanation(*this));
    return out;
}

}  // namespace jobforge::services
