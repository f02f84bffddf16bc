#include "services/jobs/outgoing_slot.h"

#include "connect/http/governor.h"

namespace jobforge::services {

std::shared_ptr<connect::TenantSlots> outgoing_calls(int worker_slots) {
    return std::make_shared<connect::TenantSlots>(
        connect::TenantSlotsOptions{.name = "outgoing calls",
                                    .total = worker_slots,
                                    .longest_wait = std::chrono::milliseconds(50)});
}

Result<OutgoingSlot> outgoing_slot(const std::shared_ptr<connect::TenantSlots>& calls,
                                   const JobContext& context) {
    if (!calls) {
        return OutgoingSlot();
    }
    auto slot = calls->take(context.job().tenant_id.to_string(), context.stop_token());
    if (!slot.ok()) {
        context.log().debug("the outgoing call waits", {{"reason", slot.error().message}});
        return std::move(slot).error();
    }
    return OutgoingSlot(*std::move(slot));
}

Outcome outcome_or_snooze(const Error& error) {
    const auto wait = connect::refused_for(error);
    return wait ? Outcome(Snooze{*wait}) : outcome_of(error);
}

}  // namespace jobforge::services
