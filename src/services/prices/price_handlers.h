// COLLECT_PRICES {"intake_id", "source_id"}: what one source says about one intake.
//
// Checks the source, looks into the cache, asks the source's governor (pause, breaker, rate limit:
// a job that must wait is snoozed and spends no attempt), reads with no transaction open, then, in
// the completion transaction: the price points and the intake's valuation from all of its points.
// A snoozed job keeps the pages it has read. Safe to repeat: a listing is one row.
//
// A job for a source of the adapter "manual" may bring its prices along: {"prices": [...]}
// (manual_prices.h), which is what `jobforge prices add` enqueues.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <jobforge/worker.h>

#include "connect/cache/cache.h"
#include "connect/guard/tenant_slots.h"
#include "connect/http/transport.h"
#include "services/secrets/secret_store.h"

namespace jobforge::services {

// What the handler needs from its deployment. Read once, shared by all threads.
struct PriceSettings {
    std::string database_url;  // for what is read outside of the job's transaction
    int connections = 4;       // of those reads, at most
    bool https_only = false;   // no secret travels without TLS (production)
    std::shared_ptr<connect::Transport> http;
    // Outgoing calls at once, shared by tenants and by all that calls out; null: no limit.
    std::shared_ptr<connect::TenantSlots> calls;
    std::shared_ptr<const SecretStore> secrets;
    std::shared_ptr<connect::ResponseCache> cache;  // null: no cache
    std::chrono::seconds cache_ttl{3600};
};

void add_price_handlers(Worker& worker, PriceSettings settings);

}  // namespace jobforge::services
