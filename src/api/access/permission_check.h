// Whether a principal may do what its request asks: roles, policies, and the notes about refusals.
//
// Threads: any.
#pragma once

#include <optional>

#include <jobforge/error.h>
#include <jobforge/log.h>

#include "api/request_context.h"
#include "api/route.h"
#include "pg/pool.h"
#include "services/access/key_ring.h"
#include "services/access/policies.h"

namespace jobforge::api {

class PermissionCheck final {
public:
    // The pool must outlive this.
    PermissionCheck(pg::Pool& pool, Logger log) : pool_(pool), log_(std::move(log)) {}

    // Without the database: true if it is allowed; false if it is not, or not without a look.
    [[nodiscard]] static bool is_allowed_at_once(const RequestContext& context, const Route& route);
    // FORBIDDEN, after an audit event. The refusal is decided by what the cache knows, so the event
    // is entered like any other request: ACCESS_CHANGED if the cache is behind. May block.
    [[nodiscard]] Status check(const RequestContext& context, const Route& route);
    // A thing that was not found is noted in the audit log of the key's own tenant. May block.
    void note_not_found(const RequestContext& context, const Route& route);

private:
    [[nodiscard]] Result<services::Decision> decide(const RequestContext& context,
                                                    const Route& route);
    [[nodiscard]] Status check_platform(const services::Principal& principal, const Route& route);
    // One event, as this principal.
    [[nodiscard]] Status note(const services::Principal& principal,
                              const engine::TenantCall& event);

    pg::Pool& pool_;
    const Logger log_;
};

}  // namespace jobforge::api
