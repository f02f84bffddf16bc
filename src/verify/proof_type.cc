#include "verify/proof_type.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace jobforge::verify {
namespace {

using Kind = Type::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 5> kPlainTypes{{
    {"Nothing", Kind::nothing},
    {"Bool", Kind::boolean},
    {"Int", Kind::integer},
    {"Text", Kind::text},
    {"Date", Kind::date},
}};

bool is_name_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void append_address(std::string& key, const void* address) {
    key += std::to_string(reinterpret_cast<std::uintptr_t>(address));
    key += ' ';
}

// What tells two types apart, given that their parts were made once.
std::string identity_of(const Type& type) {
    std::string key = std::to_string(static_cast<int>(type.kind)) + ' ';
    key += std::to_string(type.scale) + ' ';
    append_address(key, type.unit);
    append_address(key, type.inner.get());
    for (const Type::Member& member : type.members) {
        key += member.name + ' ';
        append_address(key, member.type.get());
    }
    return key;
}

bool is_partial(const Type& type) noexcept {
    return type.is(Kind::nothing) || (type.inner != nullptr && type.inner->partial) ||
           std::ranges::any_of(type.members,
                               [](const auto& member) { return member.type->partial; });
}

bool members_fit(const Type& from, const Type& to) noexcept {
    return std::ranges::equal(from.members, to.members,
                              [](const Type::Member& a, const Type::Member& b) {
                                  return a.name == b.name && fits(*a.type, *b.type);
                              });
}

}  // namespace

// Recursive descent over the notation. Exact about blanks, so that a type has one spelling.
class TypeReader::Parser final {
public:
    Parser(std::string_view text, TypeReader& reader) : rest_(text), reader_(reader) {}

    [[nodiscard]] TypePtr whole() {
        TypePtr type = any(0);
        return rest_.empty() ? type : nullptr;
    }

private:
    TypePtr any(int depth) {
        if (depth >= TypeReader::kMaximumDepth) {
            return nullptr;
        }
        Type type;
        if (!body(type, word(), depth)) {
            return nullptr;
        }
        type.partial = is_partial(type);
        const auto [place, is_new] = reader_.made_.try_emplace(identity_of(type));
        if (is_new) {
            place->second = std::make_shared<const Type>(std::move(type));
        }
        return place->second;
    }

    bool body(Type& type, std::string_view name, int depth) {
        for (const auto& [plain, kind] : kPlainTypes) {
            if (name == plain) {
                type.kind = kind;
                return true;
            }
        }
        if (!take("(")) {
            return false;
        }
        if (name == "Dec") {
            return decimal(type);
        }
        if (name == "Qty") {
            return quantity(type);
        }
        if (name == "Record") {
            return record(type, depth);
        }
        return container(type, name, depth);
    }

    bool decimal(Type& type) {
        type.kind = Kind::decimal;
        const std::string_view digits = word();
        const char* end = digits.data() + digits.size();
        const auto [stop, fault] = std::from_chars(digits.data(), end, type.scale);
        const bool one_spelling = digits.size() == 1 || digits.starts_with('1');
        return fault == std::errc() && stop == end && one_spelling &&
               type.scale <= Decimal::kMaxScale && take(")");
    }

    bool quantity(Type& type) {
        type.kind = Kind::quantity;
        type.unit = find_unit(word());
        return type.unit != nullptr && take(")");
    }

    bool container(Type& type, std::string_view name, int depth) {
        if (name == "Opt") {
            type.kind = Kind::optional;
        } else if (name == "List") {
            type.kind = Kind::list;
        } else if (name == "Map" && take("Text, ")) {
            type.kind = Kind::map;
        } else {
            return false;
        }
        type.inner = any(depth + 1);
        const bool nested_option =
            type.is(Kind::optional) && type.inner != nullptr && type.inner->is(Kind::optional);
        return type.inner != nullptr && !nested_option && take(")");
    }

    bool record(Type& type, int depth) {
        type.kind = Kind::record;
        if (take(")")) {
            return true;
        }
        do {
            const std::string_view name = word();
            const bool sorted = type.members.empty() || type.members.back().name < name;
            const bool is_name = !name.empty() && (name.front() < '0' || name.front() > '9');
            if (!is_name || !sorted || !take(": ")) {
                return false;
            }
            TypePtr member = any(depth + 1);
            if (member == nullptr) {
                return false;
            }
            type.members.push_back({std::string(name), std::move(member)});
        } while (take(", "));
        return take(")");
    }

    std::string_view word() noexcept {
        const auto* end = std::ranges::find_if_not(rest_, is_name_character);
        const auto length = static_cast<std::size_t>(end - rest_.begin());
        const std::string_view found = rest_.substr(0, length);
        rest_.remove_prefix(length);
        return found;
    }

    bool take(std::string_view token) noexcept {
        if (!rest_.starts_with(token)) {
            return false;
        }
        rest_.remove_prefix(token.size());
        return true;
    }

    std::string_view rest_;
    TypeReader& reader_;
};

const Type* Type::member(std::string_view name) const noexcept {
    const auto found = std::ranges::lower_bound(members, name, {}, &Member::name);
    return found == members.end() || found->name != name ? nullptr : found->type.get();
}

bool is_scalar(const Type& type) noexcept {
    if (type.is(Kind::optional)) {
        return is_scalar(*type.inner);
    }
    return !type.is(Kind::list) && !type.is(Kind::map) && !type.is(Kind::record);
}

bool is_orderable(const Type& type) noexcept {
    return type.is(Kind::integer) || type.is(Kind::decimal) || type.is(Kind::quantity) ||
           type.is(Kind::text) || type.is(Kind::date);
}

bool fits(const Type& from, const Type& to) noexcept {
    if (from.is(Kind::nothing) || &from == &to) {
        return true;
    }
    if (!from.partial || from.kind != to.kind) {
        return false;
    }
    switch (from.kind) {
        case Kind::optional:
        case Kind::list:
        case Kind::map:
            return fits(*from.inner, *to.inner);
        case Kind::record:
            return members_fit(from, to);
        default:
            return false;
    }
}

TypePtr TypeReader::read(const std::string& notation) {
    const auto [place, is_new] = read_.try_emplace(notation);
    if (is_new) {
        place->second = Parser(notation, *this).whole();
    }
    return place->second;
}

}  // namespace jobforge::verify
