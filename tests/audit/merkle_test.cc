#include "audit/merkle.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace jobforge {
namespace {

Sha256 hash_of_hex(const std::string& hex) {
    const std::string bytes = hex_decode(hex).value();
    Sha256 hash{};
    std::copy(bytes.begin(), bytes.end(), hash.begin());
    return hash;
}

MerkleProof proof_of_hex(const std::vector<std::string>& hex) {
    MerkleProof proof;
    for (const std::string& hash : hex) {
        proof.push_back(hash_of_hex(hash));
    }
    return proof;
}

// The eight entries of Certificate Transparency's reference tests.
std::vector<Sha256> reference_leaves(std::size_t count) {
    const char* const entries[] = {"",
                                   "00",
                                   "10",
                                   "2021",
                                   "3031",
                                   "40414243",
                                   "5051525354555657",
                                   "606162636465666768696a6b6c6d6e6f"};
    std::vector<Sha256> leaves;
    for (std::size_t i = 0; i < count; ++i) {
        leaves.push_back(merkle_leaf_hash(hex_decode(entries[i]).value()));
    }
    return leaves;
}

std::vector<Sha256> counted_leaves(std::size_t count) {
    std::vector<Sha256> leaves;
    for (std::size_t i = 0; i < count; ++i) {
        leaves.push_back(merkle_leaf_hash("entry " + std::to_string(i)));
    }
    return leaves;
}

// MTH of RFC 6962 word for word: what the frontier computes must be this.
Sha256 root_by_definition(std::span<const Sha256> leaves) {
    if (leaves.empty()) {
        return sha256("");
    }
    if (leaves.size() == 1) {
        return leaves[0];
    }
    std::size_t split = 1;
    while (split * 2 < leaves.size()) {
        split *= 2;
    }
    return merkle_node_hash(root_by_definition(leaves.first(split)),
                            root_by_definition(leaves.subspan(split)));
}

constexpr const char* kReferenceRoots[] = {
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
};

constexpr const char* kNode01 = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e";
constexpr const char* kLeaf4 = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b";
constexpr const char* kNode67 = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0";

TEST(Merkle, roots_match_the_reference_tree_of_certificate_transparency) {
    for (std::size_t size = 0; size <= 8; ++size) {
        EXPECT_EQ(hex_encode(merkle_root(reference_leaves(size))), kReferenceRoots[size]) << size;
    }
}

TEST(Merkle, inclusion_proofs_match_the_reference_tree) {
    const auto path = [](std::uint64_t index, std::size_t size) {
        return merkle_inclusion_proof(reference_leaves(size), index).value();
    };
    EXPECT_EQ(path(0, 1), MerkleProof{});
    EXPECT_EQ(
        path(0, 8),
        proof_of_hex({"96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7", kNode01,
                      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"}));
    EXPECT_EQ(path(5, 8), proof_of_hex({kLeaf4, kNode67, kReferenceRoots[4]}));
    EXPECT_EQ(path(2, 3), proof_of_hex({kReferenceRoots[2]}));
    EXPECT_EQ(path(1, 5), proof_of_hex({kReferenceRoots[1], kNode01, kLeaf4}));
}

TEST(Merkle, consistency_proofs_match_the_reference_tree) {
    const auto proof = [](std::uint64_t old_size, std::size_t size) {
        return merkle_consistency_proof(reference_leaves(size), old_size).value();
    };
    EXPECT_EQ(proof(1, 1), MerkleProof{});
    EXPECT_EQ(
        proof(1, 8),
        proof_of_hex({"96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7", kNode01,
                      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"}));
    EXPECT_EQ(proof(6, 8),
              proof_of_hex({"0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                            kNode67, kReferenceRoots[4]}));
    EXPECT_EQ(proof(2, 5), proof_of_hex({kNode01, kLeaf4}));
}

TEST(Merkle, every_leaf_of_every_size_up_to_130_is_proven_in_its_place_only) {
    const auto all = counted_leaves(130);
    for (std::size_t size = 1; size <= all.size(); ++size) {
        const std::span leaves = std::span(all).first(size);
        const Sha256 root = merkle_root(leaves);
        ASSERT_EQ(root, root_by_definition(leaves)) << size;
        for (std::size_t index = 0; index < size; ++index) {
            const auto proof = merkle_inclusion_proof(leaves, index).value();
            ASSERT_TRUE(merkle_verify_inclusion(leaves[index], index, size, proof, root));
            const std::size_t other = (index + 1) % size;
            ASSERT_EQ(merkle_verify_inclusion(leaves[index], other, size, proof, root),
                      other == index);
            ASSERT_FALSE(
                merkle_verify_inclusion(all[(index + 1) % all.size()], index, size, proof, root));
        }
    }
}

TEST(Merkle, every_size_up_to_130_is_proven_to_begin_every_larger_one) {
    const auto all = counted_leaves(130);
    std::vector<Sha256> roots;
    for (std::size_t size = 0; size <= all.size(); ++size) {
        roots.push_back(merkle_root(std::span(all).first(size)));
    }
    for (std::size_t size = 0; size <= all.size(); ++size) {
        for (std::size_t old_size = 0; old_size <= size; ++old_size) {
            const auto proof =
                merkle_consistency_proof(std::span(all).first(size), old_size).value();
            ASSERT_TRUE(
                merkle_verify_consistency(old_size, roots[old_size], size, roots[size], proof))
                << old_size << " of " << size;
            const Sha256 lie = sha256("another history");
            ASSERT_FALSE(merkle_verify_consistency(old_size, lie, size, roots[size], proof));
            // Nothing is claimed of what follows the empty tree.
            ASSERT_EQ(merkle_verify_consistency(old_size, roots[old_size], size, lie, proof),
                      old_size == 0);
        }
    }
}

TEST(Merkle, a_proof_with_a_hash_changed_removed_added_or_swapped_fails) {
    const auto leaves = counted_leaves(100);
    const Sha256 root = merkle_root(leaves);
    const Sha256 old_root = merkle_root(std::span(leaves).first(77));
    const auto inclusion = merkle_inclusion_proof(leaves, 42).value();
    const auto consistency = merkle_consistency_proof(leaves, 77).value();
    const auto both_fail = [&](const auto& change) {
        MerkleProof path = inclusion;
        change(path);
        MerkleProof steps = consistency;
        change(steps);
        return !merkle_verify_inclusion(leaves[42], 42, 100, path, root) &&
               !merkle_verify_consistency(77, old_root, 100, root, steps);
    };
    EXPECT_FALSE(both_fail([](MerkleProof&) {}));
    for (std::size_t at = 0; at < std::min(inclusion.size(), consistency.size()); ++at) {
        for (std::size_t byte = 0; byte < sizeof(Sha256); ++byte) {
            EXPECT_TRUE(both_fail([&](MerkleProof& proof) { proof[at][byte] ^= 0x01; }));
        }
        EXPECT_TRUE(both_fail([&](MerkleProof& proof) {
            proof.erase(proof.begin() + static_cast<std::ptrdiff_t>(at));
        }));
    }
    EXPECT_TRUE(both_fail([](MerkleProof& proof) { proof.push_back(proof.back()); }));
    EXPECT_TRUE(both_fail([](MerkleProof& proof) { std::swap(proof[0], proof[1]); }));
    EXPECT_TRUE(both_fail([](MerkleProof& proof) { proof.clear(); }));
}

TEST(Merkle, sizes_and_places_that_cannot_be_are_refused) {
    const auto leaves = counted_leaves(4);
    const Sha256 root = merkle_root(leaves);
    EXPECT_FALSE(merkle_inclusion_proof(leaves, 4).ok());
    EXPECT_FALSE(merkle_inclusion_proof({}, 0).ok());
    EXPECT_FALSE(merkle_consistency_proof(leaves, 5).ok());
    EXPECT_FALSE(merkle_verify_inclusion(leaves[0], 4, 4, {}, root));
    EXPECT_FALSE(merkle_verify_inclusion(leaves[0], 0, 0, {}, root));
    EXPECT_FALSE(merkle_verify_consistency(5, root, 4, root, {}));
    EXPECT_FALSE(merkle_verify_consistency(0, root, 4, root, {}));
    // Where nothing is left to compute, only the sizes say no.
    EXPECT_TRUE(merkle_verify_inclusion(root, 0, 1, {}, root));
    EXPECT_FALSE(merkle_verify_inclusion(root, 1, 1, {}, root));
    EXPECT_FALSE(merkle_verify_consistency(2, root, 1, root, {}));
    // The largest sizes: no shift or addition may overflow.
    const std::uint64_t most = ~std::uint64_t{0};
    const MerkleProof long_proof(64, root);
    EXPECT_FALSE(merkle_verify_inclusion(leaves[0], most - 1, most, long_proof, root));
    EXPECT_FALSE(merkle_verify_consistency(most - 1, root, most, root, long_proof));
    EXPECT_FALSE(merkle_verify_consistency(std::uint64_t{1} << 63, root, most, root, long_proof));
}

TEST(Merkle, a_node_cannot_pass_for_an_entry) {
    const auto leaves = counted_leaves(2);
    std::string children;
    for (const Sha256& leaf : leaves) {
        children.append(leaf.begin(), leaf.end());
    }
    EXPECT_NE(merkle_leaf_hash(children), merkle_root(leaves));
    EXPECT_NE(merkle_node_hash(leaves[0], leaves[1]), merkle_node_hash(leaves[1], leaves[0]));
}

TEST(MerkleFrontier, goes_on_where_it_was_stored) {
    const auto leaves = counted_leaves(67);
    MerkleFrontier whole;
    for (const Sha256& leaf : leaves) {
        auto restored = MerkleFrontier::restore(whole.size(), whole.nodes()).value();
        restored.append(leaf);
        whole.append(leaf);
        ASSERT_EQ(restored.root(), whole.root());
        ASSERT_EQ(restored.nodes(), whole.nodes());
    }
    EXPECT_EQ(whole.size(), 67U);
    EXPECT_EQ(whole.nodes().size(), 3U);  // 64 + 2 + 1
}

TEST(MerkleFrontier, refuses_nodes_that_do_not_fit_its_size) {
    EXPECT_TRUE(MerkleFrontier::restore(0, {}).ok());
    EXPECT_FALSE(MerkleFrontier::restore(0, {sha256("")}).ok());
    EXPECT_FALSE(MerkleFrontier::restore(3, {sha256("")}).ok());
    EXPECT_TRUE(MerkleFrontier::restore(4, {sha256("")}).ok());
}

RC_GTEST_PROP(MerkleProperty, random_trees_prove_what_is_true_and_nothing_else, ()) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 3000);
    const auto old_size = *rc::gen::inRange<std::size_t>(1, size + 1);
    const auto index = *rc::gen::inRange<std::size_t>(0, size);
    const auto leaves = counted_leaves(size);
    const Sha256 root = merkle_root(leaves);
    const Sha256 old_root = merkle_root(std::span(leaves).first(old_size));
    auto path = merkle_inclusion_proof(leaves, index).value();
    auto steps = merkle_consistency_proof(leaves, old_size).value();
    RC_ASSERT(merkle_verify_inclusion(leaves[index], index, size, path, root));
    RC_ASSERT(merkle_verify_consistency(old_size, old_root, size, root, steps));
    const auto spoil = [](MerkleProof& proof) {
        const auto at = *rc::gen::inRange<std::size_t>(0, proof.size());
        const auto byte = *rc::gen::inRange<std::size_t>(0, sizeof(Sha256));
        proof[at][byte] ^= static_cast<std::uint8_t>(1U << *rc::gen::inRange(0, 8));
    };
    if (!path.empty()) {
        spoil(path);
        RC_ASSERT(!merkle_verify_inclusion(leaves[index], index, size, path, root));
    }
    if (!steps.empty()) {
        spoil(steps);
        RC_ASSERT(!merkle_verify_consistency(old_size, old_root, size, root, steps));
    }
}

}  // namespace
}  // namespace jobforge
