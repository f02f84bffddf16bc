#include "verify/field_tree.h"

#include <algorithm>

namespace jobforge::verify {

bool FieldTree::add(std::string_view path, const Type* type, const Value& value) {
    FieldTree* place = this;
    // As deep as types can be: a deeper path cannot be part of the root's type.
    for (int depth = 0; depth < TypeReader::kMaximumDepth; ++depth) {
        const std::size_t dot = path.find('.');
        const std::string_view part = path.substr(0, dot);
        if (part.empty() || place->type_ != nullptr) {
            return false;
        }
        auto& member = place->members_[std::string(part)];
        if (member == nullptr) {
            member = std::make_unique<FieldTree>();
        }
        place = member.get();
        if (dot == std::string_view::npos) {
            if (place->type_ != nullptr || !place->members_.empty()) {
                return false;
            }
            place->type_ = type;
            place->value_ = value;
            return true;
        }
        path.remove_prefix(dot + 1);
    }
    return false;
}

bool FieldTree::has_type(const Type& type) const {
    if (type_ != nullptr) {
        return type_ == &type;
    }
    return type.is(Type::Kind::record) &&
           std::ranges::equal(type.members, members_, [](const Type::Member& a, const auto& b) {
               return a.name == b.first && b.second->has_type(*a.type);
           });
}

Value FieldTree::value() const {
    if (type_ != nullptr) {
        return value_;
    }
    Value::Entries entries;
    for (const auto& [name, member] : members_) {
        entries.push_back({name, member->value()});
    }
    return Value(std::move(entries));
}

}  // namespace jobforge::verify
