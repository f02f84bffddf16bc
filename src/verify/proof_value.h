// What a node of a proof is worth: exact, immutable, cheap to copy (text and containers are
// shared).
//
// The checker's own representation, so that a fault in the evaluator's cannot hide in it. some(x)
// is x itself, since there is no Opt of an Opt. Threads: readable from many at once.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <jobforge/json.h>

#include "values/date.h"
#include "values/decimal.h"
#include "values/units.h"

namespace jobforge::verify {

class Value;
struct Entry;

class Value final {
public:
    using Items = std::vector<Value>;
    using Entries = std::vector<Entry>;  // of a map or a record, by the bytes of the keys

    Value() noexcept = default;  // none
    explicit Value(bool value) : state_(value) {}
    explicit Value(std::int64_t value) : state_(value) {}
    explicit Value(Date value) : state_(value) {}
    explicit Value(Decimal value) : state_(value) {}
    explicit Value(Quantity value) : state_(value) {}
    explicit Value(std::string value);
    explicit Value(const char* value) : Value(std::string(value)) {}
    explicit Value(Items items);
    // Sorts. Precondition: the keys differ.
    explicit Value(Entries entries);

    [[nodiscard]] bool is_none() const noexcept { return state_.index() == 0; }
    // The value if it is of that kind, else nullptr.
    [[nodiscard]] const bool* boolean() const noexcept { return std::get_if<bool>(&state_); }
    [[nodiscard]] const std::int64_t* integer() const noexcept;
    [[nodiscard]] const Date* date() const noexcept { return std::get_if<Date>(&state_); }
    [[nodiscard]] const Decimal* decimal() const noexcept { return std::get_if<Decimal>(&state_); }
    [[nodiscard]] const Quantity* quantity() const noexcept;
    [[nodiscard]] const std::string* text() const noexcept;
    [[nodiscard]] const Items* items() const noexcept;
    [[nodiscard]] const Entries* entries() const noexcept;
    // The entry's value; nullptr if this is not a map or record, or there is none of that key.
    [[nodiscard]] const Value* entry(std::string_view key) const noexcept;

    // What it costs to write out: 1 for a scalar, 1 + bytes / 16 for text, 1 + the parts' for
    // containers, parts counted every time they occur. Saturates, so that doubling a list a hundred
    // times is a large number and not a small one.
    [[nodiscard]] std::uint64_t size() const noexcept;
    // Equal addresses mean the same shared list, map or record; nullptr for all other kinds.
    [[nodiscard]] const void* identity() const noexcept;
    // As the payload writes it. Precondition: size() is affordable.
    [[nodiscard]] Json json() const;

private:
    template <typename Parts>
    struct Container {
        Parts parts;
        std::uint64_t size;
    };
    template <typename Parts>
    using Shared = std::shared_ptr<const Container<Parts>>;
    template <typename Parts>
    static Shared<Parts> share(Parts parts, std::uint64_t size);

    std::variant<std::monostate, bool, std::int64_t, Date, Decimal, Quantity,
                 std::shared_ptr<const std::string>, Shared<Items>, Shared<Entries>>
        state_;
};

struct Entry {
    std::string key;
    Value value;
};

// By value: Dec across scales, Qty across units of one dimension, containers part by part. Values
// of different kinds differ.
[[nodiscard]] bool equal(const Value& a, const Value& b) noexcept;
// Int, Dec, Qty, Text by bytes, Date; unordered for everything else.
[[nodiscard]] std::partial_ordering order(const Value& a, const Value& b) noexcept;

}  // namespace jobforge::verify
