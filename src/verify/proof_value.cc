#include "verify/proof_value.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace jobforge::verify {
namespace {

constexpr std::uint64_t kLargestSize = std::uint64_t{1} << 62;

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) noexcept {
    return std::min(kLargestSize, a + b);  // both at most 2^62: no overflow
}

}  // namespace

Value::Value(std::string value) : state_(std::make_shared<const std::string>(std::move(value))) {}

template <typename Parts>
Value::Shared<Parts> Value::share(Parts parts, std::uint64_t size) {
    return std::make_shared<const Container<Parts>>(
        Container<Parts>{std::move(parts), std::min(size, kLargestSize)});
}

Value::Value(Items items) {
    std::uint64_t total = 1;
    for (const Value& item : items) {
        total = saturating_add(total, item.size());
    }
    state_ = share(std::move(items), total);
}

Value::Value(Entries entries) {
    std::ranges::sort(entries, {}, &Entry::key);
    std::uint64_t total = 1;
    for (const Entry& entry : entries) {
        total = saturating_add(total, entry.value.size() + entry.key.size() / 16);
    }
    state_ = share(std::move(entries), total);
}

const std::int64_t* Value::integer() const noexcept {
    return std::get_if<std::int64_t>(&state_);
}

const Quantity* Value::quantity() const noexcept {
    return std::get_if<Quantity>(&state_);
}

const std::string* Value::text() const noexcept {
    const auto* shared = std::get_if<std::shared_ptr<const std::string>>(&state_);
    return shared == nullptr ? nullptr : shared->get();
}

const Value::Items* Value::items() const noexcept {
    const auto* shared = std::get_if<Shared<Items>>(&state_);
    return shared == nullptr ? nullptr : &(*shared)->parts;
}

const Value::Entries* Value::entries() const noexcept {
    const auto* shared = std::get_if<Shared<Entries>>(&state_);
    return shared == nullptr ? nullptr : &(*shared)->parts;
}

const Value* Value::entry(std::string_view key) const noexcept {
    const Entries* all = entries();
    if (all == nullptr) {
        return nullptr;
    }
    const auto found = std::ranges::lower_bound(*all, key, {}, &Entry::key);
    return found == all->end() || found->key != key ? nullptr : &found->value;
}

std::uint64_t Value::size() const noexcept {
    if (const std::string* characters = text()) {
        return 1 + characters->size() / 16;
    }
    if (const auto* shared = std::get_if<Shared<Items>>(&state_)) {
        return (*shared)->size;
    }
    if (const auto* shared = std::get_if<Shared<Entries>>(&state_)) {
        return (*shared)->size;
    }
    return 1;
}

const void* Value::identity() const noexcept {
    if (const auto* shared = std::get_if<Shared<Items>>(&state_)) {
        return shared->get();
    }
    if (const auto* shared = std::get_if<Shared<Entries>>(&state_)) {
        return shared->get();
    }
    return nullptr;
}

Json Value::json() const {
    if (const bool* flag = boolean()) {
        return *flag;
    }
    if (const std::int64_t* number = integer()) {
        return *number;
    }
    if (const Date* day = date()) {
        return day->text();
    }
    if (const Decimal* number = decimal()) {
        return number->text();
    }
    if (const Quantity* amount = quantity()) {
        return Json::object(
            {{"unit", std::string(unit_name(*amount->unit))}, {"value", amount->value.text()}});
    }
    if (const std::string* characters = text()) {
        return *characters;
    }
    if (const Items* all = items()) {
        Json::Array array;
        array.reserve(all->size());
        for (const Value& item : *all) {
            array.push_back(item.json());
        }
        return array;
    }
    if (const Entries* all = entries()) {
        Json::Object object;
        object.reserve(all->size());
        for (const auto& [key, value] : *all) {
            object.emplace_back(key, value.json());
        }
        return object;
    }
    return nullptr;
}

bool equal(const Value& a, const Value& b) noexcept {
    if (a.is_none() || b.is_none()) {
        return a.is_none() && b.is_none();
    }
    if (a.boolean() != nullptr && b.boolean() != nullptr) {
        return *a.boolean() == *b.boolean();
    }
    if (a.items() != nullptr && b.items() != nullptr) {
        return std::ranges::equal(*a.items(), *b.items(), equal);
    }
    if (a.entries() != nullptr && b.entries() != nullptr) {
        return std::ranges::equal(*a.entries(), *b.entries(), [](const Entry& x, const Entry& y) {
            return x.key == y.key && equal(x.value, y.value);
        });
    }
    return order(a, b) == std::partial_ordering::equivalent;
}

std::partial_ordering order(const Value& a, const Value& b) noexcept {
    if (a.integer() != nullptr && b.integer() != nullptr) {
        return *a.integer() <=> *b.integer();
    }
    if (a.decimal() != nullptr && b.decimal() != nullptr) {
        return *a.decimal() <=> *b.decimal();
    }
    if (a.text() != nullptr && b.text() != nullptr) {
        return *a.text() <=> *b.text();
    }
    if (a.date() != nullptr && b.date() != nullptr) {
        return *a.date() <=> *b.date();
    }
    if (a.quantity() != nullptr && b.quantity() != nullptr &&
        same_dimension(*a.quantity()->unit, *b.quantity()->unit)) {
        return compare(*a.quantity(), *b.quantity());
    }
    return std::partial_ordering::unordered;
}

}  // namespace jobforge::verify
