// What a handler is given while it runs. Lives for one run. Threads: the handler's, apart from what
// the Slot takes from others.
#pragma once

#include <optional>

#include <jobforge/worker.h>

#include "engine/settle/completion_transaction.h"
#include "engine/worker/slot.h"

namespace jobforge::engine {

class HandlerContext final : public JobContext {
public:
    HandlerContext(Slot& slot, HeldJob& held, const Job& job, const Logger& log,
                   TransactionPool& pool)
        : slot_(slot), held_(held), job_(job), worker_log_(log), transaction_(pool, held) {
        slot_.attach(&transaction_);
    }
    HandlerContext(const HandlerContext&) = delete;
    HandlerContext& operator=(const HandlerContext&) = delete;
    ~HandlerContext() override { slot_.attach(nullptr); }

    [[nodiscard]] const Job& job() const noexcept override { return job_; }
    [[nodiscard]] std::stop_token stop_token() const noexcept override {
        return slot_.stop_token();
    }
    [[nodiscard]] StopReason stop_reason() const noexcept override { return slot_.stop_reason(); }
    [[nodiscard]] const Logger& log() const noexcept override;
    [[nodiscard]] Result<jobforge::Transaction*> transaction() override;

    // The same before it has begun: it begins with the first calls (CompletionTransaction::run).
    [[nodiscard]] CompletionTransaction& completion() noexcept { return transaction_; }
    // The transaction if the handler used it; nullptr otherwise.
    [[nodiscard]] CompletionTransaction* opened() noexcept {
        return transaction_.used() ? &transaction_ : nullptr;
    }

private:
    Slot& slot_;
    HeldJob& held_;
    const Job& job_;
    const Logger& worker_log_;
    mutable std::optional<Logger> log_;  // made at the first use: most runs log nothing
    CompletionTransaction transaction_;
};

}  // namespace jobforge::engine
