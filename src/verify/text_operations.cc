// contains startsWith matches gs1CheckDigit toText year month day addDays
#include <algorithm>
#include <array>

#include "values/gs1.h"
#include "values/text_search.h"
#include "verify/operation.h"

namespace jobforge::verify {
namespace {

using Kind = Type::Kind;

// RE2 may take a megabyte and milliseconds to compile one; no real package has a thousand.
constexpr std::uint64_t kPatternPrice = 32'000;

// `needle` is compared with each element; a text is searched once, in linear time.
Result<Value> contains(const Call& call) {
    const std::uint64_t needle = call[1].size();
    if (call.is(0, Kind::text) && call.is(1, Kind::text)) {
        if (auto paid = call.environment.pay(call[0].size() + needle); !paid.ok()) {
            return std::move(paid).error();
        }
        return Value(contains_text(*call[0].text(), *call[1].text()));
    }
    if (!call.is(0, Kind::list) || (!fits(call.type_of(1), *call.type_of(0).inner) &&
                                    !fits(*call.type_of(0).inner, call.type_of(1)))) {
        return wrong("it looks for a Text in a Text, or for an element in a List");
    }
    if (auto paid = call.environment.pay(call[0].size() + needle); !paid.ok()) {
        return std::move(paid).error();
    }
    return Value(std::ranges::any_of(*call[0].items(),
                                     [&call](const Value& item) { return equal(item, call[1]); }));
}

Result<Value> starts_with(const Call& call) {
    if (!call.is(0, Kind::text) || !call.is(1, Kind::text)) {
        return wrong("its operands are not Texts");
    }
    if (auto paid = call.environment.pay(call[1].size()); !paid.ok()) {
        return std::move(paid).error();
    }
    return Value(call[0].text()->starts_with(*call[1].text()));
}

Result<const Pattern*> compiled(const Call& call, const std::string& source) {
    auto& patterns = call.environment.patterns;
    const auto known = patterns.find(source);
    if (known != patterns.end()) {
        return &known->second;
    }
    if (auto paid = call.environment.pay(kPatternPrice); !paid.ok()) {
        return std::move(paid).error();
    }
    auto pattern = Pattern::compile(source);
    if (!pattern.ok()) {
        return wrong("its pattern is none: " + pattern.error().message);
    }
    return &patterns.emplace(source, std::move(*pattern)).first->second;
}

Result<Value> matches(const Call& call) {
    const std::string* source = call.constant_text(1);
    if (!call.is(0, Kind::text) || source == nullptr) {
        return wrong("it takes a Text and a literal pattern");
    }
    const auto pattern = compiled(call, *source);
    if (!pattern.ok()) {
        return pattern.error();
    }
    if (auto paid = call.environment.pay(call[0].size() * (*pattern)->weight()); !paid.ok()) {
        return std::move(paid).error();
    }
    return Value((*pattern)->matches(*call[0].text()));
}

Result<Value> gs1_check_digit(const Call& call) {
    if (!call.is(0, Kind::text)) {
        return wrong("its operand is not a Text");
    }
    return Value(jobforge::gs1_check_digit(*call[0].text()));
}

Result<Value> to_text(const Call& call) {
    switch (call.operands[0].type != nullptr ? call.type_of(0).kind : Kind::text) {
        case Kind::boolean:
            return Value(*call[0].boolean() ? "true" : "false");
        case Kind::integer:
            return Value(std::to_string(*call[0].integer()));
        case Kind::decimal:
            return Value(call[0].decimal()->text());
        case Kind::quantity:
            return Value(quantity_text(*call[0].quantity()));
        case Kind::date:
            return Value(call[0].date()->text());
        default:
            return wrong("it writes a Bool, Int, Dec, Qty or Date as Text");
    }
}

template <typename Part>
Result<Value> part_of_date(const Call& call, Part part) {
    if (!call.is(0, Kind::date)) {
        return wrong("its operand is not a Date");
    }
    return Value(std::int64_t{part(*call[0].date())});
}

Result<Value> year(const Call& call) {
    return part_of_date(call, [](const Date& date) { return date.year(); });
}

Result<Value> month(const Call& call) {
    return part_of_date(call, [](const Date& date) { return date.month(); });
}

Result<Value> day(const Call& call) {
    return part_of_date(call, [](const Date& date) { return date.day(); });
}

Result<Value> add_days(const Call& call) {
    if (!call.is(0, Kind::date) || !call.is(1, Kind::integer)) {
        return wrong("it takes a Date and an Int");
    }
    const auto later = call[0].date()->add_days(*call[1].integer());
    if (!later) {
        return wrong("there is no such day between the years 1 and 9999");
    }
    return Value(*later);
}

constexpr std::array<OperationRow, 9> kRows{{
    {"contains", 2, 2, contains},
    {"startsWith", 2, 2, starts_with},
    {"matches", 2, 2, matches},
    {"gs1CheckDigit", 1, 1, gs1_check_digit},
    {"toText", 1, 1, to_text},
    {"year", 1, 1, year},
    {"month", 1, 1, month},
    {"day", 1, 1, day},
    {"addDays", 2, 2, add_days},
}};

}  // namespace

std::span<const OperationRow> text_operations() noexcept {
    return kRows;
}

}  // namespace jobforge::verify
