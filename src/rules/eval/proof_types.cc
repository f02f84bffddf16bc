#include "rules/eval/proof_types.h"

#include <utility>

namespace jobforge::rules {

bool is_scalar(const Type& type) noexcept {
    switch (type.kind()) {
        case Type::Kind::list:
        case Type::Kind::map:
        case Type::Kind::record:
            return false;
        case Type::Kind::optional:
            return is_scalar(type.element());
        default:
            return true;
    }
}

// By address: the types live in the syntax tree, and writing a record's type out takes longer than
// the step itself. Expressions of one record type share its members, so those are its address.
const ProofType& ProofTypes::of(const Type& type) {
    const bool is_record = type.is(Type::Kind::record);
    const void* address = is_record ? static_cast<const void*>(type.members().data()) : &type;
    if (const auto known = by_address_.find(address); known != by_address_.end()) {
        return *known->second;
    }
    const ProofType& made = make(type);
    by_address_.emplace(address, &made);
    return made;
}

// Nearly every expression has a Type of its own, but there are few different ones. Opt and List are
// found by what they are made of, so that a record's notation, which has kilobytes, is neither
// written nor hashed for each.
const ProofType& ProofTypes::make(const Type& type) {
    if (type.is(Type::Kind::optional) || type.is(Type::Kind::list)) {
        const ProofType& element = of(type.element());
        ProofType& made = compound_[{&element, type.kind()}];
        if (made.notation.empty()) {
            made.notation = (type.is(Type::Kind::list) ? "List(" : "Opt(") + element.notation + ")";
            made.scalar = is_scalar(type);
            made.number = proof_.number_of(made.notation);
        }
        return made;
    }
    std::string notation = type.notation();
    const std::uint32_t number = proof_.number_of(notation);
    return by_notation_.try_emplace(notation, ProofType{notation, is_scalar(type), number})
        .first->second;
}

}  // namespace jobforge::rules
