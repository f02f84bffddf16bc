#include "audit/merkle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>

namespace jobforge {
namespace {

constexpr char kLeafPrefix = '\x00';
constexpr char kNodePrefix = '\x01';

// Where a tree of `size` > 1 leaves splits: the largest power of two below it.
std::uint64_t split_of(std::uint64_t size) noexcept {
    return std::bit_floor(size - 1);
}

// SUBPROOF(m, D[n], b) of RFC 6962. `whole`: the old tree is a subtree whose root the verifier has.
void consistency(std::span<const Sha256> leaves, std::uint64_t old_size, bool whole,
                 MerkleProof& proof) {
    if (old_size == leaves.size()) {
        if (!whole) {
            proof.push_back(merkle_root(leaves));
        }
        return;
    }
    const std::uint64_t split = split_of(leaves.size());
    if (old_size <= split) {
        consistency(leaves.first(split), old_size, whole, proof);
        proof.push_back(merkle_root(leaves.subspan(split)));
    } else {
        consistency(leaves.subspan(split), old_size - split, false, proof);
        proof.push_back(merkle_root(leaves.first(split)));
    }
}

// Hashes that a verifier takes from a proof one by one.
class Steps final {
public:
    explicit Steps(std::span<const Sha256> proof) noexcept : left_(proof) {}
    [[nodiscard]] bool done() const noexcept { return left_.empty(); }
    const Sha256& take() noexcept {
        const Sha256& hash = left_.front();
        left_ = left_.subspan(1);
        return hash;
    }

private:
    std::span<const Sha256> left_;
};

}  // namespace

Sha256 merkle_leaf_hash(std::string_view entry) {
    std::string bytes;
    bytes.reserve(entry.size() + 1);
    bytes += kLeafPrefix;
    bytes += entry;
    return sha256(bytes);
}

Sha256 merkle_node_hash(const Sha256& left, const Sha256& right) {
    std::array<char, 1 + 2 * sizeof(Sha256)> bytes{kNodePrefix};
    std::ranges::copy(left, bytes.begin() + 1);
    std::ranges::copy(right, bytes.begin() + 1 + sizeof(Sha256));
    return sha256(std::string_view(bytes.data(), bytes.size()));
}

Sha256 merkle_root(std::span<const Sha256> leaf_hashes) {
    MerkleFrontier frontier;
    for (const Sha256& leaf : leaf_hashes) {
        frontier.append(leaf);
    }
    return frontier.root();
}

Result<MerkleFrontier> MerkleFrontier::restore(std::uint64_t size, std::vector<Sha256> nodes) {
    if (static_cast<std::size_t>(std::popcount(size)) != nodes.size()) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         "a Merkle tree of " + std::to_string(size) + " leaves has " +
                             std::to_string(std::popcount(size)) + " complete subtrees, not " +
                             std::to_string(nodes.size()));
    }
    MerkleFrontier frontier;
    frontier.size_ = size;
    frontier.nodes_ = std::move(nodes);
    return frontier;
}

void MerkleFrontier::append(const Sha256& leaf_hash) {
    // Adding one to the size carries once for every set bit at its end: each carry joins the two
    // smallest subtrees, which have become equally large.
    Sha256 node = leaf_hash;
    for (std::uint64_t carries = size_; (carries & 1) != 0; carries >>= 1) {
        node = merkle_node_hash(nodes_.back(), node);
        nodes_.pop_back();
    }
    nodes_.push_back(node);
    ++size_;
}

Sha256 MerkleFrontier::root() const {
    if (nodes_.empty()) {
        return sha256({});
    }
    Sha256 root = nodes_.back();
    for (auto left = nodes_.rbegin() + 1; left != nodes_.rend(); ++left) {
        root = merkle_node_hash(*left, root);
    }
    return root;
}

Result<MerkleProof> merkle_inclusion_proof(std::span<const Sha256> leaf_hashes,
                                           std::uint64_t index) {
    if (index >= leaf_hashes.size()) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         "entry " + std::to_string(index) + " is not in a log of " +
                             std::to_string(leaf_hashes.size()) + " entries");
    }
    MerkleProof proof;
    // From the root down, so the path comes out upside down.
    while (leaf_hashes.size() > 1) {
        const std::uint64_t split = split_of(leaf_hashes.size());
        if (index < split) {
            proof.push_back(merkle_root(leaf_hashes.subspan(split)));
            leaf_hashes = leaf_hashes.first(split);
        } else {
            proof.push_back(merkle_root(leaf_hashes.first(split)));
            leaf_hashes = leaf_hashes.subspan(split);
            index -= split;
        }
    }
    std::ranges::reverse(proof);
    return proof;
}

bool merkle_verify_inclusion(const Sha256& leaf_hash, std::uint64_t index, std::uint64_t size,
                             std::span<const Sha256> proof, const Sha256& root) {
    if (index >= size) {
        return false;
    }
    // RFC 9162, section 2.1.3.2: `at` is the node's place in its level, `last` the level's last.
    Steps steps(proof);
    Sha256 node = leaf_hash;
    std::uint64_t at = index;
    for (std::uint64_t last = size - 1; last != 0; at >>= 1, last >>= 1) {
        const bool right = (at & 1) != 0;
        if (!right && at == last) {
            continue;  // no sibling: it goes up as it is
        }
        if (steps.done()) {
            return false;
        }
        const Sha256& sibling = steps.take();
        node = right ? merkle_node_hash(sibling, node) : merkle_node_hash(node, sibling);
    }
    return steps.done() && node == root;
}

Result<MerkleProof> merkle_consistency_proof(std::span<const Sha256> leaf_hashes,
                                             std::uint64_t old_size) {
    if (old_size > leaf_hashes.size()) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         "a log of " + std::to_string(leaf_hashes.size()) +
                             " entries cannot begin with one of " + std::to_string(old_size));
    }
    MerkleProof proof;
    if (old_size != 0) {
        consistency(leaf_hashes, old_size, true, proof);
    }
    return proof;
}

bool merkle_verify_consistency(std::uint64_t old_size, const Sha256& old_root,
                               std::uint64_t new_size, const Sha256& new_root,
                               std::span<const Sha256> proof) {
    if (old_size > new_size) {
        return false;
    }
    if (old_size == 0) {
        return proof.empty() && old_root == sha256({});
    }
    if (old_size == new_size) {
        return proof.empty() && old_root == new_root;
    }
    // RFC 9162, section 2.1.4.2. Both roots are computed from the same hashes: the largest complete
    // subtree at the end of the old tree, and what stands left and right of the way up.
    std::uint64_t at = old_size - 1;
    std::uint64_t last = new_size - 1;
    const int whole = std::countr_one(at);
    at >>= whole;
    last >>= whole;
    Steps steps(proof);
    Sha256 old_node = old_root;
    if (at != 0) {
        if (steps.done()) {
            return false;
        }
        old_node = steps.take();
    }
    Sha256 new_node = old_node;
    for (; last != 0; at >>= 1, last >>= 1) {
        const bool right = (at & 1) != 0;
        if (!right && at == last) {
            continue;
        }
        if (steps.done()) {
            return false;
        }
        const Sha256& sibling = steps.take();
        if (right) {
            old_node = merkle_node_hash(sibling, old_node);
            new_node = merkle_node_hash(sibling, new_node);
        } else {
            new_node = merkle_node_hash(new_node, sibling);
        }
    }
    return steps.done() && old_node == old_root && new_node == new_root;
}

}  // namespace jobforge
