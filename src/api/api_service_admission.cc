// Whether a request may send a large body: decided before it is read.
#include "api/api_service.h"
#include "services/access/request_calls.h"

namespace jobforge::api {

std::optional<Response> ApiService::admit(Request& request) {
    const RouteMatch match = router_.match(request.method, request.path);
    if (match.route == nullptr || !match.route->permission) {
        return std::nullopt;
    }
    const Json nothing = Json::object();
    Asked asked{request, match, nothing, /*only_looks=*/true};
    if (const auto* planned = std::any_cast<Admission>(&request.admission)) {
        asked.known = planned->principal;
    }
    Response answer = answer_after(&ApiService::try_admission, asked);
    if (answer.status >= 400) {
        return answer;
    }
    if (auto* const admission = std::any_cast<Admission>(&request.admission)) {
        admission->rate = asked.rate;
    } else {
        request.admission = Admission{.rate = asked.rate};
    }
    return std::nullopt;
}

// The cache may be behind: what it lets in is entered like a request, only that nothing follows.
Result<Response> ApiService::try_admission(Asked& asked) {
    const auto principal = enter(asked);
    if (!principal.ok()) {
        return principal.error();
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    auto calls = engine::TenantCalls::within(
        **connection, {services::enter_request_call(*principal, services::Effect::reads)});
    if (auto entered = calls.run({}, engine::Repeat::always); !entered.ok()) {
        return std::move(entered).error();
    }
    return Response{};
}

}  // namespace jobforge::api
