// Merkle trees as in RFC 6962 (section 2.1) with SHA-256: a root over a list that only grows, a
// proof that an entry is in it (inclusion), and a proof that an older list is the beginning of a
// newer one (consistency).
//
// All functions take and give leaf hashes: merkle_leaf_hash(entry) once per entry. The prefixes
// 0x00 for leaves and 0x01 for nodes keep an entry from passing for a node. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <jobforge/error.h>

#include "base/crypto/hash.h"

namespace jobforge {

using MerkleProof = std::vector<Sha256>;

// SHA-256(0x00 || entry).
[[nodiscard]] Sha256 merkle_leaf_hash(std::string_view entry);
// SHA-256(0x01 || left || right).
[[nodiscard]] Sha256 merkle_node_hash(const Sha256& left, const Sha256& right);
// The root over all leaves; SHA-256 of nothing for no leaves.
[[nodiscard]] Sha256 merkle_root(std::span<const Sha256> leaf_hashes);

// What must be kept of a tree in order to go on: the roots of its complete subtrees, the largest
// (leftmost) first, one for each bit that is set in its size. Appending a leaf and asking for the
// root take O(log size).
class MerkleFrontier final {
public:
    // The empty tree.
    MerkleFrontier() = default;
    // A tree that was stored. VALIDATION_ERROR unless there is one node per set bit of `size`.
    [[nodiscard]] static Result<MerkleFrontier> restore(std::uint64_t size,
                                                        std::vector<Sha256> nodes);

    void append(const Sha256& leaf_hash);
    [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
    [[nodiscard]] Sha256 root() const;
    [[nodiscard]] const std::vector<Sha256>& nodes() const noexcept { return nodes_; }

private:
    std::uint64_t size_ = 0;
    std::vector<Sha256> nodes_;
};

// The audit path of leaf `index`, from the bottom up: PATH(m, D[n]). VALIDATION_ERROR unless index
// < leaf_hashes.size().
[[nodiscard]] Result<MerkleProof> merkle_inclusion_proof(std::span<const Sha256> leaf_hashes,
                                                         std::uint64_t index);
// Whether `proof` shows that the tree with this size and root has this leaf at `index`. Never
// reads more of the proof than log2(size) hashes.
[[nodiscard]] bool merkle_verify_inclusion(const Sha256& leaf_hash, std::uint64_t index,
                                           std::uint64_t size, std::span<const Sha256> proof,
                                           const Sha256& root);

// PROOF(m, D[n]): that the first `old_size` leaves are a beginning of all. Empty when old_size is 0
// or all. VALIDATION_ERROR if old_size is more than there are leaves.
[[nodiscard]] Result<MerkleProof> merkle_consistency_proof(std::span<const Sha256> leaf_hashes,
                                                           std::uint64_t old_size);
// Whether `proof` shows that the tree (new_size, new_root) begins with the tree (old_size,
// old_root). The empty tree begins every tree, with an empty proof and its own root.
[[nodiscard]] bool merkle_verify_consistency(std::uint64_t old_size, const Sha256& old_root,
                                             std::uint64_t new_size, const Sha256& new_root,
                                             std::span<const Sha256> proof);

}  // namespace jobforge
