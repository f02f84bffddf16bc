#include "rules/eval/facts.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"

namespace jobforge::rules {
namespace {

using Address = std::tuple<std::string_view, std::string_view>;

Address address_of(const Fact& fact) noexcept {
    return {fact.fact_type, fact.fact_key};
}

}  // namespace

std::string Fact::document() const {
    if (!source_name.empty()) {
        return source_name;
    }
    return source_sha256.empty() ? "the test's own facts" : "sha256 " + source_sha256;
}

Result<FactSet> FactSet::make(std::vector<Fact> facts) {
    std::ranges::stable_sort(facts, {}, address_of);
    const auto twice = std::ranges::adjacent_find(facts, {}, address_of);
    if (twice != facts.end()) {
        Error error =
            Error::of(ErrorCode::VALIDATION_ERROR,
                      fmt::format("There are two facts {} \"{}\": one from {}, one from {}.",
                                  twice->fact_type, twice->fact_key, twice->document(),
                                  std::next(twice)->document()));
        error.hint = "Keep one of them, or give them different keys.";
        return error;
    }
    for (Fact& fact : facts) {
        const auto bytes = canonical(fact.payload);
        if (!bytes.ok()) {
            Error error = bytes.error();
            error.message =
                fmt::format("The fact {} \"{}\" (from {}) has no canonical form: {}",
                            fact.fact_type, fact.fact_key, fact.document(), error.message);
            return error;
        }
        fact.payload_hash = sha256_hex(*bytes);
    }
    FactSet set;
    set.facts_ = std::move(facts);
    return set;
}

const Fact* FactSet::find(std::string_view fact_type, std::string_view fact_key) const noexcept {
    const Address wanted{fact_type, fact_key};
    const auto found = std::ranges::lower_bound(facts_, wanted, {}, address_of);
    return found != facts_.end() && address_of(*found) == wanted ? &*found : nullptr;
}

std::span<const Fact> FactSet::with_prefix(std::string_view fact_type,
                                           std::string_view prefix) const noexcept {
    const auto first = std::ranges::lower_bound(facts_, Address{fact_type, prefix}, {}, address_of);
    const auto last = std::find_if(first, facts_.end(), [&](const Fact& fact) {
        return fact.fact_type != fact_type || !fact.fact_key.starts_with(prefix);
    });
    return {first, last};
}

}  // namespace jobforge::rules
