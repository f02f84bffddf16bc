// Use cases: what is to be priced, its collections, its price points, its valuation. The command
// line and the HTTP API call these. Rows come as in sources.h. Threads: as TenantCalls.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/database/tenant_calls.h"
#include "services/passport/documents.h"

namespace jobforge::services {

// Members as in jobforge.add_intake. With an intake_id of the caller's own, the same content is the
// same intake. VALIDATION_ERROR.
[[nodiscard]] Result<Uuid> add_intake(engine::TenantCalls& calls, const Json& intake,
                                      const std::string& actor_id);
[[nodiscard]] Result<Json> get_intake(engine::TenantCalls& calls, const Uuid& intake);
[[nodiscard]] Result<std::vector<Json>> list_intakes(engine::TenantCalls& calls, const Page& page);

struct CollectRequest {
    Uuid intake_id;
    std::vector<std::string> sources;  // empty: all that are enabled
    int stagger_seconds = 10;          // between the starts of two of them
    std::string actor_id = {};
};
// One row a source: source_id, name, job_id, scheduled_at, deduplicated. A job that still waits or
// runs is answered again. SOURCE_DISABLED, NOT_FOUND, VALIDATION_ERROR (no source at all).
[[nodiscard]] Result<std::vector<Json>> enqueue_collections(engine::TenantCalls& calls,
                                                            const CollectRequest& request);
// What became of them: source_id, name, job_id, round, status, attempts ...
[[nodiscard]] Result<std::vector<Json>> list_collections(engine::TenantCalls& calls,
                                                         const Uuid& intake);

struct PriceFilter : Page {
    Uuid intake_id;
    std::optional<std::string> source = {};
};
[[nodiscard]] Result<std::vector<Json>> list_price_points(engine::TenantCalls& calls,
                                                          const PriceFilter& filter);
// NOT_FOUND before the first collection has ended.
[[nodiscard]] Result<Json> get_valuation(engine::TenantCalls& calls, const Uuid& intake);

// Enqueues a COLLECT_PRICES job that brings prices along (manual_prices.h). VALIDATION_ERROR now
// rather than in the job; a source that is not manual is refused too. Answers the job.
[[nodiscard]] Result<Uuid> add_manual_prices(engine::TenantCalls& calls, const Uuid& intake,
                                             const std::string& source, const Json& prices,
                                             const std::string& actor_id);

}  // namespace jobforge::services
