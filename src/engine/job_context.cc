#include "engine/job_context.h"

#include "engine/settlement_report.h"

namespace jobforge::engine {

const Logger& HandlerContext::log() const noexcept {
    if (!log_) {
        log_ = worker_log_.with(job_fields(held_));
    }
    return *log_;
}

Result<jobforge::Transaction*> HandlerContext::transaction() {
    if (!transaction_) {
        auto begun = CompletionTransaction::begin(pool_, held_);
        if (!begun) {
            return begun.error();
        }
        transaction_ = std::move(*begun);
    }
    return transaction_.get();
}

}  // namespace jobforge::engine
