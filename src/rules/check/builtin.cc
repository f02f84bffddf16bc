#include "rules/check/builtin.h"

#include <algorithm>
#include <array>

namespace jobforge::rules {

namespace {

struct Row {
    std::string_view name;
    std::string_view usage;
};

// In the order of the enum.
constexpr std::array kTable{
    Row{"getFact", "getFact(\"Type\", key)"},
    Row{"getFactsByPrefix", "getFactsByPrefix(\"Type\", prefix)"},
    Row{"recordGet", "recordGet(record, \"name\")"},
    Row{"some", "some(value)"},
    Row{"isSome", "isSome(opt) or isSome(opt, opt, ...)"},
    Row{"unwrapOr", "unwrapOr(opt, default)"},
    Row{"requireSome", "requireSome(opt, \"CODE\", \"message\")"},
    Row{"toDec", "toDec(scale, number) or toDec(scale, number, \"half_up\")"},
    Row{"toQty", "toQty(\"unit\", number)"},
    Row{"convert", "convert(\"unit\", quantity)"},
    Row{"sumQty", "sumQty(\"unit\", list)"},
    Row{"sumDec", "sumDec(scale, list)"},
    Row{"map", "map(list, (x) -> value)"},
    Row{"filter", "filter(list, (x) -> condition)"},
    Row{"fold", "fold(list, start, (acc, x) -> value)"},
    Row{"any", "any(list, (x) -> condition)"},
    Row{"all", "all(list, (x) -> condition)"},
    Row{"count", "count(list)"},
    Row{"sort", "sort(list)"},
    Row{"contains", "contains(text, part) or contains(list, element)"},
    Row{"startsWith", "startsWith(text, beginning)"},
    Row{"matches", "matches(text, \"pattern\")"},
    Row{"gs1CheckDigit", "gs1CheckDigit(text)"},
    Row{"toText", "toText(value)"},
    Row{"year", "year(date)"},
    Row{"month", "month(date)"},
    Row{"day", "day(date)"},
    Row{"addDays", "addDays(date, days)"},
    Row{"emitCompliance", "emitCompliance(id, status, evidence)"},
    Row{"declassify", "declassify(\"reason\", value)"},
};
static_assert(kTable.size() == static_cast<std::size_t>(Builtin::declassify) + 1);

constexpr auto kNames = [] {
    std::array<std::string_view, kTable.size()> names;
    std::ranges::transform(kTable, names.begin(), &Row::name);
    return names;
}();

}  // namespace

std::string_view builtin_name(Builtin builtin) noexcept {
    return kTable[static_cast<std::size_t>(builtin)].name;
}

std::optional<Builtin> find_builtin(std::string_view name) noexcept {
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end()) {
        return std::nullopt;
    }
    return static_cast<Builtin>(found - kNames.begin());
}

std::span<const std::string_view> all_builtin_names() noexcept {
    return kNames;
}

std::string_view builtin_usage(Builtin builtin) noexcept {
    return kTable[static_cast<std::size_t>(builtin)].usage;
}

}  // namespace jobforge::rules
