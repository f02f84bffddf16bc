#include "engine/worker/job_context.h"

#include "engine/settle/settlement_report.h"

namespace jobforge::engine {

const Logger& HandlerContext::log() const noexcept {
    if (!log_) {
        log_ = worker_log_.with(job_fields(held_));
    }
    return *log_;
}

Result<jobforge::Transaction*> HandlerContext::transaction() {
    if (auto begun = transaction_.begin(); !begun) {
        return begun.error();
    }
    return &transaction_;
}

}  // namespace jobforge::engine
