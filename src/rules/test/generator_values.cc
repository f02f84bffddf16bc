#include "rules/test/generator_values.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace jobforge::rules {
namespace {

constexpr std::int64_t kLimit = 1'000'000'000'000;
constexpr int kFirstYear = 1900;
constexpr int kLastYear = 2100;
// Two in three are plain, so that texts stay readable; the others have 1 to 4 bytes.
constexpr std::array<std::string_view, 24> kCharacters{"a",
                                                       "b",
                                                       "k",
                                                       "x",
                                                       "A",
                                                       "Z",
                                                       "0",
                                                       "1",
                                                       "7",
                                                       "9",
                                                       "-",
                                                       ":",
                                                       "a",
                                                       "S",
                                                       "K",
                                                       "U",
                                                       " ",
                                                       ".",
                                                       "\"",
                                                       "\\",
                                                       "\n",
                                                       "\xC3\xA4",
                                                       "\xE2\x82\xAC",
                                                       "\xF0\x9F\x94\x8B"};

Decimal::Unscaled power_of_ten(int exponent) noexcept {
    Decimal::Unscaled power = 1;
    for (; exponent > 0; --exponent) {
        power *= 10;
    }
    return power;
}

}  // namespace

Value ValueGenerator::make(const Type& type) {
    parts_left_ = kMaximumParts;
    return part(type);
}

Value ValueGenerator::part(const Type& type) {
    if (parts_left_ > 0) {
        --parts_left_;
    }
    switch (type.kind()) {
        case Type::Kind::boolean:
            return Value(random_.below(2) == 1);
        case Type::Kind::integer:
            return Value(whole());
        case Type::Kind::text:
            return Value(text());
        case Type::Kind::date:
            return Value(date());
        case Type::Kind::decimal:
            return Value(decimal(type.scale()));
        case Type::Kind::quantity:
            return Value(Quantity{decimal(kQuantityScale), type.unit()});
        case Type::Kind::optional:
            if (random_.below(4) == 0 || parts_left_ == 0) {
                return Value();
            }
            return part(type.element());
        case Type::Kind::list:
            return list(type);
        case Type::Kind::map:
            return map(type);
        case Type::Kind::record:
            return record(type);
        default:
            return Value();
    }
}

std::int64_t ValueGenerator::whole() {
    constexpr std::array<std::int64_t, 5> kEdges{0, 1, -1, kLimit, -kLimit};
    switch (random_.below(4)) {
        case 0:
            return kEdges[random_.below(kEdges.size())];
        case 1:
            return random_.between(-10, 10);
        case 2:
            return random_.between(-1000, 1000);
        default:
            return random_.between(-kLimit, kLimit);
    }
}

// A whole number and a fraction of its own; at the limits there is no room for a fraction.
Decimal ValueGenerator::decimal(int scale) {
    const Decimal::Unscaled one = power_of_ten(scale);
    if (random_.below(12) == 0) {
        return *Decimal::make(random_.below(2) == 0 ? 1 : -1, scale);
    }
    const std::int64_t number = whole();
    Decimal::Unscaled fraction = 0;
    if (random_.below(4) != 0 && number < kLimit && number > -kLimit) {
        fraction =
            static_cast<Decimal::Unscaled>(random_.next() % 1'000'000'000'000'000'000ULL) % one;
    }
    return *Decimal::make(Decimal::Unscaled{number} * one + (number < 0 ? -fraction : fraction),
                          scale);
}

std::string ValueGenerator::edge_text() {
    switch (random_.below(4)) {
        case 0:
            return "";
        case 1:
            return " ";
        case 2: {
            std::string text;
            for (int i = 0; i < 64; ++i) {
                text += kCharacters[random_.below(12)];
            }
            return text;
        }
        default:
            return decimal(static_cast<int>(random_.below(4))).text();
    }
}

std::string ValueGenerator::text() {
    if (random_.below(4) == 0) {
        return edge_text();
    }
    std::string text;
    for (std::size_t left = random_.below(13); left > 0; --left) {
        text += kCharacters[random_.below(kCharacters.size())];
    }
    return text;
}

Date ValueGenerator::date() {
    const std::array<Date, 4> edges{*Date::make(kFirstYear, 1, 1), *Date::make(kLastYear, 12, 31),
                                    *Date::make(2024, 2, 29), *Date::make(2027, 2, 18)};
    if (random_.below(4) == 0) {
        return edges[random_.below(edges.size())];
    }
    const auto year = static_cast<int>(random_.between(kFirstYear, kLastYear));
    const auto month = static_cast<int>(random_.between(1, 12));
    const auto day = static_cast<int>(random_.between(1, 31));
    // The 29th to 31st do not exist in every month.
    return Date::make(year, month, day).value_or(*Date::make(year, month, 28));
}

std::size_t ValueGenerator::length(std::size_t most) {
    return std::min<std::size_t>(random_.below(most + 1), parts_left_ / 8);
}

Value ValueGenerator::list(const Type& type) {
    Value::List elements;
    for (std::size_t left = length(4); left > 0; --left) {
        elements.push_back(part(type.element()));
    }
    return Value(std::move(elements));
}

Value ValueGenerator::map(const Type& type) {
    Value::Members members;
    for (std::size_t left = length(3); left > 0; --left) {
        std::string name = text();
        const bool taken = std::ranges::any_of(
            members, [&](const ValueMember& other) { return other.name == name; });
        if (!taken) {
            members.push_back({std::move(name), part(type.element())});
        }
    }
    return Value::of_members(std::move(members));
}

Value ValueGenerator::record(const Type& type) {
    Value::Members members;
    for (const TypeMember& member : type.members()) {
        members.push_back({member.name, part(member.type)});
    }
    return Value::of_members(std::move(members));
}

}  // namespace jobforge::rules
