// Random values for property tests, of any type, edge values included.
//
// One number in four is an edge value. The ranges (docs/rules.md repeats them for authors):
//   Int    -10^12 .. 10^12; edges 0, 1, -1, 10^12, -10^12
//   Dec    -10^12 .. 10^12 with all its digits; edges 0, 1, -1, the smallest step either side of
//          0, 10^12, -10^12
//   Qty    like Dec(6), in the unit of its type
//   Text   up to 12 characters, some of them not ASCII; edges empty, a blank, 64 characters, the
//          text of a number
//   Date   1900-01-01 .. 2100-12-31; edges both ends, the leap day 2024-02-29, 2027-02-18
//   Opt    none once in four; List 0 .. 4 elements, Map 0 .. 3, none more often the deeper they are
#pragma once

#include <cstddef>

#include "rules/check/rule_type.h"
#include "rules/eval/rule_value.h"
#include "rules/test/generator.h"

namespace jobforge::rules {

class ValueGenerator final {
public:
    explicit ValueGenerator(SplitMix64& random) noexcept : random_(random) {}

    // Precondition: a type without Nothing.
    [[nodiscard]] Value make(const Type& type);

private:
    // Parts after which lists stay empty and optionals none: types may nest 64 deep.
    static constexpr std::size_t kMaximumParts = 400;

    [[nodiscard]] Value part(const Type& type);
    [[nodiscard]] std::int64_t whole();
    [[nodiscard]] Decimal decimal(int scale);
    [[nodiscard]] std::string text();
    [[nodiscard]] std::string edge_text();
    [[nodiscard]] Date date();
    [[nodiscard]] std::size_t length(std::size_t most);
    [[nodiscard]] Value list(const Type& type);
    [[nodiscard]] Value map(const Type& type);
    [[nodiscard]] Value record(const Type& type);

    SplitMix64& random_;
    std::size_t parts_left_ = kMaximumParts;
};

}  // namespace jobforge::rules
