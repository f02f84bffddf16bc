// One member of a foreign document becomes one of ours: the steps that a mapping is made of.
// Internal to document_facts. Pure.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "passport/documents/document_facts_placeholder.h"
#include "values/decimal.h"

namespace jobforge::passport {

// A value of the foreign document and its JSON pointer. nullptr: it is absent, or null.
struct SourcePlace {
    const Json* json = nullptr;
    std::string pointer;
};

enum class MemberKind {
    text,
    texts,  // a list of texts, or one, joined by commas
    number,
    quantity,  // a number; becomes {"value", "unitCode"}
    flag,
    day,      // a date, with or without a time: the date as it is written
    country,  // two letters; any other name of a country is left out
};

// Dots in the names lead into objects.
struct Member {
    std::string_view from;
    std::string_view to;
    MemberKind kind = MemberKind::text;
    std::string_view unit_code = {};
    NumberRange range = {"0", "0"};
};

[[nodiscard]] SourcePlace below(const SourcePlace& place, std::string_view path);
// Makes the objects on the way.
void put(Json& target, std::string_view path, Json value);

// DOCUMENT_REJECTED at the member's place if it is not of its kind or outside of its range. What is
// absent is left out.
[[nodiscard]] Status take_one(const Member& member, const SourcePlace& from, Json& target);
[[nodiscard]] Status take_all(std::span<const Member> members, const SourcePlace& from,
                              Json& target);
// The list at `path`, each element by `members`; empty if it is absent.
[[nodiscard]] Result<Json> list_of(std::span<const Member> members, const SourcePlace& from,
                                   std::string_view path);
[[nodiscard]] Status for_each(const SourcePlace& from, std::string_view path,
                              const std::function<Status(const SourcePlace&)>& visit);

// The number, if it is one with at most 18 digits behind the point.
[[nodiscard]] std::optional<Decimal> exact_decimal(const Json* json);

[[nodiscard]] Error placeholder_number(const SourcePlace& place);
[[nodiscard]] Error placeholder_text(const SourcePlace& place);

}  // namespace jobforge::passport
