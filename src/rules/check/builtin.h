// The built-in functions of the rule language by name. `field(...)`, `date(...)`, `qty(...)` and
// `implies(...)` look like calls but are syntax of their own, see ast.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace jobforge::rules {

enum class Builtin : std::uint8_t {
    get_fact,             // getFact("Type", Text) -> Opt(Record)
    get_facts_by_prefix,  // getFactsByPrefix("Type", Text) -> List(Record), by key bytes
    record_get,           // recordGet(Record, "name") | recordGet(Map(Text, T), Text) -> Opt(T);
                          // of an Opt of these too: none gives none
    some,                 // some(T) -> Opt(T)
    is_some,              // isSome(Opt(T), Opt(U)...) -> Bool: all of them are given
    unwrap_or,            // unwrapOr(Opt(T), T) -> T
    require_some,         // requireSome(Opt(T), "CODE", "message") -> T
    to_dec,               // toDec(scale, Int | Dec, "mode"?) -> Dec; of Text: Opt(Dec)
    to_qty,               // toQty("unit", Int | Dec) -> Qty
    convert,              // convert("unit", Qty) -> Qty
    sum_qty,              // sumQty("unit", List(Qty)) -> Qty
    sum_dec,              // sumDec(scale, List(Dec) | List(Int)) -> Dec
    map,                  // map(List(T), (x) -> U) -> List(U)
    filter,               // filter(List(T), (x) -> Bool) -> List(T)
    fold,                 // fold(List(T), U, (acc, x) -> U) -> U
    any,                  // any(List(T), (x) -> Bool) -> Bool
    all,                  // all(List(T), (x) -> Bool) -> Bool
    count,                // count(List(T)) -> Int
    sort,                 // sort(List(T)) -> List(T), T orderable
    contains,             // contains(Text, Text) | contains(List(T), T) -> Bool
    starts_with,          // startsWith(Text, Text) -> Bool
    matches,              // matches(Text, "RE2 pattern") -> Bool
    gs1_check_digit,      // gs1CheckDigit(Text) -> Bool
    to_text,              // toText(Int | Dec | Qty | Date | Bool) -> Text
    year,                 // year(Date) -> Int
    month,                // month(Date) -> Int
    day,                  // day(Date) -> Int
    add_days,             // addDays(Date, Int) -> Date
    emit_compliance,      // emitCompliance(Text, Text, Text) -> Bool: status is not "FAIL"
    declassify,           // declassify("reason", T) -> T: may reach all readers of the field
};

// As rules and proofs write it: "getFact".
[[nodiscard]] std::string_view builtin_name(Builtin builtin) noexcept;
[[nodiscard]] std::optional<Builtin> find_builtin(std::string_view name) noexcept;
[[nodiscard]] std::span<const std::string_view> all_builtin_names() noexcept;
// How to call it, for advice: "requireSome(opt, \"CODE\", \"message\")".
[[nodiscard]] std::string_view builtin_usage(Builtin builtin) noexcept;

}  // namespace jobforge::rules
