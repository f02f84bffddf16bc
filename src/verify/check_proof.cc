#include "verify/check_proof.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "values/compliance_status.h"
#include "verify/field_tree.h"
#include "verify/operation.h"
#include "verify/proof.h"
#include "verify/shape.h"

namespace jobforge::verify {
namespace {

using Kind = Node::Kind;

constexpr std::size_t kLongestWrittenText = 256;

// What a checked node is worth.
struct Worth {
    TypePtr type;  // nullptr: FACT_GET and ASSERT are not values
    Value value;
    const KnownFact* fact = nullptr;  // of a FACT_GET that found one
};

auto fact_key(const KnownFact& fact) {
    return std::pair(fact.fact_type, fact.fact_key);
}

class Checker final {
public:
    Checker(const std::vector<Node>& nodes, const ProofInputs& inputs)
        : nodes_(nodes), inputs_(inputs) {}

    [[nodiscard]] Result<Derived> check() {
        if (auto known = know_facts(); !known.ok()) {
            return std::move(known).error();
        }
        environment_.product =
            Value(Value::Entries{{"name", Value(std::string(inputs_.product_name))},
                                 {"sku", Value(std::string(inputs_.product_sku))}});
        environment_.issued_on = inputs_.issued_on;
        worth_.reserve(nodes_.size());
        for (NodeId id = 0; id < nodes_.size(); ++id) {
            auto worth = one(nodes_[id]);
            if (!worth.ok()) {
                return node_fault(id, described(nodes_[id]) + worth.error().message);
            }
            worth_.push_back(std::move(*worth));
        }
        if (auto listed = all_emissions_listed(); !listed.ok()) {
            return std::move(listed).error();
        }
        return Derived{worth_.back().value.json(),
                       compliance(),
                       nodes_.back().hash,
                       {foreign_statuses_.begin(), foreign_statuses_.end()}};
    }

private:
    static std::string described(const Node& node) {
        return node.kind == Kind::operation ? node.text("op") + ": " : "";
    }

    Status know_facts() {
        for (const Fact& fact : inputs_.facts) {
            const auto bytes = canonical(*fact.payload);
            if (!bytes.ok()) {
                return bytes.error();
            }
            environment_.facts.push_back({fact.fact_type, fact.fact_key, fact.payload,
                                          sha256_hex(*bytes), 1 + bytes->size() / 16});
        }
        std::ranges::sort(environment_.facts, {}, fact_key);
        const auto twin = std::ranges::adjacent_find(environment_.facts, {}, fact_key);
        if (twin != environment_.facts.end()) {
            return wrong("two facts of one type and key");
        }
        return ok_status();
    }

    Result<Worth> one(const Node& node) {
        switch (node.kind) {
            case Kind::constant:
                return constant(node);
            case Kind::fact_get:
                return fact_get(node);
            case Kind::operation:
                return node.text("op") == "root" ? root(node) : operation(node);
            case Kind::assertion:
                return assertion(node);
            case Kind::compliance:
                return emission(node);
            case Kind::field:
                return field(node);
        }
        return wrong("no such type of node");
    }

    Result<TypePtr> declared_type(const Node& node) {
        TypePtr type = types_.read(node.text("type"));
        if (type == nullptr) {
            return wrong("its type is not written as types are");
        }
        return type;
    }

    Result<Worth> constant(const Node& node) {
        auto type = declared_type(node);
        if (!type.ok()) {
            return type.error();
        }
        if (!node.children.empty()) {
            return wrong("a literal has no children");
        }
        const bool is_none =
            (*type)->is(Type::Kind::optional) && node.data->find("value")->is_null();
        if (!is_none && !is_scalar(**type)) {
            return wrong("a literal is not a list, map or record");
        }
        auto value = read_exact(*node.data->find("value"), **type);
        if (!value) {
            return wrong("its value is not written as its type is");
        }
        return Worth{*type, std::move(*value)};
    }

    [[nodiscard]] const std::string* text_of(NodeId id) const {
        const Worth& worth = worth_[id];
        return worth.type != nullptr && worth.type->is(Type::Kind::text) ? worth.value.text()
                                                                         : nullptr;
    }

    Result<Worth> fact_get(const Node& node) const {
        const std::string& key = node.text("fact_key");
        const std::string* given = node.children.size() == 1 ? text_of(node.children[0]) : nullptr;
        if (given == nullptr || *given != key) {
            return wrong("its child is not its key");
        }
        const auto wanted =
            std::pair<std::string_view, std::string_view>(node.text("fact_type"), key);
        const auto found = std::ranges::lower_bound(environment_.facts, wanted, {}, fact_key);
        const bool is_there = found != environment_.facts.end() && fact_key(*found) == wanted;
        const Json expected = is_there ? Json(found->payload_hash) : Json();
        if (*node.data->find("payload_hash") != expected) {
            return wrong("its payload_hash is not that of the fact");
        }
        return Worth{nullptr, {}, is_there ? &*found : nullptr};
    }

    Result<Worth> operation(const Node& node) {
        const auto type = declared_type(node);
        if (!type.ok()) {
            return type.error();
        }
        const OperationRow* row = find_operation(node.text("op"));
        if (row == nullptr) {
            return wrong("there is no such operation");
        }
        if (node.children.size() < row->least || node.children.size() > row->most) {
            return wrong("it has too few or too many children");
        }
        const auto operands = operands_of(node, row->name.starts_with("getFact"));
        if (!operands.ok()) {
            return operands.error();
        }
        auto value = row->run(Call{**type, *operands, environment_});
        if (!value.ok()) {
            return std::move(value).error();
        }
        if (auto same = compare_result(node, **type, *value); !same.ok()) {
            return std::move(same).error();
        }
        return Worth{*type, std::move(*value)};
    }

    Result<std::vector<Operand>> operands_of(const Node& node, bool takes_facts) const {
        std::vector<Operand> operands;
        operands.reserve(node.children.size());
        for (const NodeId child : node.children) {
            const Worth& worth = worth_[child];
            const Kind kind = nodes_[child].kind;
            if (worth.type == nullptr && (!takes_facts || kind != Kind::fact_get)) {
                return wrong(fmt::format("its child {} is not a value", child));
            }
            operands.push_back(
                {worth.type.get(), &worth.value, kind == Kind::constant, worth.fact});
        }
        return operands;
    }

    // What was computed against what the proof states.
    Status compare_result(const Node& node, const Type& type, const Value& value) {
        const bool long_text =
            value.text() != nullptr && value.text()->size() > kLongestWrittenText;
        if (is_scalar(type) && !long_text) {
            const Json* stated = node.data->find("result");
            if (stated == nullptr) {
                return wrong("it writes no result");
            }
            // Read back by the declared type: a right value under a wrong type is wrong.
            const Json computed = value.json();
            if (!read_exact(computed, type)) {
                return wrong("its type is not what it computes");
            }
            if (*stated != computed) {
                return wrong(fmt::format("its result is {}", computed.dump()));
            }
            return environment_.pay(1);
        }
        const Json* stated = node.data->find("result_hash");
        if (stated == nullptr) {
            return wrong("it writes no result_hash");
        }
        const auto computed = hash_of(value);
        if (!computed.ok()) {
            return computed.error();
        }
        if (*stated != Json(*computed)) {
            return wrong("its result_hash is that of another value");
        }
        return ok_status();
    }

    // Each shared list, map and record is written out once, however many nodes pass it on.
    Result<std::string> hash_of(const Value& value) {
        const void* identity = value.identity();
        const auto known = hashes_.find(identity);
        if (identity != nullptr && known != hashes_.end()) {
            return known->second.hash;
        }
        if (auto paid = environment_.pay(value.size()); !paid.ok()) {
            return std::move(paid).error();
        }
        const auto bytes = canonical(value.json());
        if (!bytes.ok()) {
            return bytes.error();
        }
        std::string hash = sha256_hex(*bytes);
        if (identity != nullptr) {
            hashes_.emplace(identity, Hashed{value, hash});
        }
        return hash;
    }

    Result<Worth> assertion(const Node& node) const {
        if (*node.data->find("condition") != Json(true)) {
            return wrong("its condition is not true");
        }
        if (node.children.size() != 3) {
            return wrong("it has not three children");
        }
        const Worth& condition = worth_[node.children[0]];
        const bool* holds = condition.type != nullptr ? condition.value.boolean() : nullptr;
        if (holds == nullptr || !*holds) {
            return wrong("what it asserts is not true");
        }
        const std::string* code = text_of(node.children[1]);
        if (code == nullptr || *code != node.text("code")) {
            return wrong("its code is another");
        }
        for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
            if (text_of(node.children[i]) == nullptr ||
                nodes_[node.children[i]].kind != Kind::constant) {
                return wrong("its code and its message are literals");
            }
        }
        return Worth{};
    }

    Result<Worth> emission(const Node& node) {
        if (node.children.size() != 3) {
            return wrong("it has not three children");
        }
        std::size_t i = 0;
        for (const std::string_view member : {"id", "status", "evidence"}) {
            const std::string* text = text_of(node.children[i++]);
            if (text == nullptr || *text != node.text(member)) {
                return wrong(fmt::format("its {} is another", member));
            }
        }
        const std::string& status = node.text("status");
        if (!is_compliance_status(status)) {
            if (!inputs_.any_status) {
                return wrong(fmt::format("its status is not one of {}",
                                         fmt::join(kComplianceStatuses, ", ")));
            }
            foreign_statuses_.insert(status);
        }
        return Worth{types_.read("Bool"), Value(status != "FAIL")};
    }

    Result<Worth> field(const Node& node) {
        const auto type = declared_type(node);
        if (!type.ok()) {
            return type.error();
        }
        if (node.children.empty()) {
            return wrong("it has no value");
        }
        const Worth& value = worth_[node.children[0]];
        if (value.type == nullptr || !fits(*value.type, **type)) {
            return wrong("its type is not its value's");
        }
        for (std::size_t i = 1; i < node.children.size(); ++i) {
            const Kind kind = nodes_[node.children[i]].kind;
            if (kind != Kind::assertion && kind != Kind::compliance) {
                return wrong("a child behind its value is neither ASSERT nor COMPLIANCE_EMIT");
            }
        }
        return Worth{*type, value.value};
    }

    Result<Worth> root(const Node& node) {
        const auto type = declared_type(node);
        if (!type.ok()) {
            return type.error();
        }
        FieldTree tree;
        for (const NodeId id : node.children) {
            if (!tree.add(nodes_[id].text("field"), worth_[id].type.get(), worth_[id].value)) {
                return wrong("the path of field " + nodes_[id].text("field") + " is not free");
            }
        }
        if (!tree.has_type(**type)) {
            return wrong("its type is not that of the fields");
        }
        Value value = tree.value();
        if (auto same = compare_result(node, **type, value); !same.ok()) {
            return std::move(same).error();
        }
        return Worth{*type, std::move(value)};
    }

    // An emission that no field lists would be missing from the payload.
    Status all_emissions_listed() const {
        std::vector<bool> listed(nodes_.size(), false);
        for (const NodeId id : nodes_.back().children) {
            const auto& children = nodes_[id].children;
            for (std::size_t i = 1; i < children.size(); ++i) {
                listed[children[i]] = true;
            }
        }
        for (NodeId id = 0; id < nodes_.size(); ++id) {
            if (nodes_[id].kind == Kind::compliance && !listed[id]) {
                return node_fault(id, "no FIELD lists this COMPLIANCE_EMIT");
            }
        }
        return ok_status();
    }

    [[nodiscard]] Json compliance() const {
        Json::Array entries;
        for (const NodeId id : nodes_.back().children) {
            const auto& children = nodes_[id].children;
            for (std::size_t i = 1; i < children.size(); ++i) {
                const Node& node = nodes_[children[i]];
                if (node.kind == Kind::compliance) {
                    entries.push_back(*node.data);
                }
            }
        }
        return entries;
    }

    struct Hashed {
        Value value;  // keeps the address taken
        std::string hash;
    };

    const std::vector<Node>& nodes_;
    const ProofInputs& inputs_;
    Environment environment_;
    TypeReader types_;
    std::vector<Worth> worth_;
    std::map<const void*, Hashed> hashes_;
    std::set<std::string> foreign_statuses_;
};

}  // namespace

Result<Derived> check_proof(const Json& proof, const ProofInputs& inputs) {
    const auto nodes = read_proof(proof);
    if (!nodes.ok()) {
        return nodes.error();
    }
    return Checker(*nodes, inputs).check();
}

}  // namespace jobforge::verify
