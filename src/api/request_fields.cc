#include "api/request_fields.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/text/time_text.h"

namespace jobforge::api {

namespace {

constexpr std::string_view kTimeForm = "must be a time like 2030-01-31T12:00:00Z";
constexpr std::string_view kUuidForm = "must be an id (a UUID)";

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string known_names(const std::vector<std::string_view>& names) {
    return names.empty() ? std::string("there are none here")
                         : fmt::format("known: {}", fmt::join(names, ", "));
}

std::optional<TimePoint> time_of(std::string_view text) {
    const auto unix_us = parse_time(text);
    if (!unix_us.ok()) {
        return std::nullopt;
    }
    return TimePoint(std::chrono::microseconds(*unix_us));
}

}  // namespace

Error field_error(std::string_view field, std::string_view what) {
    Error error = Error::of(ErrorCode::VALIDATION_ERROR, fmt::format("{} {}", field, what));
    error.details = Json::object({{"field", field}}).dump();
    return error;
}

void BodyFields::refuse(std::string_view name, std::string_view what) {
    if (!error_) {
        error_ = field_error(name, what);
    }
}

const Json* BodyFields::json(std::string_view name) {
    known_.push_back(name);
    return body_.find(name);
}

const Json* BodyFields::present(std::string_view name) {
    const Json* value = json(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

std::optional<std::string> BodyFields::opt_text(std::string_view name) {
    const Json* value = present(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (const std::string* text = value->as_string()) {
        return *text;
    }
    refuse(name, "must be a string");
    return std::nullopt;
}

std::string BodyFields::text(std::string_view name) {
    auto value = opt_text(name);
    if (!value) {
        refuse(name, "is missing");
    }
    return std::move(value).value_or(std::string());
}

std::optional<Uuid> BodyFields::opt_uuid(std::string_view name) {
    const auto text = opt_text(name);
    if (!text) {
        return std::nullopt;
    }
    const auto id = Uuid::parse(*text);
    if (!id.ok()) {
        refuse(name, kUuidForm);
        return std::nullopt;
    }
    return *id;
}

Uuid BodyFields::uuid(std::string_view name) {
    const auto value = opt_uuid(name);
    if (!value) {
        refuse(name, "is missing");
    }
    return value.value_or(Uuid{});
}

std::optional<std::int64_t> BodyFields::opt_integer(std::string_view name) {
    const Json* value = present(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    const auto number = value->as_int64();
    if (!number) {
        refuse(name, "must be an integer");
    }
    return number;
}

std::int64_t BodyFields::integer(std::string_view name) {
    const auto value = opt_integer(name);
    if (!value) {
        refuse(name, "is missing");
    }
    return value.value_or(0);
}

std::optional<int> BodyFields::opt_int(std::string_view name, int least, int most) {
    const auto value = opt_integer(name);
    if (!value) {
        return std::nullopt;
    }
    if (*value < least || *value > most) {
        refuse(name, fmt::format("must be between {} and {}", least, most));
        return std::nullopt;
    }
    return static_cast<int>(*value);
}

std::optional<bool> BodyFields::opt_boolean(std::string_view name) {
    const Json* value = present(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    const auto truth = value->as_bool();
    if (!truth) {
        refuse(name, "must be true or false");
    }
    return truth;
}

std::optional<TimePoint> BodyFields::opt_time(std::string_view name) {
    const auto text = opt_text(name);
    if (!text) {
        return std::nullopt;
    }
    const auto time = time_of(*text);
    if (!time) {
        refuse(name, kTimeForm);
    }
    return time;
}

const std::string* BodyFields::element(std::string_view name, const Json& item) {
    const std::string* text = item.as_string();
    if (text == nullptr) {
        refuse(name, "must be a list of strings");
    }
    return text;
}

std::vector<std::string> BodyFields::texts(std::string_view name) {
    std::vector<std::string> values;
    const Json* value = present(name);
    if (value == nullptr) {
        return values;
    }
    const Json::Array* items = value->as_array();
    if (items == nullptr) {
        refuse(name, "must be a list of strings");
        return values;
    }
    for (const Json& item : *items) {
        if (const std::string* text = element(name, item)) {
            values.push_back(*text);
        }
    }
    return values;
}

std::vector<Uuid> BodyFields::uuids(std::string_view name) {
    std::vector<Uuid> ids;
    for (const std::string& text : texts(name)) {
        if (const auto id = Uuid::parse(text); id.ok()) {
            ids.push_back(*id);
        } else {
            refuse(name, "must be a list of ids (UUIDs)");
        }
    }
    return ids;
}

Status BodyFields::finish() const {
    if (error_) {
        return *error_;
    }
    if (const Json::Object* members = body_.as_object()) {
        for (const Json::Member& member : *members) {
            if (!contains(known_, member.first)) {
                return field_error(member.first,
                                   "is not a member of this body; " + known_names(known_));
            }
        }
    }
    return ok_status();
}

void QueryFields::refuse(std::string_view name, std::string_view what) {
    if (!error_) {
        error_ = field_error(name, what);
    }
}

std::optional<std::string> QueryFields::opt_text(std::string_view name) {
    known_.push_back(name);
    std::optional<std::string> found;
    for (const auto& [key, value] : head_.query) {
        if (key != name) {
            continue;
        }
        if (found) {
            refuse(name, "is given twice");
        }
        found = value;
    }
    return found;
}

std::optional<Uuid> QueryFields::opt_uuid(std::string_view name) {
    const auto text = opt_text(name);
    if (!text) {
        return std::nullopt;
    }
    const auto id = Uuid::parse(*text);
    if (!id.ok()) {
        refuse(name, kUuidForm);
        return std::nullopt;
    }
    return *id;
}

std::optional<int> QueryFields::opt_int(std::string_view name, int least, int most) {
    const auto text = opt_text(name);
    if (!text) {
        return std::nullopt;
    }
    int value = 0;
    const char* end = text->data() + text->size();
    const auto read = std::from_chars(text->data(), end, value);
    if (read.ec != std::errc() || read.ptr != end || value < least || value > most) {
        refuse(name, fmt::format("must be an integer between {} and {}", least, most));
        return std::nullopt;
    }
    return value;
}

std::optional<bool> QueryFields::opt_boolean(std::string_view name) {
    const auto text = opt_text(name);
    if (!text) {
        return std::nullopt;
    }
    if (*text != "true" && *text != "false") {
        refuse(name, "must be true or false");
    }
    return *text == "true";
}

std::optional<TimePoint> QueryFields::opt_time(std::string_view name) {
    const auto text = opt_text(name);
    if (!text) {
        return std::nullopt;
    }
    const auto time = time_of(*text);
    if (!time) {
        refuse(name, kTimeForm);
    }
    return time;
}

Status QueryFields::finish() const {
    if (error_) {
        return *error_;
    }
    for (const auto& [key, value] : head_.query) {
        if (!contains(known_, key)) {
            return field_error(key, "is not a parameter of this path; " + known_names(known_));
        }
    }
    return ok_status();
}

}  // namespace jobforge::api
