// The value: construction, access, changes and equality. Reading is in json_parse.cc, writing in
// json_write.cc.
#include <jobforge/json.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "base/json/json_number.h"

namespace jobforge {

namespace {

// The digits of an integer, in a buffer that lives as long as this does.
class IntegerText final {
public:
    template <typename Integer>
    explicit IntegerText(Integer value) noexcept {
        end_ = std::to_chars(digits_.data(), digits_.data() + digits_.size(), value).ptr;
    }
    operator std::string_view() const noexcept { return {digits_.data(), end_}; }

private:
    std::array<char, 24> digits_{};
    const char* end_ = nullptr;
};

}  // namespace

Json::Json(bool value) noexcept : kind_(Kind::boolean), boolean_(value) {}
Json::Json(int value) : Json() {
    set_number(IntegerText(value));
}
Json::Json(unsigned value) : Json() {
    set_number(IntegerText(value));
}
Json::Json(std::int64_t value) : Json() {
    set_number(IntegerText(value));
}
Json::Json(std::uint64_t value) : Json() {
    set_number(IntegerText(value));
}
Json::Json(const char* value) : Json(std::string_view(value)) {}
Json::Json(std::string value) : kind_(Kind::string), string_(std::move(value)) {}
Json::Json(std::string_view value) : kind_(Kind::string), string_(value) {}
Json::Json(Array value) : kind_(Kind::array), array_{std::move(value), nullptr} {}
Json::Json(Object value) : kind_(Kind::object), object_{std::move(value), nullptr} {}

Json::Json(const Json& other) : Json() {
    switch (other.kind_) {
        case Kind::null:
            break;
        case Kind::boolean:
            boolean_ = other.boolean_;
            kind_ = Kind::boolean;
            break;
        case Kind::number:
            set_number(*other.number_text());
            break;
        case Kind::string:
            set_string(other.string_);
            break;
        case Kind::array:
            set_array(Array(other.array_.list));
            break;
        case Kind::object:
            set_object(Object(other.object_.list));
            break;
    }
}

Json::Json(Json&& other) noexcept : Json() {
    take(other);
}

Json& Json::operator=(const Json& other) {
    return *this = Json(other);
}

Json& Json::operator=(Json&& other) noexcept {
    // By way of a third: `other` may be a part of what is destroyed here.
    Json taken(std::move(other));
    release();
    take(taken);
    return *this;
}

void Json::set_number(std::string_view text) {
    if (text.size() <= kShortNumber) {
        number_ = {};
        std::memcpy(number_.data(), text.data(), text.size());
        number_size_ = static_cast<std::uint8_t>(text.size());
    } else {
        std::construct_at(&string_, text);
        number_size_ = 0;
    }
    kind_ = Kind::number;
}

void Json::set_string(std::string_view text) {
    std::construct_at(&string_, text);
    kind_ = Kind::string;
}

void Json::set_array(Array&& items) noexcept {
    std::construct_at(&array_, std::move(items), nullptr);
    kind_ = Kind::array;
}

void Json::set_object(Object&& members) noexcept {
    std::construct_at(&object_, std::move(members), nullptr);
    kind_ = Kind::object;
}

// Leaves `other` null. This value is null.
void Json::take(Json& other) noexcept {
    switch (other.kind_) {
        case Kind::null:
            return;
        case Kind::boolean:
            boolean_ = other.boolean_;
            break;
        case Kind::number:
            number_size_ = other.number_size_;
            if (number_size_ != 0) {
                number_ = other.number_;
            } else {
                std::construct_at(&string_, std::move(other.string_));
            }
            break;
        case Kind::string:
            std::construct_at(&string_, std::move(other.string_));
            break;
        case Kind::array:
            std::construct_at(&array_, std::move(other.array_));
            break;
        case Kind::object:
            std::construct_at(&object_, std::move(other.object_));
            break;
    }
    kind_ = other.kind_;
    other.release();
}

// Makes this null and gives back all it owns.
void Json::release() noexcept {
    if (kind_ >= Kind::array) {
        release_container();
    } else if (kind_ == Kind::string || (kind_ == Kind::number && number_size_ == 0)) {
        std::destroy_at(&string_);
    }
    kind_ = Kind::null;
}

// A tree of any depth, without recursion and without memory for a stack: a container is emptied
// from its end; where a container is found inside, it notes the way back and is emptied first.
void Json::release_container() noexcept {
    Json* at = this;
    for (;;) {
        if (Json* const inner = at->drop_scalars(); inner != nullptr) {
            (inner->kind_ == Kind::array ? inner->array_.around : inner->object_.around) = at;
            at = inner;
            continue;
        }
        Json* const around = at->kind_ == Kind::array ? at->array_.around : at->object_.around;
        at->drop_emptied();
        if (at == this) {
            return;
        }
        at = around;
    }
}

// Destroys elements from the end up to the first that is a container, which it returns; nullptr
// when none is left.
Json* Json::drop_scalars() noexcept {
    const auto drop = [](auto& list, auto value_of) -> Json* {
        for (; !list.empty(); list.pop_back()) {
            Json& last = value_of(list.back());
            if (last.kind_ >= Kind::array) {
                return &last;
            }
        }
        return nullptr;
    };
    return kind_ == Kind::array
               ? drop(array_.list, [](Json& item) -> Json& { return item; })
               : drop(object_.list, [](Member& member) -> Json& { return member.second; });
}

void Json::drop_emptied() noexcept {
    if (kind_ == Kind::array) {
        std::destroy_at(&array_);
    } else {
        std::destroy_at(&object_);
    }
    kind_ = Kind::null;
}

Result<Json> Json::number(std::string_view text) {
    const NumberScan scan = scan_number(text.data(), text.data() + text.size());
    if (scan.fault != nullptr || scan.end != text.data() + text.size()) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         json_quote(text.substr(0, 64)) + " is not a JSON number");
    }
    Json json;
    json.set_number(text);
    return json;
}

Json Json::object(std::initializer_list<Member> members) {
    return Json(Object(members));
}

Json Json::array(std::initializer_list<Json> items) {
    return Json(Array(items));
}

std::optional<bool> Json::as_bool() const noexcept {
    return is_bool() ? std::optional<bool>(boolean_) : std::nullopt;
}

std::optional<std::int64_t> Json::as_int64() const noexcept {
    const std::optional<std::string_view> text = number_text();
    if (!text) {
        return std::nullopt;
    }
    const char* const end = text->data() + text->size();
    std::int64_t value = 0;
    // Stops before a fraction or an exponent, so those leave `rest` short of the end.
    const auto [rest, fault] = std::from_chars(text->data(), end, value);
    if (fault != std::errc() || rest != end) {
        return std::nullopt;
    }
    return value;
}

const std::string* Json::as_string() const noexcept {
    return is_string() ? &string_ : nullptr;
}

const Json::Array* Json::as_array() const noexcept {
    return is_array() ? &array_.list : nullptr;
}

const Json::Object* Json::as_object() const noexcept {
    return is_object() ? &object_.list : nullptr;
}

std::optional<std::string_view> Json::number_text() const noexcept {
    if (!is_number()) {
        return std::nullopt;
    }
    return number_size_ != 0 ? std::string_view(number_.data(), number_size_)
                             : std::string_view(string_);
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
        set_object({});
    }
    if (!is_object()) {
        throw std::logic_error("Json::set on a value that is not an object");
    }
    Object& members = object_.list;
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
        set_array({});
    }
    if (!is_array()) {
        throw std::logic_error("Json::push_back on a value that is not an array");
    }
    array_.list.push_back(std::move(value));
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
    if (a.kind() != b.kind()) {
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
