// The types of a proof's nodes: each type written out once.
//
// Borrows the proof's builder, and the types in the syntax tree, whose addresses it remembers.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "rules/check/rule_type.h"
#include "rules/eval/proof_builder.h"

namespace jobforge::rules {

// Whether proofs write results of this type out: no list, map or record is inside.
[[nodiscard]] bool is_scalar(const Type& type) noexcept;

class ProofTypes final {
public:
    explicit ProofTypes(ProofBuilder& proof) noexcept : proof_(proof) {}

    // Stays where it is. Precondition: so does `type`.
    [[nodiscard]] const ProofType& of(const Type& type);

private:
    [[nodiscard]] const ProofType& make(const Type& type);

    ProofBuilder& proof_;
    std::unordered_map<const void*, const ProofType*> by_address_;  // see of()
    std::unordered_map<std::string, ProofType> by_notation_;
    std::map<std::pair<const ProofType*, Type::Kind>, ProofType> compound_;  // Opt and List of one
};

}  // namespace jobforge::rules
