// Short reads for any tenant outside of a handler's transaction: a handler that talks to the
// outside world must not hold a transaction open meanwhile. Threads: any.
#pragma once

#include <jobforge/error.h>
#include <jobforge/uuid.h>

#include "connect/guard/tenant_slots.h"
#include "pg/pool.h"

namespace jobforge::services {

class TenantReads final {
public:
    // Connections are opened when they are needed, at most `connections` of them. Tenants share
    // them by connect::TenantSlots: a read may wait for a lock that its own tenant holds.
    explicit TenantReads(const std::string& database_url, int connections = 4);

    // The statement's rows, in a transaction of its own for that tenant. connect::shortage() if no
    // connection became free for five seconds, or a row was locked for as long: a tenant's own
    // session can hold its governor, and the job waits for that outside of its slot.
    // DB_UNAVAILABLE if no answer came for half a minute.
    [[nodiscard]] Result<pg::Rows> read(const Uuid& tenant, const pg::Statement& statement,
                                        const pg::Params& params);

private:
    connect::TenantSlots slots_;  // as many as connections: the pool itself never waits
    pg::Pool pool_;
};

}  // namespace jobforge::services
