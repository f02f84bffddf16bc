// Types as text and back.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "rules/check/rule_type.h"

namespace jobforge::rules {

namespace {

void append_notation(std::string& out, const Type& type);

void append_members(std::string& out, std::string_view word, const Type& type) {
    out += word;
    out += '(';
    if (type.is(Type::Kind::map)) {
        out += "Text, ";
    }
    const char* separator = "";
    for (const TypeMember& member : type.members()) {
        out += separator;
        separator = ", ";
        if (type.is(Type::Kind::record)) {
            out += member.name;
            out += ": ";
        }
        append_notation(out, member.type);
    }
    out += ')';
}

void append_notation(std::string& out, const Type& type) {
    switch (type.kind()) {
        case Type::Kind::error:
            out += "?";
            return;
        case Type::Kind::nothing:
            out += "Nothing";
            return;
        case Type::Kind::boolean:
            out += "Bool";
            return;
        case Type::Kind::integer:
            out += "Int";
            return;
        case Type::Kind::text:
            out += "Text";
            return;
        case Type::Kind::date:
            out += "Date";
            return;
        case Type::Kind::decimal:
            out += "Dec(" + std::to_string(type.scale()) + ")";
            return;
        case Type::Kind::quantity:
            out += "Qty(" + std::string(unit_name(*type.unit())) + ")";
            return;
        case Type::Kind::optional:
            return append_members(out, "Opt", type);
        case Type::Kind::list:
            return append_members(out, "List", type);
        case Type::Kind::map:
            return append_members(out, "Map", type);
        case Type::Kind::record:
            return append_members(out, "Record", type);
    }
}

bool is_name_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Recursive descent over the notation; depth is limited by Type::kMaximumDepth.
class NotationReader final {
public:
    explicit NotationReader(std::string_view text) noexcept : rest_(text) {}

    std::optional<Type> whole() {
        auto type = read(1);
        skip_blanks();
        return rest_.empty() ? type : std::nullopt;
    }

private:
    std::optional<Type> read(std::size_t depth) {
        if (depth > Type::kMaximumDepth) {
            return std::nullopt;
        }
        const std::string_view name = word();
        const auto scalar =
            std::ranges::find(kScalars, name, &std::pair<std::string_view, Type>::first);
        if (scalar != kScalars.end()) {
            return scalar->second;
        }
        if (!accept('(')) {
            return std::nullopt;
        }
        auto type = parameterised(name, depth);
        return type && accept(')') ? type : std::nullopt;
    }

    std::optional<Type> parameterised(std::string_view name, std::size_t depth) {
        if (name == "Dec") {
            return decimal();
        }
        if (name == "Qty") {
            const UnitPointer unit = find_unit(word());
            return unit != nullptr ? std::optional(Type::quantity(unit)) : std::nullopt;
        }
        if (name == "Record") {
            return record(depth);
        }
        if (name == "Map" && (word() != "Text" || !accept(','))) {
            return std::nullopt;
        }
        auto element = read(depth + 1);
        if (!element) {
            return std::nullopt;
        }
        if (name == "Opt" && !element->is(Type::Kind::optional)) {
            return Type::optional(*std::move(element));
        }
        if (name == "List") {
            return Type::list(*std::move(element));
        }
        return name == "Map" ? std::optional(Type::map(*std::move(element))) : std::nullopt;
    }

    std::optional<Type> decimal() {
        const std::string_view digits = word();
        int scale = -1;
        const auto [end, fault] =
            std::from_chars(digits.data(), digits.data() + digits.size(), scale);
        const bool good = fault == std::errc{} && end == digits.data() + digits.size() &&
                          scale >= 0 && scale <= Decimal::kMaxScale;
        return good ? std::optional(Type::decimal(scale)) : std::nullopt;
    }

    std::optional<Type> record(std::size_t depth) {
        std::vector<TypeMember> members;
        skip_blanks();
        while (!rest_.starts_with(')')) {
            if (!members.empty() && !accept(',')) {
                return std::nullopt;
            }
            std::string name(word());
            // Sorted and different: the notation of a type is unique.
            if (name.empty() || (name.front() >= '0' && name.front() <= '9') ||
                (!members.empty() && name <= members.back().name) || !accept(':')) {
                return std::nullopt;
            }
            auto type = read(depth + 1);
            if (!type) {
                return std::nullopt;
            }
            members.push_back({std::move(name), *std::move(type)});
            skip_blanks();
        }
        return Type::record(std::move(members));
    }

    void skip_blanks() noexcept {
        while (rest_.starts_with(' ')) {
            rest_.remove_prefix(1);
        }
    }

    std::string_view word() noexcept {
        skip_blanks();
        const auto end = std::ranges::find_if_not(rest_, is_name_character);
        const std::string_view found =
            rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
        rest_.remove_prefix(found.size());
        return found;
    }

    bool accept(char c) noexcept {
        skip_blanks();
        if (!rest_.starts_with(c)) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }

    inline static const std::array<std::pair<std::string_view, Type>, 5> kScalars{{
        {"Bool", Type::boolean()},
        {"Int", Type::integer()},
        {"Text", Type::text()},
        {"Date", Type::date()},
        {"Nothing", Type::nothing()},
    }};
    std::string_view rest_;
};

}  // namespace

std::string Type::notation() const {
    std::string out;
    append_notation(out, *this);
    return out;
}

std::optional<Type> parse_type(std::string_view notation) {
    return NotationReader(notation).whole();
}

}  // namespace jobforge::rules
