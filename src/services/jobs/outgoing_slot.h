// A place among the outgoing calls of this worker, and the outcome of a job that got none.
#pragma once

#include <memory>
#include <optional>

#include <jobforge/worker.h>

#include "connect/guard/tenant_slots.h"

namespace jobforge::services {

// The outgoing calls of a worker with so many handlers: as many, so that what one tenant may not
// have of them stays free for the jobs of others, of whatever type. A call of some milliseconds is
// waited for (50 ms), so that a burst of them is not put back and claimed again.
[[nodiscard]] std::shared_ptr<connect::TenantSlots> outgoing_calls(int worker_slots);

// Held for a whole call: name, connection, redirects, every page. Empty where there is no limit.
using OutgoingSlot = std::optional<connect::TenantSlots::Slot>;

// Takes one for the job's tenant, before its governor is asked: a permit or probe of a breaker that
// is then not used would be lost. `calls` null: no limit. connect::shortage() if there is none.
[[nodiscard]] Result<OutgoingSlot> outgoing_slot(const std::shared_ptr<connect::TenantSlots>& calls,
                                                 const JobContext& context);

// outcome_of(), but Snooze for an error that says when to come back (connect::refused_for): a
// governor's refusal, or a shortage of our own. Neither is a failed attempt.
[[nodiscard]] Outcome outcome_or_snooze(const Error& error);

}  // namespace jobforge::services
