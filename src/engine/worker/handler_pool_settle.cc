// How a run's outcome leaves the pool: in the handler's transaction if it opened one, else (and
// whenever that transaction cannot carry it) through the completer.
#include "engine/settle/settlement_report.h"
#include "engine/worker/handler_pool.h"
#include "engine/worker/job_context.h"

namespace jobforge::engine {

namespace {

// Rewrites the settlement to what the retry table says about this error.
void replace_by_error(Settlement& settlement, const Error& error, const Redactor& redactor) {
    const auto duration = settlement.duration;
    settlement = settlement_of(*settlement.job, outcome_of(error), redactor);
    settlement.duration = duration;
}

}  // namespace

void HandlerPool::come_again(Settlement& settlement, const Error& shortage) const {
    auto fields = job_fields(*settlement.job);
    fields.emplace_back("error", shortage.describe());
    options_.log.warn("the transaction of a job could not begin; the job is tried again", fields);
    const auto duration = settlement.duration;
    settlement = settlement_of(*settlement.job, Snooze{kShortagePause}, options_.redactor);
    settlement.duration = duration;
}

// A handler that answers Done without the transaction that it asked for has decided so; one whose
// calls failed has not (used()).
void HandlerPool::spare_the_attempt(HandlerContext& context, Settlement& settlement) const {
    CompletionTransaction& transaction = context.completion();
    const auto shortage = transaction.shortage();
    const bool failed = settlement.verdict == Verdict::retry ||
                        (transaction.used() && settlement.verdict == Verdict::done);
    if (shortage && failed) {
        transaction.rollback();
        come_again(settlement, *shortage);
    }
}

void HandlerPool::settle(HandlerContext& context, Settlement settlement) {
    HeldJob& job = *settlement.job;
    CompletionTransaction* transaction = context.opened();
    if (job.lost.load()) {
        if (transaction != nullptr) {
            transaction->rollback();
        }
        held_.settled(job);
        return;
    }
    if (transaction == nullptr || !transaction->wanted()) {
        completer_.push(std::move(settlement));
        return;
    }
    if (auto broken = transaction->broken()) {
        transaction->rollback();
        // An error the handler reported itself says more than the transaction's.
        if (settlement.verdict == Verdict::done || settlement.verdict == Verdict::snooze) {
            replace_by_error(settlement, *broken, options_.redactor);
        }
        completer_.push(std::move(settlement));
        return;
    }
    job.phase.store(Phase::ended, std::memory_order_relaxed);
    auto status = transaction->settle(options_.worker_id, settlement);
    if (status) {
        report_.settled(settlement, settlement.verdict, *status);
        held_.settled(job);
        return;
    }
    const Error& error = status.error();
    if (transaction->shortage()) {
        come_again(settlement, error);
        completer_.push(std::move(settlement));
        return;
    }
    // SETTLED: an earlier commit of this attempt happened after all, and this one did not.
    if (error.code == ErrorCode::LEASE_LOST || error.code == ErrorCode::SETTLED) {
        report_.lost(settlement);
        held_.settled(job);
        return;
    }
    // The commit failed, or its outcome is unknown: then the completer's call waits for the row's
    // lock and finds the lease still held (the attempt ends with this error) or settled after all.
    const Verdict sent = settlement.verdict;
    replace_by_error(settlement, error, options_.redactor);
    if (error.outcome_unknown) {
        settlement.maybe_settled = sent;
    }
    completer_.push(std::move(settlement));
}

}  // namespace jobforge::engine
