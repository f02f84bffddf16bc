// What a handler has in hand: the request, its principal, and the database as that tenant sees it.
//
// Lives for one request on one thread. Handlers own nothing of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jobforge/json.h>
#include <jobforge/uuid.h>

#include "api/router.h"
#include "engine/database/tenant_calls.h"
#include "http/parse/http_message.h"
#include "services/access/key_ring.h"
#include "services/audit/audit_verdict.h"
#include "services/secrets/secret_box.h"

namespace jobforge::api {

class JobStreams;  // job_streams.h

// What handlers need from their deployment. Read once, shared by all threads.
struct ApiTools {
    std::string environment = "dev";                     // of the keys that are made here
    std::shared_ptr<const services::Pepper> pepper;      // of the keys that are made here
    std::shared_ptr<const services::SecretBox> secrets;  // null: no webhook endpoints are made
    bool https_only = false;                             // webhook endpoints without TLS
    std::optional<std::int32_t> max_attempts = {};  // of jobs that do not say; none: the type's
    // What a tenant's audit trail is checked against on this node: keys that may have signed heads,
    // and the head that is kept here; empty: nothing.
    std::function<Result<services::AuditEvidence>(const Uuid& tenant)> audit_evidence = {};
    std::string signing_key_id;  // of passports that are compiled
    // Named checks; ready if all hold.
    std::function<std::vector<std::pair<std::string, bool>>()> ready;
    std::function<std::string()> metrics;
    // Jobs that are committed now: wakes workers through a broker. May be empty.
    std::function<void(std::span<const Uuid>)> after_enqueue = {};
    JobStreams* job_streams = nullptr;  // the service's own, set by it
};

struct RequestContext {
    const http::Request& request;
    const PathParameters& parameters;
    const ApiTools& tools;
    const Json& body;                                // an object; {} if none was sent
    const services::Principal* principal = nullptr;  // null: the route asks for no key
    engine::TenantCalls* calls = nullptr;            // null: Work::none
    // What `calls` use, for a use case that reads much in a transaction of its own. The key is not
    // checked there: use `calls` first.
    pg::Connection* connection = nullptr;
    std::vector<Uuid> enqueued = {};  // told to after_enqueue once committed

    [[nodiscard]] std::string_view parameter(std::string_view name) const;
    // The parameter as an id, in its one spelling (path_names.h). NOT_FOUND if it is not one: there
    // is nothing under that path.
    [[nodiscard]] Result<Uuid> id(std::string_view name) const;
    // Who did it, as audit events and jobs keep it: "key:<key_id>", "platform:<key_id>".
    [[nodiscard]] std::string actor() const;
};

}  // namespace jobforge::api
