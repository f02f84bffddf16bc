// The operations of a proof, one function each: from the values of the children to the value of
// the node, as the table in docs/formats.md says.
//
// Each function checks that its operands are what the table allows and that the declared type is
// what they give. A fault is an Error whose message says what is wrong; it never trusts a result
// that the proof states. Work is paid for from a budget before it is done, so that a hostile proof
// ends early.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "values/date.h"
#include "values/pattern.h"
#include "verify/proof_type.h"
#include "verify/proof_value.h"

namespace jobforge::verify {

struct KnownFact {
    std::string_view fact_type;
    std::string_view fact_key;
    const Json* payload;
    std::string payload_hash;
    std::uint64_t payload_units = 0;  // what reading it costs
};

// What every operation may look at, and what it pays with.
struct Environment {
    // Twice what any evaluation, also one that is repeated years later, may make.
    static constexpr std::uint64_t kBudget = 32'000'000;

    std::vector<KnownFact> facts;  // by the bytes of type and key
    Value product;
    Date issued_on;
    std::uint64_t budget = kBudget;
    std::set<const KnownFact*> read_facts;  // reading once is free: the file holds each once
    std::map<std::string, Pattern, std::less<>> patterns;  // each compiled once

    // VALIDATION_ERROR when the budget does not cover it.
    [[nodiscard]] Status pay(std::uint64_t units);
};

// A child as its parent sees it.
struct Operand {
    const Type* type = nullptr;  // nullptr: a FACT_GET, which only getFact and its sister take
    const Value* value = nullptr;
    bool is_constant = false;
    const KnownFact* fact = nullptr;  // of a FACT_GET; nullptr: the fact is absent
};

struct Call {
    const Type& type;  // declared
    std::span<const Operand> operands;
    Environment& environment;

    [[nodiscard]] std::size_t count() const noexcept { return operands.size(); }
    [[nodiscard]] const Type& type_of(std::size_t i) const noexcept { return *operands[i].type; }
    [[nodiscard]] const Value& operator[](std::size_t i) const noexcept {
        return *operands[i].value;
    }
    [[nodiscard]] bool is(std::size_t i, Type::Kind kind) const noexcept;
    // The text or number of a literal argument; nullptr if it is none.
    [[nodiscard]] const std::string* constant_text(std::size_t i) const noexcept;
    [[nodiscard]] const std::int64_t* constant_integer(std::size_t i) const noexcept;
};

using Operation = Result<Value> (*)(const Call& call);

struct OperationRow {
    std::string_view name;
    std::size_t least;  // operands
    std::size_t most;
    Operation run;
};
inline constexpr std::size_t kAnyNumber = ~std::size_t{0};

// The rows of each file; nullptr from find_operation: there is no such operation.
[[nodiscard]] std::span<const OperationRow> number_operations() noexcept;
[[nodiscard]] std::span<const OperationRow> logic_operations() noexcept;
[[nodiscard]] std::span<const OperationRow> list_operations() noexcept;
[[nodiscard]] std::span<const OperationRow> text_operations() noexcept;
[[nodiscard]] std::span<const OperationRow> fact_operations() noexcept;
[[nodiscard]] const OperationRow* find_operation(std::string_view name) noexcept;

[[nodiscard]] Error wrong(std::string what);

}  // namespace jobforge::verify
