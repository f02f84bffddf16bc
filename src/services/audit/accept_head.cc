#include "services/audit/accept_head.h"

#include <chrono>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "audit/signed_note.h"
#include "services/audit/audit.h"
#include "services/audit/log_check.h"
#include "services/jobs/step.h"
#include "statements/audit.h"
#include "statements/session.h"

namespace jobforge::services {

namespace {

// A worker has the turn for milliseconds.
constexpr int kTries = 100;
constexpr std::chrono::milliseconds kBetweenTries{50};

// A trail that contradicts itself is not made true by a signature. Heads that were removed are what
// the kept head says too, and the log goes on to name them.
Status check_trail(pg::Connection& connection, const Uuid& tenant) {
    const auto report =
        verify_audit(connection, {.tenant = tenant, .keys = {}, .outside_heads = {}});
    if (!report.ok()) {
        return report.error();
    }
    if (report->fault && report->fault->what != "head_missing") {
        Error error = log_mismatch("the trail contradicts itself: " + report->fault->message);
        error.hint = "Restore a backup that does not; nothing was accepted.";
        return error;
    }
    return ok_status();
}

// What the kept head says, if it can be read: also one that is not signed by us was in the way.
std::optional<Checkpoint> kept_checkpoint(const Uuid& tenant, const LogSigner& signer) {
    const auto kept = signer.kept->find(tenant);
    if (!kept.ok() || !*kept) {
        return std::nullopt;
    }
    const auto note = parse_signed_note(**kept);
    auto head = note.ok() ? parse_checkpoint_text(note->text) : Result<Checkpoint>(note.error());
    return head.ok() ? std::optional(*std::move(head)) : std::nullopt;
}

Status note_event(pg::Connection& connection, const AcceptHead& request,
                  const std::optional<Checkpoint>& kept) {
    auto transaction = pg::Transaction::begin(connection);
    if (!transaction.ok()) {
        return std::move(transaction).error();
    }
    pg::Params set;
    set.text(request.tenant.to_string());
    if (auto rows = transaction->exec(statements::session::kSetAppTenant, set); !rows.ok()) {
        return std::move(rows).error();
    }
    const auto tree = recomputed_tree(*transaction);
    if (!tree.ok()) {
        return tree.error();
    }
    pg::Params note;
    if (kept) {
        note.int8(static_cast<std::int64_t>(kept->tree_size)).bytea(view(kept->root_hash));
    } else {
        note.opt_int8(std::nullopt).bytea("");
    }
    note.int8(static_cast<std::int64_t>(tree->size()))
        .bytea(view(tree->root()))
        .text(request.reason)
        .text(request.actor);
    if (auto noted = transaction->exec(statements::audit::kNoteHeadAccepted, note); !noted.ok()) {
        return std::move(noted).error();
    }
    return transaction->commit();
}

}  // namespace

Result<std::string> accept_head(pg::Connection& connection, const AcceptHead& request,
                                const LogSigner& signer) {
    const Status fits = check_log(connection, request.tenant, signer);
    if (fits.ok()) {
        return Error::of(ErrorCode::INVALID_TRANSITION,
                         "the log goes on from the head that is kept: there is nothing to accept");
    }
    if (fits.error().code != ErrorCode::LOG_HEAD_MISMATCH) {
        return fits.error();
    }
    if (auto checked = check_trail(connection, request.tenant); !checked.ok()) {
        return std::move(checked).error();
    }
    if (signer.keys->find(signer.key_id) == nullptr) {
        return Error::of(ErrorCode::SIGNING_KEY_MISSING,
                         fmt::format("the signing key \"{}\" is not here", signer.key_id));
    }
    if (auto noted = note_event(connection, request, kept_checkpoint(request.tenant, signer));
        !noted.ok()) {
        return std::move(noted).error();
    }
    for (int tries = 0; tries < kTries; ++tries) {
        auto growth = accept_log(connection, request.tenant, signer);
        if (!growth.ok()) {
            return std::move(growth).error();
        }
        if (!growth->head.empty()) {
            return std::move(growth->head);
        }
        std::this_thread::sleep_for(kBetweenTries);
    }
    return Error::of(ErrorCode::TIMEOUT, "another process works on the log of this tenant");
}

}  // namespace jobforge::services
