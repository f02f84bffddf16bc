// One line of the API's table: what is asked, the right it needs, and the function that answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>

#include "engine/database/tenant_calls.h"
#include "http/parse/http_message.h"
#include "services/access/permissions.h"

namespace jobforge::api {

struct RequestContext;

// What an answer does to the database, and so how its statements are sent.
enum class Work : std::uint8_t {
    instant,      // answered by the thread that has read its head: liveness
    none,         // asks nothing on a tenant's behalf: health, documents of the program
    open_read,    // reads what anybody may see: no key, a rate for each remote address
    read,         // each statement in a transaction of its own, together with the check of the key
    change,       // one transaction around all of it; takes an Idempotency-Key
    change_once,  // a change of one statement, which needs no BEGIN unless there is such a key
};

// The function that answers a request. Errors become the envelope; a change that ends in one is
// rolled back.
class Answer final {
public:
    using Whole = Result<http::Response> (*)(RequestContext& context);
    using Ask = Result<engine::TenantCall> (*)(const RequestContext& context);
    using Tell = Result<http::Response> (*)(RequestContext& context, const pg::Rows& rows);

    constexpr Answer() = default;
    constexpr Answer(Whole whole) : whole_(whole) {}  // NOLINT: a function is an answer
    // A request of one statement, in two halves that neither block nor keep anything: what is
    // asked, and what its rows tell. So no thread has to wait for the database in between
    // (ApiRequest::begin). tell() is not called for rows that are not there: its statement fails.
    constexpr Answer(Ask asking, Tell telling) : ask_(asking), tell_(telling) {}

    [[nodiscard]] constexpr bool in_halves() const noexcept { return ask_ != nullptr; }
    [[nodiscard]] Result<engine::TenantCall> ask(const RequestContext& context) const {
        return ask_(context);
    }
    [[nodiscard]] Result<http::Response> tell(RequestContext& context, const pg::Rows& rows) const {
        return tell_(context, rows);
    }
    // All of it, through context.calls.
    [[nodiscard]] Result<http::Response> operator()(RequestContext& context) const;

private:
    Whole whole_ = nullptr;
    Ask ask_ = nullptr;
    Tell tell_ = nullptr;
};

// All paths of one thing: most have one, a source has one with its name and one with its id. Never
// empty.
using ThingPaths = std::vector<std::string>;

struct Route {
    std::string_view method;   // GET, POST, PUT, PATCH or DELETE; GET answers HEAD too
    std::string_view pattern;  // "/v1/jobs/{job_id}": literal segments and names in braces
    // Without one no key is asked for. It says nothing about the tenant: that is the key's.
    std::optional<services::Permission> permission;
    Work work = Work::read;
    Answer answer = {};
    std::uint64_t body_limit = 0;  // bytes; 0: a body is refused
    bool raw_body = false;         // any media type, not parsed
    // Member of the answer that is shown once: what is kept for an Idempotency-Key has null there.
    std::string_view secret_member = {};
    // What a request is about, for policies: they match a thing under each of its paths, and a
    // request needs leave for all things that it names. Null: the request's path is all there is.
    // Called before the decision, with context.calls as the key's tenant.
    Result<std::vector<ThingPaths>> (*things)(RequestContext& context) = nullptr;
    bool vital = false;  // answered even when there are too many connections: health
};

// "GET /v1/jobs/{job_id}", as events and notes name it.
[[nodiscard]] std::string route_name(const Route& route);

// Bodies: a few fields, a job with its payload, many of them, a document.
inline constexpr std::uint64_t kSmallBody = 64ULL * 1024;
inline constexpr std::uint64_t kJobBody = 1024ULL * 1024;
inline constexpr std::uint64_t kManyJobsBody = 16ULL * 1024 * 1024;
inline constexpr std::uint64_t kDocumentBody = 64ULL * 1024 * 1024;

}  // namespace jobforge::api
