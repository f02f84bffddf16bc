// The heads of AuditVerifier: their notes, signatures, roots, and those that are not there any
// more.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "audit/audit_chain.h"
#include "base/text/counted.h"

namespace jobforge::passport {
namespace {

std::string_view bytes_of(const Sha256& hash) noexcept {
    return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

std::string entries(std::uint64_t count) {
    return counted(static_cast<std::int64_t>(count), "entry", "entries");
}

}  // namespace

bool AuditVerifier::head_fault(const PendingHead& head, std::string_view what,
                               const std::string& message) {
    AuditFault fault;
    fault.what = what;
    if (!head.outside) {
        fault.message = fmt::format("The head of size {}: {}", head.head.tree_size, message);
    } else if (head.source.empty()) {
        fault.message = fmt::format("The head kept outside: {}", message);
    } else {
        fault.message = fmt::format("The head kept outside ({}): {}", head.source, message);
    }
    fault.tree_size = head.head.tree_size;
    report_.fault = std::move(fault);
    return false;
}

bool AuditVerifier::add_head(AuditHead head) {
    if (!report_.fault) {
        heads_.push_back({std::move(head), {}, {}, false, {}});
    }
    return !report_.fault;
}

bool AuditVerifier::add_outside_head(OutsideHead head) {
    if (!report_.fault) {
        AuditHead row;
        row.checkpoint = std::move(head.checkpoint);
        heads_.push_back({std::move(row), {}, {}, true, std::move(head.source)});
    }
    return !report_.fault;
}

bool AuditVerifier::parse_head(PendingHead& head) {
    auto note = parse_signed_note(head.head.checkpoint);
    auto read = note.ok() ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
    if (!read.ok()) {
        return head_fault(head, "head_form", read.error().message);
    }
    if (read->origin != origin_) {
        return head_fault(head, "head_form",
                          fmt::format("it is of the log {}, not of {}", read->origin, origin_));
    }
    head.note = *std::move(note);
    head.checkpoint = *std::move(read);
    const auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto tree_size = static_cast<std::int64_t>(std::min(head.checkpoint.tree_size, largest));
    if (head.outside) {
        head.head.tree_size = tree_size;
        report_.outside_sizes.push_back(tree_size);
        return true;
    }
    if (head.head.tree_size != tree_size ||
        head.head.root_hash != bytes_of(head.checkpoint.root_hash)) {
        return head_fault(head, "head_differs",
                          "size and root of its row are not those of its signed checkpoint");
    }
    return true;
}

bool AuditVerifier::signs(const PendingHead& head, const Ed25519PublicKey& key) const {
    const std::uint32_t key_id = note_key_id(origin_, key);
    return std::ranges::any_of(head.note.signatures, [&](const NoteSignature& signature) {
        return signature.key_name == origin_ && signature.key_id == key_id;
    });
}

void AuditVerifier::drop_keys_that_sign_nothing() {
    if (trust_ == KeyTrust::given) {
        return;
    }
    const bool one_signs = std::ranges::any_of(heads_, [this](const PendingHead& head) {
        return std::ranges::any_of(trusted_keys_,
                                   [&](const Ed25519PublicKey& key) { return signs(head, key); });
    });
    if (!one_signs) {
        trusted_keys_.clear();
    }
}

bool AuditVerifier::check_signature(const PendingHead& head) {
    if (auto verified = verify_note(head.note, origin_, trusted_keys_); !verified.ok()) {
        return head_fault(head, "head_signature",
                          head.head.key_id.empty()
                              ? verified.error().message
                              : fmt::format("{} (it names the key {})", verified.error().message,
                                            head.head.key_id));
    }
    for (std::size_t at = 0; at < trusted_keys_.size(); ++at) {
        report_.signatures_by_key[at] += signs(head, trusted_keys_[at]) ? 1 : 0;
    }
    ++report_.signatures_checked;
    return true;
}

bool AuditVerifier::check_frontier(const PendingHead& head, const MerkleFrontier& tree) {
    const bool same = !head.head.frontier ||
                      std::ranges::equal(*head.head.frontier, tree.nodes(), {}, {},
                                         [](const Sha256& node) { return bytes_of(node); });
    return same || head_fault(head, "head_frontier",
                              "its frontier is not that of the log: the next head would have been "
                              "computed from it");
}

bool AuditVerifier::check_roots() {
    std::ranges::stable_sort(heads_, {},
                             [](const PendingHead& head) { return head.checkpoint.tree_size; });
    MerkleFrontier tree;
    for (const PendingHead& head : heads_) {
        const std::uint64_t size = head.checkpoint.tree_size;
        if (size > leaves_.size()) {
            return head_fault(head, "head_beyond_log",
                              fmt::format("it was signed over {}, and the log has {}: the end of "
                                          "the log was cut",
                                          entries(size), leaves_.size()));
        }
        while (tree.size() < size) {
            tree.append(leaves_[tree.size()]);
        }
        if (const Sha256 root = tree.root(); root != head.checkpoint.root_hash) {
            return head_fault(
                head, "head_root",
                fmt::format("the root of the log's first {} is {}, and {} was signed: the log was "
                            "rewritten",
                            entries(size), hex_encode(root),
                            hex_encode(head.checkpoint.root_hash)));
        }
        if (!check_frontier(head, tree)) {
            return false;
        }
        ++(head.outside ? report_.outside_heads : report_.heads);
        report_.events_under_head = static_cast<std::int64_t>(size);
    }
    return true;
}

bool AuditVerifier::check_missing_heads() {
    std::set<std::int64_t> stored{0};  // nothing needs no head
    for (const PendingHead& head : heads_) {
        if (!head.outside) {
            stored.insert(head.head.tree_size);
        }
    }
    const auto missing = [this](std::int64_t size, std::string_view witness) {
        AuditFault fault;
        fault.what = "head_missing";
        fault.message = fmt::format("The head of size {} was removed: {}", size, witness);
        fault.tree_size = size;
        report_.fault = std::move(fault);
        return false;
    };
    for (const std::int64_t size : named_heads_) {
        if (!stored.contains(size)) {
            return missing(size, "the entries after it name it");
        }
    }
    for (const PendingHead& head : heads_) {
        if (!stored.contains(head.head.tree_size)) {
            return missing(head.head.tree_size,
                           head.source.empty() ? "it was kept outside" : head.source + " has it");
        }
    }
    const auto size = static_cast<std::int64_t>(leaves_.size());
    return *stored.rbegin() >= size ||
           missing(size, fmt::format("the log has {}, and its newest head covers {}",
                                     entries(leaves_.size()), *stored.rbegin()));
}

}  // namespace jobforge::passport
