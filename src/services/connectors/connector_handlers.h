// The connectors: job types that need no code of a tenant, one file each
// (handle_*.cc). docs/connectors.md is their manual.
//
//   connector.http.request      one request; its answer is the job's result
//   connector.webhook.deliver   one signed POST of an event
//   connector.report.generate   a report over the tenant's own rows
//
// Payloads are checked against the type's schema again, since a job can be older than the schema.
// No transaction is open while a peer takes its time. A request that must wait for its host's
// breaker or rate limit, or for a slot of this worker, is snoozed: it spends no attempt.
#pragma once

#include <memory>
#include <string>

#include <jobforge/worker.h>

#include "connect/guard/tenant_slots.h"
#include "connect/http/transport.h"
#include "services/secrets/secret_store.h"

namespace jobforge::services {

// What the connectors need from their deployment. Read once, shared by all threads.
struct ConnectorSettings {
    std::string database_url;  // for what handlers read outside of their transaction
    int connections = 4;       // of those reads, at most
    bool https_only = false;   // no webhook and no secret travels without TLS (production)
    std::shared_ptr<connect::Transport> http;
    // Outgoing calls at once, shared by tenants and by all that calls out; null: no limit.
    std::shared_ptr<connect::TenantSlots> calls;
    std::shared_ptr<const SecretStore> secrets;
};

// Registers them. `settings.http` and `settings.secrets` must be there.
void add_connector_handlers(Worker& worker, ConnectorSettings settings);

}  // namespace jobforge::services
