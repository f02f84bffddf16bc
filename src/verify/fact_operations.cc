// product issued_on getFact getFactsByPrefix
#include <algorithm>
#include <array>

#include "verify/operation.h"
#include "verify/shape.h"

namespace jobforge::verify {
namespace {

using Kind = Type::Kind;

Result<Value> product(const Call& call) {
    const auto is_text = [](const Type::Member& member) { return member.type->is(Kind::text); };
    const bool right = call.type.is(Kind::record) && call.type.members.size() == 2 &&
                       call.type.member("name") != nullptr && call.type.member("sku") != nullptr &&
                       std::ranges::all_of(call.type.members, is_text);
    if (!right) {
        return wrong("its type is not Record(name: Text, sku: Text)");
    }
    return call.environment.product;
}

Result<Value> issued_on(const Call& call) {
    return Value(call.environment.issued_on);
}

Result<Value> shaped(const Call& call, const KnownFact& fact, const Type& type) {
    if (!type.is(Kind::record)) {
        return wrong("a fact is read as a Record");
    }
    if (!call.environment.read_facts.insert(&fact).second) {
        if (auto paid = call.environment.pay(fact.payload_units); !paid.ok()) {
            return std::move(paid).error();
        }
    }
    auto value = shape(*fact.payload, type);
    if (!value) {
        return wrong("the fact does not have the declared shape");
    }
    if (auto paid = call.environment.pay(value->size()); !paid.ok()) {
        return std::move(paid).error();
    }
    return std::move(*value);
}

Result<Value> get_fact(const Call& call) {
    const Operand& child = call.operands[0];
    if (child.type != nullptr || !call.type.is(Kind::optional)) {
        return wrong("it gives an Opt for a FACT_GET");
    }
    if (child.fact == nullptr) {
        if (!call.type.inner->is(Kind::record)) {
            return wrong("a fact is read as a Record");
        }
        return Value();
    }
    return shaped(call, *child.fact, *call.type.inner);
}

// The facts that the prefix selects: those of the type from the first key on that is not less.
std::span<const KnownFact> with_prefix(const Environment& environment, std::string_view fact_type,
                                       std::string_view prefix) {
    const auto before = [](const KnownFact& fact,
                           const std::pair<std::string_view, std::string_view>& key) {
        return std::pair(fact.fact_type, fact.fact_key) < key;
    };
    const auto first = std::lower_bound(environment.facts.begin(), environment.facts.end(),
                                        std::pair(fact_type, prefix), before);
    const auto last = std::find_if_not(first, environment.facts.end(), [&](const KnownFact& fact) {
        return fact.fact_type == fact_type && fact.fact_key.starts_with(prefix);
    });
    return {first, last};
}

Result<Value> get_facts_by_prefix(const Call& call) {
    const std::string* fact_type = call.constant_text(0);
    if (fact_type == nullptr || !call.is(1, Kind::text) || !call.type.is(Kind::list)) {
        return wrong("it gives a List for a fact type and a prefix");
    }
    if (auto paid = call.environment.pay(call[1].size()); !paid.ok()) {
        return std::move(paid).error();
    }
    const auto facts = with_prefix(call.environment, *fact_type, *call[1].text());
    if (facts.size() != call.count() - 2) {
        return wrong("it has not one FACT_GET for each fact");
    }
    Value::Items items;
    for (std::size_t i = 0; i < facts.size(); ++i) {
        if (call.operands[i + 2].fact != &facts[i]) {
            return wrong("its facts are not those of the prefix, in order");
        }
        auto value = shaped(call, facts[i], *call.type.inner);
        if (!value.ok()) {
            return value;
        }
        items.push_back(std::move(*value));
    }
    return Value(std::move(items));
}

constexpr std::array<OperationRow, 4> kRows{{
    {"product", 0, 0, product},
    {"issued_on", 0, 0, issued_on},
    {"getFact", 1, 1, get_fact},
    {"getFactsByPrefix", 2, kAnyNumber, get_facts_by_prefix},
}};

}  // namespace

std::span<const OperationRow> fact_operations() noexcept {
    return kRows;
}

}  // namespace jobforge::verify
