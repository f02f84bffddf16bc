#include "audit/log_consistency.h"

#include <fmt/format.h>

#include "audit/audit_chain.h"
#include "base/text/counted.h"

namespace jobforge::passport {
namespace {

Result<Checkpoint> open_head(const Uuid& tenant, std::string_view name, std::string_view note,
                             std::span<const Ed25519PublicKey> keys) {
    auto opened = open_checkpoint(note, log_origin(tenant), keys);
    if (!opened.ok()) {
        Error error = std::move(opened).error();
        error.message = fmt::format("the {} head: {}", name, error.message);
        return error;
    }
    return opened;
}

std::string events(std::uint64_t count) {
    return counted(static_cast<std::int64_t>(count), "event");
}

Error mismatch(std::string message) {
    return Error::of(ErrorCode::LOG_HEAD_MISMATCH, std::move(message));
}

}  // namespace

Result<LogConsistency> open_two_heads(const Uuid& tenant, std::string_view older,
                                      std::string_view newer,
                                      std::span<const Ed25519PublicKey> keys) {
    auto first = open_head(tenant, "older", older, keys);
    if (!first.ok()) {
        return std::move(first).error();
    }
    auto second = open_head(tenant, "newer", newer, keys);
    if (!second.ok()) {
        return std::move(second).error();
    }
    if (first->tree_size > second->tree_size) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         fmt::format("the older head covers {} and the newer one {}: give "
                                     "the smaller one first",
                                     events(first->tree_size), second->tree_size));
    }
    return LogConsistency{*std::move(first), *std::move(second), {}};
}

Status prove_consistency(std::span<const Sha256> leaves, LogConsistency& heads) {
    if (heads.newer.tree_size > leaves.size()) {
        return mismatch(
            fmt::format("the newer head covers {}, and the log has {}: the end "
                        "of the log was cut",
                        events(heads.newer.tree_size), leaves.size()));
    }
    const auto covered = leaves.first(static_cast<std::size_t>(heads.newer.tree_size));
    auto proof = merkle_consistency_proof(covered, heads.older.tree_size);
    if (!proof.ok()) {
        return std::move(proof).error();
    }
    heads.proof = *std::move(proof);
    // Two heads of one size have an empty proof, which says nothing about the log.
    const bool newer_fits = merkle_root(covered) == heads.newer.root_hash;
    if (newer_fits &&
        merkle_verify_consistency(heads.older.tree_size, heads.older.root_hash,
                                  heads.newer.tree_size, heads.newer.root_hash, heads.proof)) {
        return ok_status();
    }
    // Which of the two is not of this log: the reason in the error.
    const auto begins = covered.first(static_cast<std::size_t>(heads.older.tree_size));
    const bool older_fits = merkle_root(begins) == heads.older.root_hash;
    return mismatch(
        fmt::format("the newer head (over {}) does not go on from the older one (over {}): {}",
                    events(heads.newer.tree_size), heads.older.tree_size,
                    older_fits == newer_fits ? "neither is one of this log"
                    : older_fits             ? "the newer one is not one of this log"
                                             : "the older one is not one of this log"));
}

}  // namespace jobforge::passport
