#include "passport/documents/document_facts_member.h"

#include <algorithm>

#include <fmt/format.h>

#include "passport/documents/document_facts_kind.h"
#include "values/date.h"
#include "values/document_numbers.h"

namespace jobforge::passport {
namespace {

constexpr std::size_t kDateLength = 10;  // 2027-02-18

Error not_of_its_kind(const SourcePlace& place, std::string_view wanted) {
    const std::string_view name =
        std::string_view(place.pointer).substr(place.pointer.rfind('/') + 1);
    return rejected_at(place.pointer, fmt::format("\"{}\" must be {}.", name, wanted));
}

Result<Json> joined(const SourcePlace& place) {
    if (place.json->is_string()) {
        return *place.json;
    }
    const Json::Array* items = place.json->as_array();
    if (items == nullptr || !std::ranges::all_of(*items, &Json::is_string)) {
        return not_of_its_kind(place, "a list of texts");
    }
    std::string text;
    for (const Json& item : *items) {
        text += (text.empty() ? "" : ", ") + *item.as_string();
    }
    return Json(text);
}

Result<Json> day_of(const SourcePlace& place) {
    const std::string* text = place.json->as_string();
    const bool dated =
        text != nullptr && (text->size() == kDateLength ||
                            (text->size() > kDateLength && (*text)[kDateLength] == 'T'));
    if (!dated || !Date::parse(std::string_view(*text).substr(0, kDateLength))) {
        return not_of_its_kind(place, "a date such as 2027-02-18, with or without a time");
    }
    return Json(text->substr(0, kDateLength));
}

// Without a value: left out.
Result<std::optional<Json>> value_of(const Member& member, const SourcePlace& place) {
    const Json& json = *place.json;
    switch (member.kind) {
        case MemberKind::text:
            if (!json.is_string()) {
                return not_of_its_kind(place, "a text");
            }
            return std::optional(json);
        case MemberKind::flag:
            if (!json.is_bool()) {
                return not_of_its_kind(place, "true or false");
            }
            return std::optional(json);
        case MemberKind::country: {
            const std::string* text = json.as_string();
            const bool is_code =
                text != nullptr && text->size() == 2 &&
                std::ranges::all_of(*text, [](char c) { return c >= 'A' && c <= 'Z'; });
            return is_code ? std::optional(json) : std::nullopt;
        }
        case MemberKind::texts:
        case MemberKind::day: {
            auto made = member.kind == MemberKind::day ? day_of(place) : joined(place);
            if (!made.ok()) {
                return std::move(made).error();
            }
            return std::optional(std::move(*made));
        }
        default:
            break;
    }
    if (!json.is_number()) {
        return not_of_its_kind(place, "a number");
    }
    if (!is_within(json, member.range)) {
        return placeholder_number(place);
    }
    return member.kind == MemberKind::number
               ? std::optional(json)
               : std::optional(
                     Json::object({{"unitCode", std::string(member.unit_code)}, {"value", json}}));
}

}  // namespace

SourcePlace below(const SourcePlace& place, std::string_view path) {
    SourcePlace found = place;
    while (found.json != nullptr && !path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        const std::string_view name = path.substr(0, dot);
        path.remove_prefix(std::min(dot + 1, path.size()));
        found.json = found.json->find(name);
        found.pointer += json_pointer_token(name);
    }
    if (found.json != nullptr && found.json->is_null()) {
        found.json = nullptr;
    }
    return found;
}

void put(Json& target, std::string_view path, Json value) {
    const std::size_t dot = path.find('.');
    const std::string name(path.substr(0, dot));
    if (dot == std::string_view::npos) {
        target.set(name, std::move(value));
        return;
    }
    const Json* group = target.find(name);
    Json inner = group != nullptr ? *group : Json::object();
    put(inner, path.substr(dot + 1), std::move(value));
    target.set(name, std::move(inner));
}

Status take_one(const Member& member, const SourcePlace& from, Json& target) {
    const SourcePlace place = below(from, member.from);
    if (place.json == nullptr) {
        return ok_status();
    }
    auto value = value_of(member, place);
    if (!value.ok()) {
        return std::move(value).error();
    }
    if (*value) {
        put(target, member.to, std::move(**value));
    }
    return ok_status();
}

Status take_all(std::span<const Member> members, const SourcePlace& from, Json& target) {
    for (const Member& member : members) {
        if (auto done = take_one(member, from, target); !done.ok()) {
            return done;
        }
    }
    return ok_status();
}

Result<Json> list_of(std::span<const Member> members, const SourcePlace& from,
                     std::string_view path) {
    Json list = Json::array();
    auto done = for_each(from, path, [&](const SourcePlace& item) {
        Json made = Json::object();
        auto taken = take_all(members, item, made);
        list.push_back(std::move(made));
        return taken;
    });
    if (!done.ok()) {
        return std::move(done).error();
    }
    return list;
}

Status for_each(const SourcePlace& from, std::string_view path,
                const std::function<Status(const SourcePlace&)>& visit) {
    const SourcePlace place = below(from, path);
    if (place.json == nullptr) {
        return ok_status();
    }
    const Json::Array* items = place.json->as_array();
    if (items == nullptr) {
        return not_of_its_kind(place, "a list");
    }
    for (std::size_t i = 0; i < items->size(); ++i) {
        const SourcePlace item{&(*items)[i], fmt::format("{}/{}", place.pointer, i)};
        if (!item.json->is_object()) {
            return not_of_its_kind(item, "an object");
        }
        if (auto done = visit(item); !done.ok()) {
            return done;
        }
    }
    return ok_status();
}

std::optional<Decimal> exact_decimal(const Json* json) {
    if (json == nullptr || !json->is_number()) {
        return std::nullopt;
    }
    const auto exact = with_exact_numbers(*json);
    if (!exact.ok()) {
        return std::nullopt;
    }
    const std::string* text = exact->as_string();
    const auto value =
        Decimal::parse(text != nullptr ? std::string_view(*text) : *exact->number_text());
    return value.ok() ? std::optional(*value) : std::nullopt;
}

Error placeholder_number(const SourcePlace& place) {
    return rejected_at(place.pointer,
                       fmt::format("No battery has the value {} here: this looks like the sample "
                                   "data of a generator. Put the real value, or leave the member "
                                   "out.",
                                   *place.json->number_text()));
}

Error placeholder_text(const SourcePlace& place) {
    return rejected_at(place.pointer,
                       fmt::format("\"{}\" looks like the sample data of a generator. Put the real "
                                   "text, or leave the member out.",
                                   *place.json->as_string()));
}

}  // namespace jobforge::passport
