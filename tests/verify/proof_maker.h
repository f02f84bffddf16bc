// Proofs made by hand for the checker's tests: each node as the test says it, hashes computed, so
// that a proof that lies is otherwise well-formed.
#pragma once

#include <string>
#include <vector>

#include <jobforge/json.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "verify/check_proof.h"

namespace jobforge::verify {

inline std::string content_hash(const Json& value) {
    return sha256_hex(canonical(value).value());
}

class ProofMaker final {
public:
    using Id = int;

    // Always a new node: the tests decide about twins.
    Id node(const std::string& type, Json data, std::vector<Id> children) {
        Json ids = Json::array();
        for (const Id child : children) ids.push_back(child);
        nodes_.push_back(Json::object({{"children", ids},
                                       {"data", std::move(data)},
                                       {"hash", ""},
                                       {"id", static_cast<int>(nodes_.size())},
                                       {"type", type}}));
        return static_cast<Id>(nodes_.size()) - 1;
    }
    Id constant(const std::string& type, Json value) {
        return node("CONST", Json::object({{"type", type}, {"value", std::move(value)}}), {});
    }
    Id text(const std::string& value) { return constant("Text", value); }
    // With the result written out.
    Id op(const std::string& name, const std::string& type, Json result, std::vector<Id> children) {
        return node("OP",
                    Json::object({{"op", name}, {"type", type}, {"result", std::move(result)}}),
                    std::move(children));
    }
    // With the result hashed.
    Id hashed(const std::string& name, const std::string& type, const Json& result,
              std::vector<Id> children) {
        return node(
            "OP",
            Json::object({{"op", name}, {"type", type}, {"result_hash", content_hash(result)}}),
            std::move(children));
    }
    Id fact_get(const std::string& fact_type, const std::string& key, Json payload_hash, Id child) {
        return node("FACT_GET",
                    Json::object({{"fact_key", key},
                                  {"fact_type", fact_type},
                                  {"payload_hash", std::move(payload_hash)}}),
                    {child});
    }
    Id field(const std::string& path, const std::string& type, std::vector<Id> children) {
        const Id id =
            node("FIELD", Json::object({{"field", path}, {"type", type}}), std::move(children));
        index_.set(path, id);
        return id;
    }

    // One field "x" of `type` over `value`, and the root.
    [[nodiscard]] Json finish(const std::string& type, const Json& result, Id value) {
        const Id id = field("x", type, {value});
        hashed("root", "Record(x: " + type + ")", Json::object({{"x", result}}), {id});
        return document();
    }
    // With all hashes computed from what the nodes say now.
    [[nodiscard]] Json document() {
        rehash(nodes_);
        const Json root_hash = *nodes_.back().find("hash");
        return Json::object({{"field_index", index_},
                             {"nodes", nodes_},
                             {"proof_version", "BPC-PROOF-1"},
                             {"root_hash", root_hash}});
    }
    Json::Array& nodes() { return nodes_; }
    Json& index() { return index_; }

    static void rehash(Json::Array& nodes) {
        for (Json& node : nodes) {
            Json hashes = Json::array();
            const Json::Array* children = node.find("children")->as_array();
            for (const Json& child : children == nullptr ? Json::Array() : *children) {
                const auto id = static_cast<std::size_t>(child.as_int64().value_or(0));
                if (id < nodes.size()) hashes.push_back(*nodes[id].find("hash"));
            }
            node.set("hash", content_hash(Json::object({{"children_hashes", hashes},
                                                        {"data", *node.find("data")},
                                                        {"id", *node.find("id")},
                                                        {"type", *node.find("type")}})));
        }
    }

private:
    Json::Array nodes_;
    Json index_ = Json::object();
};

inline ProofInputs inputs(std::span<const Fact> facts = {}) {
    return {facts, "Pack 50", "SKU-1", *Date::parse("2027-02-18")};
}

// "" if the proof holds, else the fault.
inline std::string fault_of(const Json& proof, const ProofInputs& given = inputs()) {
    const auto checked = check_proof(proof, given);
    return checked.ok() ? "" : checked.error().message;
}

}  // namespace jobforge::verify
