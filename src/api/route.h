// One line of the API's table: what is asked, who may ask it, and who answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <jobforge/error.h>

#include "api/http_message.h"
#include "workloads/access/permissions.h"

namespace jobforge::api {

struct RequestContext;

// What an answer does to the database, and so how its statements are sent.
enum class Work : std::uint8_t {
    none,         // asks nothing on a tenant's behalf: health, documents of the program
    open_read,    // reads what anybody may see: no key, a rate for each remote address
    read,         // each statement in a transaction of its own, together with the check of the key
    change,       // one transaction around all of it; takes an Idempotency-Key
    change_once,  // a change of one statement, which needs no BEGIN unless there is such a key
};

// Answers one request. Errors become the envelope; a change that ends in one is rolled back.
using Answer = Result<Response> (*)(RequestContext& context);

struct Route {
    std::string_view method;   // GET, POST, PUT, PATCH or DELETE; GET answers HEAD too
    std::string_view pattern;  // "/v1/jobs/{job_id}": literal segments and names in braces
    // Without one nobody is asked for a key. It says nothing about the tenant: that is the key's.
    std::optional<workloads::Permission> permission;
    Work work = Work::read;
    Answer answer = nullptr;
    std::uint64_t body_limit = 0;  // bytes; 0: a body is refused
    bool raw_body = false;         // any media type, not parsed
    // Member of the answer that is shown once: what is kept for an Idempotency-Key has null there.
    std::string_view secret_member = {};
};

// Bodies: a few fields, a job with its payload, many of them, a document.
inline constexpr std::uint64_t kSmallBody = 64ULL * 1024;
inline constexpr std::uint64_t kJobBody = 1024ULL * 1024;
inline constexpr std::uint64_t kManyJobsBody = 16ULL * 1024 * 1024;
inline constexpr std::uint64_t kDocumentBody = 64ULL * 1024 * 1024;

}  // namespace jobforge::api
