// BPC-PROOF-1: writes down how every value of a passport came about, node by node.
//
// The evaluator reports each step; a step equal to an earlier one in kind, data and children gets
// the earlier one's id, so nothing is written twice. Children come before their parents, ids count
// from 0, and a node's hash covers its own data, its id and its children's hashes: the hash of the
// last node (OP root) covers everything. docs/formats.md has the format, src/verify checks it
// without this file.
//
// Owned by one evaluation; not for use from several threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rules/eval/rule_value.h"

namespace jobforge::rules {

enum class ProofNodeKind : std::uint8_t {
    constant,
    fact_get,
    operation,
    assertion,
    compliance,
    field
};
// "CONST", "FACT_GET", "OP", "ASSERT", "COMPLIANCE_EMIT", "FIELD".
[[nodiscard]] std::string_view to_string(ProofNodeKind kind) noexcept;

struct ProofNode {
    ProofNodeKind kind{};
    std::string data;  // canonical JSON
    std::vector<std::uint32_t> children;
    std::string hash;    // hex; empty until the proof is finished
    rules::Value value;  // what it is worth; not written, for explanations
};

struct Proof {
    std::vector<ProofNode> nodes;
    std::map<std::string, std::uint32_t> field_index;  // path -> id of its FIELD node
    std::string root_hash;                             // hex

    // The canonical bytes of the whole proof.
    [[nodiscard]] std::string canonical() const;
};

// A type as the proof needs it: its notation, and whether results are written out (Bool, Int, Dec,
// Qty, Date, Text of up to 256 bytes, and Opt of these) or only hashed (lists, maps and records).
struct ProofType {
    std::string notation;
    bool scalar = true;
    std::uint32_t number = 0;  // of the notation, see ProofBuilder::number_of; 0: not known yet
};

class ProofBuilder final {
public:
    using Id = std::uint32_t;

    // The same number for the same notation. Records have long types; a caller that reports many
    // steps looks the number up once.
    [[nodiscard]] std::uint32_t number_of(const std::string& notation);

    Id constant(const ProofType& type, const rules::Value& value);
    // payload_hash: empty if the fact is absent.
    Id fact_get(std::string_view fact_type, std::string_view fact_key,
                std::string_view payload_hash, Id key);
    Id operation(std::string_view op, const ProofType& type, const rules::Value& result,
                 std::span<const Id> children);
    Id assertion(std::string_view code, std::span<const Id> children);
    Id compliance(std::string_view id, std::string_view status, std::string_view evidence,
                  std::span<const Id> children);
    Id field(std::string_view path, const ProofType& type, const rules::Value& value,
             std::span<const Id> children);

    // The finished proof will have at least this many bytes.
    [[nodiscard]] std::uint64_t minimum_bytes() const noexcept { return minimum_bytes_; }
    // Adds OP root over all FIELD nodes, in the order in which they were reported, and leaves out
    // what it does not rest on (an unused let, an argument that a lambda ignores): root_hash covers
    // every node that is written.
    [[nodiscard]] Proof finish(const ProofType& fields_type, const rules::Value& fields) &&;
    // What there is so far, without root: for explaining single fields.
    [[nodiscard]] Proof unfinished() && { return std::move(proof_); }

private:
    // data_, with the brace that opens it. Data is written there, so that a node that is kept takes
    // memory once and one that was seen before takes none.
    [[nodiscard]] std::string& begin_data() { return data_ = "{"; }
    Id add(ProofNodeKind kind, std::string_view data, std::span<const Id> children,
           const rules::Value& value);
    Id append(ProofNodeKind kind, std::string_view data, std::span<const Id> children,
              const rules::Value& value);
    // The node that identity_ describes, if there is one; else that description belongs to the
    // node that comes next.
    [[nodiscard]] std::optional<Id> known();
    void hash_nodes();
    void drop_unneeded();
    void append_result(std::string& out, const ProofType& type, const rules::Value& value);
    [[nodiscard]] std::string result_hash(const rules::Value& value);

    Proof proof_;
    std::uint64_t minimum_bytes_ = 0;
    std::vector<Id> fields_;
    // Found by a view of identity_, which is written anew for each step: most steps were seen
    // before, and cost no memory. Hashed once: the library would do it again for every neighbour
    // that a search passes.
    template <typename Text>
    struct Identity {
        std::size_t hash;
        Text text;
    };
    struct SameIdentity {
        using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
        std::size_t operator()(const auto& identity) const noexcept { return identity.hash; }
        bool operator()(const auto& a, const auto& b) const noexcept {
            return a.hash == b.hash && a.text == b.text;
        }
    };
    // Looked up only, never walked: no order leaks.
    std::unordered_map<Identity<std::string>, Id, SameIdentity, SameIdentity> ids_;
    std::string identity_;
    std::string data_;
    std::unordered_map<std::string, std::uint32_t> type_numbers_;
    struct Hashed {
        rules::Value value;  // keeps the address taken
        std::string hash;
    };
    std::unordered_map<const void*, Hashed> hashes_;  // of shared lists and records, made once
};

}  // namespace jobforge::rules
