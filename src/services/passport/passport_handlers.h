// The handlers of the passport pipeline, one file each (handle_*.cc).
//
//   PARSE_FACTS       {"document_version_id"}      facts of a document; VALIDATED or REJECTED
//   BUILD_SNAPSHOT    {"snapshot_id"}              BUILDING -> READY
//   RUN_RULE_TESTS    {"rule_package_version_id","seed"}   a run; DRAFT -> VALIDATED if it passed
//   COMPILE_PASSPORT  {"issued_at","passport_id","passport_version_id",
//                      "rule_package_version_id","signing_key_id","snapshot_id"}   -> COMPILING
//   SIGN_PASSPORT     {"passport_version_id"}      -> SIGNED
//   GENERATE_QR       {"passport_version_id"}      the QR code; stays SIGNED
//   DELIVER_WEBHOOK   {"webhook_delivery_id"}      one POST of an audit event
//
// Each is safe to repeat: "already done with the same inputs" is success without a second event.
// All effects of a step (state, audit event, follow-up job, webhooks) stand in one SQL function
// called in the completion transaction. Payloads that do not fit are JOB_PAYLOAD_INVALID.
#pragma once

#include <memory>

#include <jobforge/worker.h>

#include "services/passport/passport_metrics.h"
#include "services/passport/passport_settings.h"
#include "services/passport/rules_cache.h"

namespace jobforge::services {

// What the handlers share. Threads: any.
struct PassportTools {
    PassportSettings settings;
    RulesCache rules;
    PassportMetrics metrics;
};
using SharedTools = std::shared_ptr<PassportTools>;

[[nodiscard]] Outcome handle_parse_facts(JobContext& context);
[[nodiscard]] Outcome handle_build_snapshot(JobContext& context);
[[nodiscard]] Outcome handle_compile_passport(JobContext& context, PassportTools& tools);
[[nodiscard]] Outcome handle_sign_passport(JobContext& context, const PassportTools& tools);
[[nodiscard]] Outcome handle_generate_qr(JobContext& context, const PassportTools& tools);
[[nodiscard]] Handler run_rule_tests_handler(const SharedTools& tools);
[[nodiscard]] Handler deliver_webhook_handler(SharedTools tools);

// Registers all of them. The tools must hold what each needs; a missing signing key or master key
// is the error of the job that needs it.
void add_passport_handlers(Worker& worker, const SharedTools& tools);

}  // namespace jobforge::services
