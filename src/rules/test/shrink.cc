#include "rules/test/shrink.h"

#include <algorithm>
#include <functional>

#include "base/text/utf8.h"

namespace jobforge::rules {
namespace {

using Unscaled = Decimal::Unscaled;
using Candidates = std::vector<Value>;

// x - x, x - x/2, x - x/4 ... x -+ 1: finds the edge of a failing range in logarithmic time.
std::vector<Unscaled> toward_zero(Unscaled number) {
    std::vector<Unscaled> candidates;
    for (Unscaled step = number; step != 0; step /= 2) {
        candidates.push_back(number - step);
    }
    return candidates;
}

Candidates simpler_int(std::int64_t number) {
    Candidates candidates;
    for (const Unscaled each : toward_zero(number)) {
        candidates.emplace_back(static_cast<std::int64_t>(each));
    }
    return candidates;
}

std::vector<Decimal> simpler_decimals(const Decimal& number) {
    std::vector<Decimal> candidates;
    const auto add = [&](Unscaled unscaled) {
        if (unscaled == number.unscaled()) {
            return;
        }
        if (const auto made = Decimal::make(unscaled, number.scale()); made.ok()) {
            candidates.push_back(*made);
        }
    };
    add(0);
    Unscaled one = 1;
    for (int i = 0; i < number.scale(); ++i) {
        one *= 10;
    }
    for (; one > 1; one /= 10) {
        add(number.unscaled() / one * one);  // fewer digits
    }
    for (const Unscaled each : toward_zero(number.unscaled())) {
        add(each);
    }
    return candidates;
}

Candidates simpler_quantity(const Quantity& quantity) {
    Candidates candidates;
    for (const Decimal& each : simpler_decimals(quantity.value)) {
        candidates.emplace_back(Quantity{each, quantity.unit});
    }
    return candidates;
}

Candidates simpler_text(const std::string& text) {
    if (text.empty()) {
        return {};
    }
    Candidates candidates{Value("")};
    std::vector<std::size_t> starts;  // of characters
    for (std::size_t at = 0; at < text.size();) {
        starts.push_back(at);
        at += utf8_sequence_length(text.data() + at, text.data() + text.size());
    }
    starts.push_back(text.size());
    const std::size_t count = starts.size() - 1;
    if (count > 1) {
        candidates.emplace_back(text.substr(0, starts[count / 2]));
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t length = starts[i + 1] - starts[i];
        candidates.emplace_back(std::string(text).erase(starts[i], length));
        // "a" is as simple as a character gets.
        if (text.compare(starts[i], length, "a") != 0) {
            candidates.emplace_back(std::string(text).replace(starts[i], length, "a"));
        }
    }
    return candidates;
}

Candidates simpler_date(const Date& date) {
    constexpr int kSimplestYear = 2000;
    Candidates candidates;
    const auto add = [&](int year, int month, int day) {
        const auto made = Date::make(year, month, day);
        if (made && *made != date) {
            candidates.emplace_back(*made);
        }
    };
    add(kSimplestYear, 1, 1);
    add(date.year(), 1, 1);
    add(date.year(), date.month(), 1);
    for (const Unscaled distance : toward_zero(date.year() - kSimplestYear)) {
        add(kSimplestYear + static_cast<int>(distance), date.month(), date.day());
    }
    if (date.day() > 1) {
        add(date.year(), date.month(), date.day() - 1);
    }
    return candidates;
}

// Fewer parts, then simpler parts; `Parts` is a list's or a map's.
template <typename Parts>
Candidates fewer(const Parts& parts, const std::function<Value(Parts)>& build) {
    Candidates candidates;
    if (parts.empty()) {
        return candidates;
    }
    candidates.push_back(build({}));
    const auto middle = parts.begin() + static_cast<std::ptrdiff_t>(parts.size() / 2);
    if (parts.size() > 2) {
        candidates.push_back(build(Parts(parts.begin(), middle)));
        candidates.push_back(build(Parts(middle, parts.end())));
    }
    for (std::size_t i = 0; i < parts.size() && parts.size() > 1; ++i) {
        Parts rest = parts;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        candidates.push_back(build(std::move(rest)));
    }
    return candidates;
}

Candidates simpler_list(const Value& value, const Type& type) {
    Candidates candidates = fewer<Value::List>(
        value.list(), [](Value::List elements) { return Value(std::move(elements)); });
    for (std::size_t i = 0; i < value.list().size(); ++i) {
        for (const Value& element : simpler(value.list()[i], type.element())) {
            Value::List elements = value.list();
            elements[i] = element;
            candidates.emplace_back(std::move(elements));
        }
    }
    return candidates;
}

Candidates simpler_members(const Value& value, const Type& type) {
    Candidates candidates;
    const bool is_map = type.is(Type::Kind::map);
    if (is_map) {
        candidates = fewer<Value::Members>(value.members(), Value::of_members);
    }
    for (std::size_t i = 0; i < value.members().size(); ++i) {
        // A record's value and its type both have their members in the order of the names.
        const Type& part = is_map ? type.element() : type.members()[i].type;
        for (const Value& simple : simpler(value.members()[i].value, part)) {
            Value::Members members = value.members();
            members[i].value = simple;
            candidates.push_back(Value::of_members(std::move(members)));
        }
    }
    return candidates;
}

}  // namespace

std::vector<Value> simpler(const Value& value, const Type& type) {
    if (type.is(Type::Kind::optional)) {
        if (value.is_none()) {
            return {};
        }
        Candidates candidates{Value()};
        std::ranges::move(simpler(value, type.element()), std::back_inserter(candidates));
        return candidates;
    }
    switch (value.kind()) {
        case Value::Kind::boolean:
            return value.boolean() ? Candidates{Value(false)} : Candidates{};
        case Value::Kind::integer:
            return simpler_int(value.integer());
        case Value::Kind::date:
            return simpler_date(value.date());
        case Value::Kind::decimal: {
            const std::vector<Decimal> decimals = simpler_decimals(value.decimal());
            return {decimals.begin(), decimals.end()};
        }
        case Value::Kind::quantity:
            return simpler_quantity(value.quantity());
        case Value::Kind::text:
            return simpler_text(value.text());
        case Value::Kind::list:
            return simpler_list(value, type);
        case Value::Kind::members:
            return simpler_members(value, type);
        default:
            return {};
    }
}

}  // namespace jobforge::rules
