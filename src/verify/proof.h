// A BPC-PROOF-1 document taken apart: its nodes, their order, hashes and references. What they are
// worth is not looked at here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

namespace jobforge::verify {

using NodeId = std::uint32_t;

struct Node {
    enum class Kind : std::uint8_t {
        constant,
        fact_get,
        operation,
        assertion,
        compliance,
        field,
    };
    Kind kind{};
    const Json* data = nullptr;  // in the document; has exactly the members of its kind
    std::vector<NodeId> children;
    std::string hash;  // recomputed, hex

    [[nodiscard]] const std::string& text(std::string_view member) const;  // of data
};

// VALIDATION_ERROR about one node, with {"node"} in details.
[[nodiscard]] Error node_fault(NodeId id, const std::string& what);
// VALIDATION_ERROR unless `value` is an object with exactly these members.
[[nodiscard]] Status exact_members(const Json& value,
                                   std::initializer_list<std::string_view> names);

// The nodes, if the document is a well-formed proof: exact members, ids from 0, children before
// parents, every hash right, no two nodes equal, all reachable from the last, which alone is OP
// root, over all FIELD nodes in order; field_index and root_hash as the nodes say. Otherwise the
// first fault. The nodes refer to `proof`: it must outlive them. Time and memory are linear in its
// size, but for a logarithm.
[[nodiscard]] Result<std::vector<Node>> read_proof(const Json& proof);

}  // namespace jobforge::verify
