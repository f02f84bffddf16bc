#include "rules/eval/explain_origin.h"

namespace jobforge::rules {
namespace {

using Id = std::uint32_t;

class OriginFinder final {
public:
    explicit OriginFinder(const Proof& proof) noexcept : proof_(proof) {}

    // Walks down a chain in a loop; the pointer grows at its front.
    [[nodiscard]] std::optional<Origin> find(Id id) {
        while (true) {
            const ProofNode& node = proof_.nodes[id];
            if (node.kind == ProofNodeKind::fact_get) {
                return fact(node);
            }
            const std::optional<Id> next = source(node);
            if (!next) {
                return std::nullopt;
            }
            id = *next;
        }
    }

private:
    [[nodiscard]] std::optional<Origin> fact(const ProofNode& node) const {
        const Json data = node_data(node);
        if (data.find("payload_hash")->is_null()) {
            return std::nullopt;
        }
        return Origin{*data.find("fact_type")->as_string(), *data.find("fact_key")->as_string(),
                      pointer_};
    }

    // The child that this node's value was taken from, unchanged.
    [[nodiscard]] std::optional<Id> source(const ProofNode& node) {
        if (node.kind == ProofNodeKind::field) {
            return node.children[0];
        }
        if (node.kind != ProofNodeKind::operation) {
            return {};
        }
        const Json data = node_data(node);
        const std::string& op = *data.find("op")->as_string();
        if (op == "getFact" || op == "requireSome" || op == "some") {
            return node.children[0];
        }
        if (op == "if") {
            return node.children[1];
        }
        if (op == "get" || op == "recordGet") {
            return member(node);
        }
        if (op == "unwrapOr") {
            return node.children[proof_.nodes[node.children[0]].value.is_none() ? 1 : 0];
        }
        if (op == "element") {
            return element(node);
        }
        return {};
    }

    std::optional<Id> member(const ProofNode& node) {
        std::string name;
        for (const char c : proof_.nodes[node.children[1]].value.text()) {
            name += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
        }
        pointer_ = "/" + name + pointer_;
        return node.children[0];
    }

    std::optional<Id> element(const ProofNode& node) {
        auto index = static_cast<std::size_t>(proof_.nodes[node.children[1]].value.integer());
        Id list = node.children[0];
        while (proof_.nodes[list].kind == ProofNodeKind::operation) {
            const ProofNode& made = proof_.nodes[list];
            const Json data = node_data(made);
            const std::string& op = *data.find("op")->as_string();
            if (op == "getFactsByPrefix") {
                return made.children[2 + index];
            }
            if (op == "list") {
                return made.children[index];
            }
            if (op == "map") {
                return made.children[1 + index];
            }
            if (op != "filter") {
                break;
            }
            index = unfiltered(made, index);
            list = made.children[0];
        }
        pointer_ = "/" + std::to_string(index) + pointer_;
        return list;
    }

    // The place in the list before filter of what is at `kept` behind it.
    [[nodiscard]] std::size_t unfiltered(const ProofNode& filter, std::size_t kept) const {
        std::size_t index = 0;
        for (;; ++index) {
            if (!proof_.nodes[filter.children[1 + index]].value.boolean()) {
                continue;
            }
            if (kept-- == 0) {
                return index;
            }
        }
    }

    const Proof& proof_;
    std::string pointer_;
};

}  // namespace

std::optional<Origin> origin_of(const Proof& proof, std::uint32_t node) {
    return OriginFinder(proof).find(node);
}

Json node_data(const ProofNode& node) {
    auto data = Json::parse(node.data);
    return data.ok() ? std::move(*data) : Json();
}

}  // namespace jobforge::rules
