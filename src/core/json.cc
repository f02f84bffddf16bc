// The value: construction, access, changes and equality. Reading is in json_parse.cc, writing in
// json_write.cc.
#include <jobforge/json.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "core/json_number.h"

namespace jobforge {

Json::Json(bool value) noexcept : value_(value) {}
Json::Json(int value) : value_(Number{std::to_string(value)}) {}
Json::Json(unsigned value) : value_(Number{std::to_string(value)}) {}
Json::Json(std::int64_t value) : value_(Number{std::to_string(value)}) {}
Json::Json(std::uint64_t value) : value_(Number{std::to_string(value)}) {}
Json::Json(const char* value) : value_(std::string(value)) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(std::string_view value) : value_(std::string(value)) {}
Json::Json(Array value) : value_(std::move(value)) {}
Json::Json(Object value) : value_(std::move(value)) {}

Result<Json> Json::number(std::string_view text) {
    const NumberScan scan = scan_number(text.data(), text.data() + text.size());
    if (scan.fault != nullptr || scan.end != text.data() + text.size()) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         json_quote(text.substr(0, 64)) + " is no JSON number");
    }
    Json json;
    json.value_ = Number{std::string(text)};
    return json;
}

Json Json::object(std::initializer_list<Member> members) {
    return Json(Object(members));
}

Json Json::array(std::initializer_list<Json> items) {
    return Json(Array(items));
}

Json::Kind Json::kind() const noexcept {
    return static_cast<Kind>(value_.index());
}

std::optional<bool> Json::as_bool() const noexcept {
    const bool* const value = std::get_if<bool>(&value_);
    return value == nullptr ? std::nullopt : std::optional<bool>(*value);
}

std::optional<std::int64_t> Json::as_int64() const noexcept {
    const Number* const number = std::get_if<Number>(&value_);
    if (number == nullptr) {
        return std::nullopt;
    }
    const char* const begin = number->text.data();
    const char* const end = begin + number->text.size();
    std::int64_t value = 0;
    // Stops before a fraction or an exponent, so those leave `rest` short of the end.
    const auto [rest, fault] = std::from_chars(begin, end, value);
    if (fault != std::errc() || rest != end) {
        return std::nullopt;
    }
    return value;
}

const std::string* Json::as_string() const noexcept {
    return std::get_if<std::string>(&value_);
}

const Json::Array* Json::as_array() const noexcept {
    return std::get_if<Array>(&value_);
}

const Json::Object* Json::as_object() const noexcept {
    return std::get_if<Object>(&value_);
}

std::optional<std::string_view> Json::number_text() const noexcept {
    const Number* const number = std::get_if<Number>(&value_);
    return number == nullptr ? std::nullopt : std::optional<std::string_view>(number->text);
}

const Json* Json::find(std::string_view key) const noexcept {
    const Object* const members = as_object();
    if (members == nullptr) {
        return nullptr;
    }
    const auto found = std::ranges::find(*members, key, &Member::first);
    return found == members->end() ? nullptr : &found->second;
}

Json& Json::set(std::string key, Json value) {
    if (is_null()) {
        value_ = Object{};
    }
    Object& members = std::get<Object>(value_);
    const auto found = std::ranges::find(members, key, &Member::first);
    if (found != members.end()) {
        found->second = std::move(value);
    } else {
        members.emplace_back(std::move(key), std::move(value));
    }
    return *this;
}

Json& Json::push_back(Json value) {
    if (is_null()) {
        value_ = Array{};
    }
    std::get<Array>(value_).push_back(std::move(value));
    return *this;
}

namespace {

std::vector<std::size_t> order_by_key(const Json::Object& members) {
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&members](std::size_t i, std::size_t j) {
        const int difference = members[i].first.compare(members[j].first);
        return difference != 0 ? difference < 0 : i < j;
    });
    return order;
}

// Member by member in key order: quadratic look-ups would make two large objects a way to stop a
// server.
bool equal_in_key_order(const Json::Object& a, const Json::Object& b) {
    const std::vector<std::size_t> a_order = order_by_key(a);
    const std::vector<std::size_t> b_order = order_by_key(b);
    return std::ranges::equal(a_order, b_order,
                              [&](std::size_t i, std::size_t j) { return a[i] == b[j]; });
}

bool equal_objects(const Json::Object& a, const Json::Object& b) {
    if (a.size() != b.size()) {
        return false;
    }
    const bool same_order =
        std::ranges::equal(a, b, {}, &Json::Member::first, &Json::Member::first);
    if (same_order) {
        return std::ranges::equal(a, b, {}, &Json::Member::second, &Json::Member::second);
    }
    return equal_in_key_order(a, b);
}

}  // namespace

bool operator==(const Json& a, const Json& b) noexcept {
    if (a.value_.index() != b.value_.index()) {
        return false;
    }
    switch (a.kind()) {
        case Json::Kind::null:
            return true;
        case Json::Kind::boolean:
            return a.as_bool() == b.as_bool();
        case Json::Kind::number:
            return a.number_text() == b.number_text();
        case Json::Kind::string:
            return *a.as_string() == *b.as_string();
        case Json::Kind::array:
            return *a.as_array() == *b.as_array();
        case Json::Kind::object:
            return equal_objects(*a.as_object(), *b.as_object());
    }
    return false;
}

}  // namespace jobforge
