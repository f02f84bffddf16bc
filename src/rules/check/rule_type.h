// The types of BPC-RULES-1: structural, immutable, cheap to copy (compound types are shared).
//
// Notation, also in proofs: Bool Int Text Date Dec(3) Qty(kWh) Opt(T) List(T) Map(Text, T)
// Record(a: T, b: U) with members sorted by the bytes of their names. Two types that only the
// checker sees: Nothing (what `none` and `[]` hold; it fits every type) and the error type of an
// expression that was reported already (it fits everywhere, so that one fault is one message).
// Pure values; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "values/units.h"

namespace jobforge::rules {

// A row of the unit table (core/units.h); compare by address.
using UnitPointer = decltype(Quantity::unit);

class Type;
struct TypeMember;

class Type final {
public:
    enum class Kind : std::uint8_t {
        error,
        nothing,
        boolean,
        integer,
        text,
        date,
        decimal,
        quantity,
        optional,
        list,
        map,
        record,
    };
    // Values nest in JSON, whose depth ends at 128: 64 leaves room for paths and envelopes.
    static constexpr std::size_t kMaximumDepth = 64;
    // Names of facts stand for their members, so a few declarations could spell out millions.
    static constexpr std::size_t kMaximumSize = 4096;

    Type() noexcept = default;  // the error type
    [[nodiscard]] static Type error() noexcept { return {}; }
    [[nodiscard]] static Type nothing() noexcept { return Type(Kind::nothing); }
    [[nodiscard]] static Type boolean() noexcept { return Type(Kind::boolean); }
    [[nodiscard]] static Type integer() noexcept { return Type(Kind::integer); }
    [[nodiscard]] static Type text() noexcept { return Type(Kind::text); }
    [[nodiscard]] static Type date() noexcept { return Type(Kind::date); }
    [[nodiscard]] static Type decimal(int scale) noexcept;  // precondition: 0..18
    [[nodiscard]] static Type quantity(UnitPointer unit) noexcept;
    // Precondition: `value` is not an optional.
    [[nodiscard]] static Type optional(Type value);
    [[nodiscard]] static Type list(Type element);
    [[nodiscard]] static Type map(Type value);  // keys are Text
    // Sorts the members. Precondition: their names differ.
    [[nodiscard]] static Type record(std::vector<TypeMember> members);
    // Record(name: Text, sku: Text), the type of `product`.
    [[nodiscard]] static Type product();

    [[nodiscard]] Kind kind() const noexcept { return kind_; }
    [[nodiscard]] bool is(Kind kind) const noexcept { return kind_ == kind; }
    [[nodiscard]] bool is_error() const noexcept { return kind_ == Kind::error; }
    [[nodiscard]] int scale() const noexcept { return scale_; }          // of a decimal
    [[nodiscard]] UnitPointer unit() const noexcept { return unit_; }    // of a quantity
    [[nodiscard]] const Type& element() const noexcept;                  // of optional, list, map
    [[nodiscard]] std::span<const TypeMember> members() const noexcept;  // of a record, sorted
    // The place of a member in members(); nullopt if there is none.
    [[nodiscard]] std::optional<std::size_t> member_index(std::string_view name) const noexcept;

    // Levels of nesting (a scalar has 1) and number of types inside, itself included.
    [[nodiscard]] std::size_t depth() const noexcept;
    [[nodiscard]] std::size_t size() const noexcept;
    // Whether Nothing or the error type is somewhere inside.
    [[nodiscard]] bool is_partial() const noexcept;
    // Int, Dec, Qty, Text, Date: what < and sort take.
    [[nodiscard]] bool is_orderable() const noexcept;

    [[nodiscard]] std::string notation() const;
    friend bool operator==(const Type& a, const Type& b) noexcept;

private:
    struct Node;
    explicit Type(Kind kind) noexcept : kind_(kind) {}
    static Type compound(Kind kind, std::vector<TypeMember> members);

    Kind kind_ = Kind::error;
    std::uint8_t scale_ = 0;
    UnitPointer unit_ = nullptr;
    std::shared_ptr<const Node> node_;  // of compound types
};

struct TypeMember {
    std::string name;  // empty for the element of an optional, list or map
    Type type;
};

// Whether a value of type `from` may stand where `to` is wanted: equal, or Nothing (or the error
// type) where they differ. No conversion is ever implied.
[[nodiscard]] bool assignable(const Type& from, const Type& to) noexcept;
// The one type that both are assignable to; nullopt if there is none.
[[nodiscard]] std::optional<Type> unify(const Type& a, const Type& b);
// Reads the notation (blanks free between words). nullopt for anything else.
[[nodiscard]] std::optional<Type> parse_type(std::string_view notation);

}  // namespace jobforge::rules
