// What an expression of the rule language is worth: immutable, cheap to copy, without a type.
//
// The checker knows every type before anything is evaluated, so a value carries only what its type
// leaves open. `some(x)` is x itself (there is no Opt of an Opt); a Map and a Record are both
// members sorted by name. Text, lists and members are shared, never copied, never changed.
//
// Threads: values may be read from many threads at once.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "values/date.h"
#include "values/decimal.h"
#include "values/units.h"

namespace jobforge::rules {

struct ValueMember;

class Value final {
public:
    using List = std::vector<Value>;
    using Members = std::vector<ValueMember>;
    // In the order of the variant below.
    enum class Kind { none, boolean, integer, date, decimal, quantity, text, list, members };

    Value() noexcept = default;  // none
    explicit Value(bool value) : state_(value) {}
    explicit Value(std::int64_t value) : state_(value) {}
    explicit Value(Date value) : state_(value) {}
    explicit Value(Decimal value) : state_(value) {}
    explicit Value(Quantity value) : state_(value) {}
    explicit Value(std::string value);
    explicit Value(std::string_view value) : Value(std::string(value)) {}
    explicit Value(const char* value) : Value(std::string(value)) {}
    explicit Value(List elements);
    // Sorts by name (UTF-16 code units, the order in which they are written). Names must differ.
    [[nodiscard]] static Value of_members(Members members);

    [[nodiscard]] Kind kind() const noexcept { return static_cast<Kind>(state_.index()); }
    [[nodiscard]] bool is_none() const noexcept { return kind() == Kind::none; }

    // Preconditions: the kind. They throw std::bad_variant_access otherwise: a broken checker.
    [[nodiscard]] bool boolean() const { return std::get<bool>(state_); }
    [[nodiscard]] std::int64_t integer() const { return std::get<std::int64_t>(state_); }
    [[nodiscard]] const Date& date() const { return std::get<Date>(state_); }
    [[nodiscard]] const Decimal& decimal() const { return std::get<Decimal>(state_); }
    [[nodiscard]] const Quantity& quantity() const { return std::get<Quantity>(state_); }
    [[nodiscard]] const std::string& text() const { return *std::get<TextPointer>(state_); }
    [[nodiscard]] const List& list() const;
    [[nodiscard]] const Members& members() const;
    // The member's value; nullptr if there is none of that name.
    [[nodiscard]] const Value* member(std::string_view name) const;

    // How much there is of it, for the step budget: 1 for a scalar, 1 + bytes / 16 for Text, 1 +
    // the sum of the parts for lists, maps and records, a name of theirs bytes / 16. Parts that are
    // shared count every time they occur, because that is what writing them out costs; so twenty
    // doublings of a list cannot hide behind one pointer. Saturates at 2^62.
    [[nodiscard]] std::uint64_t size() const noexcept;

    // Equal addresses mean the same shared text, list or members; nullptr for all other kinds.
    [[nodiscard]] const void* identity() const noexcept;

    // Canonical JSON of BPC-PASSPORT-1: Dec as a string with exactly its scale, Qty as
    // {"unit","value"}, none as null.
    void append_canonical(std::string& out) const;
    [[nodiscard]] std::string canonical() const;

private:
    struct Sequence;
    struct Structure;
    using TextPointer = std::shared_ptr<const std::string>;
    std::variant<std::monostate, bool, std::int64_t, Date, Decimal, Quantity, TextPointer,
                 std::shared_ptr<const Sequence>, std::shared_ptr<const Structure>>
        state_;
};

struct ValueMember {
    std::string name;
    Value value;
};

// As the language's == sees it: Dec across scales, Qty across units, everything else part by part.
// Precondition: values of one type.
[[nodiscard]] bool equal(const Value& a, const Value& b);
// The order of Int, Dec, Qty, Text (bytes) and Date. Precondition: values of one such type.
[[nodiscard]] std::strong_ordering compare(const Value& a, const Value& b);

}  // namespace jobforge::rules
