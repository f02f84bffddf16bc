// The types of a proof, read from their notation (docs/formats.md): Bool Int Text Date Nothing
// Dec(3) Qty(kWh) Opt(T) List(T) Map(Text, T) Record(a: T, b: U).
//
// A second reader of the notation on purpose: the proof checker shares nothing with the rule
// language but the page. One reader makes each type once, so that equal types of it have equal
// addresses and a hostile proof cannot make their comparison slow. Immutable; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "values/units.h"

namespace jobforge::verify {

struct Type;
using TypePtr = std::shared_ptr<const Type>;

struct Type {
    enum class Kind : std::uint8_t {
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
    struct Member {
        std::string name;
        TypePtr type;
    };

    Kind kind = Kind::nothing;
    int scale = 0;                // of decimal
    const Unit* unit = nullptr;   // of quantity
    TypePtr inner;                // of optional, list, map
    std::vector<Member> members;  // of record, by the bytes of the names
    bool partial = false;         // Nothing is somewhere inside

    [[nodiscard]] bool is(Kind wanted) const noexcept { return kind == wanted; }
    [[nodiscard]] const Type* member(std::string_view name) const noexcept;  // nullptr: none
};

// Whether results of this type are written out: a scalar, or Opt of one.
[[nodiscard]] bool is_scalar(const Type& type) noexcept;
// Int, Dec, Qty, Text, Date: what < and sort take.
[[nodiscard]] bool is_orderable(const Type& type) noexcept;
// Whether a value of type `from` may stand where `to` is wanted: the same type, or Nothing
// somewhere inside `from`. Both from one reader.
[[nodiscard]] bool fits(const Type& from, const Type& to) noexcept;

// Reads notations, each different one once. For one thread at a time.
class TypeReader final {
public:
    static constexpr int kMaximumDepth = 200;

    // nullptr unless `notation` is exactly how a type is written: one spelling for each type.
    [[nodiscard]] TypePtr read(const std::string& notation);

private:
    class Parser;
    std::map<std::string, TypePtr> read_;  // by notation; a tree: no input makes it slow
    std::map<std::string, TypePtr> made_;  // by kind and the addresses of the parts
};

}  // namespace jobforge::verify
