#include "rules/eval/rule_value.h"

#include <algorithm>

#include "base/json/json_quote.h"

namespace jobforge::rules {
namespace {

constexpr std::uint64_t kMaximumSize = std::uint64_t{1} << 62;

// Both are at most kMaximumSize, so the sum cannot wrap.
std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
    return std::min(a + b, kMaximumSize);
}

// UTF-16 code units, read off UTF-8 bytes (see core/canonical.cc for the reason).
bool utf16_less(std::string_view a, std::string_view b) noexcept {
    const auto rank = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte == 0xEE || byte == 0xEF ? byte + 0x10 : +byte;
    };
    const std::size_t shared = std::min(a.size(), b.size());
    const auto [in_a, in_b] = std::mismatch(a.data(), a.data() + shared, b.data());
    return in_a == a.data() + shared ? a.size() < b.size() : rank(*in_a) < rank(*in_b);
}

}  // namespace

struct Value::Sequence {
    List elements;
    std::uint64_t size = 1;
};

struct Value::Structure {
    Members members;
    std::uint64_t size = 1;
};

Value::Value(std::string value) : state_(std::make_shared<const std::string>(std::move(value))) {}

Value::Value(List elements) {
    Sequence made{std::move(elements)};
    for (const Value& element : made.elements) {
        made.size = saturating_add(made.size, element.size());
    }
    state_ = std::make_shared<const Sequence>(std::move(made));
}

Value Value::of_members(Members members) {
    std::ranges::sort(members, utf16_less, &ValueMember::name);
    Structure made{std::move(members)};
    for (const ValueMember& member : made.members) {
        made.size = saturating_add(made.size, member.value.size() + member.name.size() / 16);
    }
    Value value;
    value.state_ = std::make_shared<const Structure>(std::move(made));
    return value;
}

const Value::List& Value::list() const {
    return std::get<std::shared_ptr<const Sequence>>(state_)->elements;
}

const Value::Members& Value::members() const {
    return std::get<std::shared_ptr<const Structure>>(state_)->members;
}

const Value* Value::member(std::string_view name) const {
    const Members& all = members();
    const auto found = std::ranges::lower_bound(all, name, utf16_less, &ValueMember::name);
    return found != all.end() && found->name == name ? &found->value : nullptr;
}

std::uint64_t Value::size() const noexcept {
    if (const auto* text = std::get_if<TextPointer>(&state_)) {
        return 1 + (*text)->size() / 16;
    }
    if (const auto* list = std::get_if<std::shared_ptr<const Sequence>>(&state_)) {
        return (*list)->size;
    }
    if (const auto* members = std::get_if<std::shared_ptr<const Structure>>(&state_)) {
        return (*members)->size;
    }
    return 1;
}

const void* Value::identity() const noexcept {
    if (const auto* text = std::get_if<TextPointer>(&state_)) {
        return text->get();
    }
    if (const auto* list = std::get_if<std::shared_ptr<const Sequence>>(&state_)) {
        return list->get();
    }
    if (const auto* members = std::get_if<std::shared_ptr<const Structure>>(&state_)) {
        return members->get();
    }
    return nullptr;
}

namespace {

void append_quantity(std::string& out, const Quantity& quantity) {
    out += R"({"unit":")";
    out += unit_name(*quantity.unit);
    out += R"(","value":")";
    out += quantity.value.text();
    out += "\"}";
}

void append_list(std::string& out, const Value::List& elements) {
    out += '[';
    for (const Value& element : elements) {
        if (&element != elements.data()) {
            out += ',';
        }
        element.append_canonical(out);
    }
    out += ']';
}

void append_members(std::string& out, const Value::Members& members) {
    out += '{';
    for (const ValueMember& member : members) {
        if (&member != members.data()) {
            out += ',';
        }
        append_json_quoted(out, member.name);
        out += ':';
        member.value.append_canonical(out);
    }
    out += '}';
}

void append_plain_quoted(std::string& out, std::string_view text) {
    out += '"';
    out += text;
    out += '"';
}

}  // namespace

void Value::append_canonical(std::string& out) const {
    switch (kind()) {
        case Kind::none:
            out += "null";
            return;
        case Kind::boolean:
            out += boolean() ? "true" : "false";
            return;
        case Kind::integer:
            out += std::to_string(integer());
            return;
        case Kind::date:
            return append_plain_quoted(out, date().text());
        case Kind::decimal:
            return append_plain_quoted(out, decimal().text());
        case Kind::quantity:
            return append_quantity(out, quantity());
        case Kind::text:
            return append_json_quoted(out, text());
        case Kind::list:
            return append_list(out, list());
        case Kind::members:
            return append_members(out, members());
    }
}

std::string Value::canonical() const {
    std::string out;
    append_canonical(out);
    return out;
}

bool equal(const Value& a, const Value& b) {
    if (a.kind() != b.kind()) {
        return false;  // one of them is none
    }
    switch (a.kind()) {
        case Value::Kind::none:
            return true;
        case Value::Kind::boolean:
            return a.boolean() == b.boolean();
        case Value::Kind::list:
            return std::ranges::equal(a.list(), b.list(), equal);
        case Value::Kind::members:
            return std::ranges::equal(
                a.members(), b.members(), [](const ValueMember& left, const ValueMember& right) {
                    return left.name == right.name && equal(left.value, right.value);
                });
        default:
            return compare(a, b) == std::strong_ordering::equal;
    }
}

std::strong_ordering compare(const Value& a, const Value& b) {
    switch (a.kind()) {
        case Value::Kind::integer:
            return a.integer() <=> b.integer();
        case Value::Kind::date:
            return a.date() <=> b.date();
        case Value::Kind::decimal:
            return a.decimal() <=> b.decimal();
        case Value::Kind::quantity:
            return jobforge::compare(a.quantity(), b.quantity());
        default:
            return a.text().compare(b.text()) <=> 0;
    }
}

}  // namespace jobforge::rules
