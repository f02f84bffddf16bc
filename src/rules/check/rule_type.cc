#include "rules/check/rule_type.h"

#include <algorithm>
#include <utility>

namespace jobforge::rules {

struct Type::Node {
    std::vector<TypeMember> members;
    std::size_t depth = 1;
    std::size_t size = 1;
    bool partial = false;
};

Type Type::decimal(int scale) noexcept {
    Type type(Kind::decimal);
    type.scale_ = static_cast<std::uint8_t>(scale);
    return type;
}

Type Type::quantity(UnitPointer unit) noexcept {
    Type type(Kind::quantity);
    type.unit_ = unit;
    return type;
}

Type Type::compound(Kind kind, std::vector<TypeMember> members) {
    auto node = std::make_shared<Node>();
    for (const TypeMember& member : members) {
        node->depth = std::max(node->depth, member.type.depth() + 1);
        // Saturates: the checker refuses far smaller sizes.
        node->size = std::min(node->size + member.type.size(), std::size_t{1} << 40);
        node->partial = node->partial || member.type.is_partial();
    }
    node->members = std::move(members);
    Type type(kind);
    type.node_ = std::move(node);
    return type;
}

Type Type::optional(Type value) {
    return compound(Kind::optional, {{"", std::move(value)}});
}

Type Type::list(Type element) {
    return compound(Kind::list, {{"", std::move(element)}});
}

Type Type::map(Type value) {
    return compound(Kind::map, {{"", std::move(value)}});
}

Type Type::record(std::vector<TypeMember> members) {
    std::ranges::sort(members, {}, &TypeMember::name);
    return compound(Kind::record, std::move(members));
}

Type Type::product() {
    return record({{"name", text()}, {"sku", text()}});
}

const Type& Type::element() const noexcept {
    return node_->members.front().type;
}

std::span<const TypeMember> Type::members() const noexcept {
    return node_->members;
}

std::optional<std::size_t> Type::member_index(std::string_view name) const noexcept {
    const auto all = members();
    const auto found = std::ranges::lower_bound(
        all, name, {}, [](const TypeMember& member) { return std::string_view(member.name); });
    if (found == all.end() || found->name != name) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - all.begin());
}

std::size_t Type::depth() const noexcept {
    return node_ ? node_->depth : 1;
}

std::size_t Type::size() const noexcept {
    return node_ ? node_->size : 1;
}

bool Type::is_partial() const noexcept {
    return node_ ? node_->partial : kind_ == Kind::nothing || kind_ == Kind::error;
}

bool Type::is_orderable() const noexcept {
    return kind_ == Kind::integer || kind_ == Kind::decimal || kind_ == Kind::quantity ||
           kind_ == Kind::text || kind_ == Kind::date;
}

bool operator==(const Type& a, const Type& b) noexcept {
    if (a.kind_ != b.kind_ || a.scale_ != b.scale_ || a.unit_ != b.unit_) {
        return false;
    }
    if (a.node_ == b.node_) {
        return true;
    }
    return a.node_->size == b.node_->size && a.node_->depth == b.node_->depth &&
           std::ranges::equal(a.node_->members, b.node_->members,
                              [](const TypeMember& x, const TypeMember& y) {
                                  return x.name == y.name && x.type == y.type;
                              });
}

bool assignable(const Type& from, const Type& to) noexcept {
    using enum Type::Kind;
    if (from.is(error) || to.is(error) || from.is(nothing)) {
        return true;
    }
    if (!from.is_partial() && !to.is_partial()) {
        return from == to;
    }
    if (from.kind() != to.kind() || from.depth() == 1) {
        return from == to;
    }
    return std::ranges::equal(from.members(), to.members(),
                              [](const TypeMember& x, const TypeMember& y) {
                                  return x.name == y.name && assignable(x.type, y.type);
                              });
}

namespace {

Type rebuilt(Type::Kind kind, std::vector<TypeMember> members) {
    switch (kind) {
        case Type::Kind::optional:
            return Type::optional(std::move(members.front().type));
        case Type::Kind::list:
            return Type::list(std::move(members.front().type));
        case Type::Kind::map:
            return Type::map(std::move(members.front().type));
        default:
            return Type::record(std::move(members));
    }
}

}  // namespace

std::optional<Type> unify(const Type& a, const Type& b) {
    if (assignable(a, b)) {
        return a.is_error() ? a : b;
    }
    if (assignable(b, a)) {
        return a;
    }
    // Each side may decide what the other leaves open: Record(a: Opt(Nothing), b: Int) and so on.
    const bool both_open = a.kind() == b.kind() && a.is_partial() && b.is_partial() &&
                           a.depth() > 1 && b.depth() > 1 &&
                           a.members().size() == b.members().size();
    if (!both_open) {
        return std::nullopt;
    }
    std::vector<TypeMember> members;
    for (std::size_t i = 0; i < a.members().size(); ++i) {
        auto member = unify(a.members()[i].type, b.members()[i].type);
        if (!member || a.members()[i].name != b.members()[i].name) {
            return std::nullopt;
        }
        members.push_back({a.members()[i].name, *std::move(member)});
    }
    return rebuilt(a.kind(), std::move(members));
}

}  // namespace jobforge::rules
