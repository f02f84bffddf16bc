// Hostile proofs into the checker. The text is {"facts":[...],"proof":{...}}; the proof's ids and
// hashes are computed again before it is checked, so that mutations reach the operations instead of
// ending at the first hash. What must hold: no crash, no bad memory, no endless work; what a proof
// derives has a canonical form; the same proof gives the same answer; any change of its root hash
// is refused. A violation aborts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <jobforge/json.h>

#include "base/crypto/hash.h"
#include "base/json/canonical.h"
#include "verify/check_proof.h"

namespace {

using jobforge::Json;
using jobforge::verify::check_proof;
using jobforge::verify::Fact;

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }
}

// Hashes for whatever is there; what is not a node stays as it is.
Json rehashed(const Json& proof) {
    const Json* list = proof.find("nodes");
    if (list == nullptr || !list->is_array() || list->as_array()->empty()) return proof;
    Json::Array nodes = *list->as_array();
    std::vector<std::string> hashes;
    for (Json& node : nodes) {
        const Json* children = node.find("children");
        if (!node.is_object() || children == nullptr || !children->is_array()) return proof;
        Json child_hashes = Json::array();
        for (const Json& child : *children->as_array()) {
            const auto id = child.as_int64();
            if (!id || *id < 0 || static_cast<std::size_t>(*id) >= hashes.size()) return proof;
            child_hashes.push_back(hashes[static_cast<std::size_t>(*id)]);
        }
        const Json id = static_cast<std::uint64_t>(hashes.size());
        const Json* data = node.find("data");
        const Json* type = node.find("type");
        if (data == nullptr || type == nullptr) return proof;
        const auto covered = jobforge::canonical(Json::object(
            {{"children_hashes", child_hashes}, {"data", *data}, {"id", id}, {"type", *type}}));
        if (!covered.ok()) return proof;
        hashes.push_back(jobforge::sha256_hex(*covered));
        node.set("hash", hashes.back());
        node.set("id", id);
    }
    Json copy = proof;
    return copy.set("nodes", std::move(nodes)).set("root_hash", hashes.back());
}

std::vector<Fact> facts_of(const Json& document) {
    std::vector<Fact> facts;
    const Json* list = document.find("facts");
    if (list == nullptr || !list->is_array()) return facts;
    for (const Json& fact : *list->as_array()) {
        const Json* type = fact.find("fact_type");
        const Json* key = fact.find("fact_key");
        const Json* payload = fact.find("payload");
        if (type == nullptr || key == nullptr || payload == nullptr) continue;
        if (!type->is_string() || !key->is_string()) continue;
        facts.push_back({*type->as_string(), *key->as_string(), payload});
    }
    return facts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto document = Json::parse({reinterpret_cast<const char*>(data), size});
    if (!document.ok()) return 0;
    const Json* given = document->find("proof");
    Json proof = rehashed(given == nullptr ? *document : *given);
    const std::vector<Fact> facts = facts_of(*document);
    const auto day = jobforge::Date::parse("2027-02-18");
    const jobforge::verify::ProofInputs inputs{facts, "Pack 50", "SKU-1", *day};
    const auto derived = check_proof(proof, inputs);
    const auto again = check_proof(proof, inputs);
    require(derived.ok() == again.ok(), "the same proof has one verdict");
    if (!derived.ok()) {
        require(derived.error().message == again.error().message, "and one reason");
        return 0;
    }
    require(jobforge::canonical(derived->fields).ok(), "fields have a canonical form");
    require(jobforge::canonical(derived->compliance).ok(), "compliance has a canonical form");
    require(!check_proof(proof.set("root_hash", std::string(64, '0')), inputs).ok(),
            "another root hash is refused");
    return 0;
}
