#include "prices/price_members.h"

#include <limits>

#include <fmt/format.h>

#include "values/decimal.h"

namespace jobforge::services {

Members::Members(const Json& object, std::string_view where) : object_(object), where_(where) {
    if (!object.is_object()) {
        error_ = Error::of(ErrorCode::VALIDATION_ERROR,
                           fmt::format("{} must be an object",
                                       where.empty() ? std::string_view("the value") : where));
    }
}

const Json* Members::any(std::string_view name) {
    read_.emplace(name);
    const Json* const value = object_.find(name);
    return value == nullptr || value->is_null() ? nullptr : value;
}

void Members::fault(std::string_view name, std::string_view what) {
    if (!error_) {
        error_ = Error::of(
            ErrorCode::VALIDATION_ERROR,
            fmt::format("\"{}{}{}\" must be {}", where_, where_.empty() ? "" : ".", name, what));
    }
}

Members& Members::text(std::string_view name, std::string& out) {
    if (const Json* const value = any(name)) {
        const std::string* const found = value->as_string();
        found == nullptr ? fault(name, "a text") : void(out = *found);
    }
    return *this;
}

Members& Members::texts(std::string_view name, std::vector<std::string>& out) {
    const Json* const value = any(name);
    if (value == nullptr) {
        return *this;
    }
    const Json::Array* const items = value->as_array();
    if (items == nullptr) {
        fault(name, "a list of texts");
        return *this;
    }
    std::vector<std::string> found;
    for (const Json& item : *items) {
        const std::string* const one = item.as_string();
        if (one == nullptr) {
            fault(name, "a list of texts");
            return *this;
        }
        found.push_back(*one);
    }
    out = std::move(found);
    return *this;
}

Members& Members::integer(std::string_view name, std::int64_t& out, std::int64_t least,
                          std::int64_t most) {
    if (const Json* const value = any(name)) {
        const auto number = value->as_int64();
        if (!number || *number < least || *number > most) {
            fault(name, fmt::format("a whole number from {} to {}", least, most));
        } else {
            out = *number;
        }
    }
    return *this;
}

Members& Members::integer(std::string_view name, std::optional<int>& out) {
    using Limits = std::numeric_limits<int>;
    std::int64_t number = 0;
    integer(name, number, Limits::min(), Limits::max());
    if (!error_ && any(name) != nullptr) {
        out = static_cast<int>(number);
    }
    return *this;
}

Members& Members::boolean(std::string_view name, bool& out) {
    if (const Json* const value = any(name)) {
        const auto found = value->as_bool();
        found ? void(out = *found) : fault(name, "true or false");
    }
    return *this;
}

Members& Members::share(std::string_view name, std::int64_t& out, int digits) {
    const Json* const value = any(name);
    if (value == nullptr) {
        return *this;
    }
    const auto number = Decimal::parse(value->number_text().value_or(""));
    const auto scaled = number.ok() ? number->rescale(digits, Rounding::down) : number;
    if (!scaled.ok() || number->sign() < 0 || *number > Decimal::from_int(1)) {
        fault(name, "a number from 0 to 1");
    } else {
        out = static_cast<std::int64_t>(scaled->unscaled());
    }
    return *this;
}

Status Members::end() const {
    return error_ ? Status(*error_) : ok_status();
}

Status Members::end_strict() const {
    if (error_) {
        return *error_;
    }
    for (const auto& [name, value] : *object_.as_object()) {
        if (!read_.contains(name)) {
            return Error::of(ErrorCode::VALIDATION_ERROR,
                             fmt::format("\"{}{}{}\" is not a setting", where_,
                                         where_.empty() ? "" : ".", name));
        }
    }
    return ok_status();
}

}  // namespace jobforge::services
