// What is told of a request that was answered: metrics, and the access log.
#include <any>

#include "api/api_service.h"

namespace jobforge::api {

// The route's pattern and not the path, no header and no part of the query: they may hold what is
// secret or personal. The key is named only if its secret was right.
void ApiService::observe(const Observation& observation) {
    metrics_.observe(observation);
    if (!options_.access_log) {
        return;
    }
    const auto* admission = observation.admission == nullptr
                                ? nullptr
                                : std::any_cast<Admission>(observation.admission);
    const bool known = admission != nullptr && admission->principal.has_value();
    options_.access_log->info(
        "request",
        {{"method", observation.method},
         {"route", observation.route_label},
         {"status", observation.status},
         {"duration_us", static_cast<std::int64_t>(observation.seconds * 1'000'000)},
         {"bytes", std::uint64_t{observation.body_bytes}},
         {"address", observation.address},
         {"key_id", known ? Json(admission->principal->key_id) : Json()},
         {"tenant_id", known ? Json(admission->principal->tenant_id.to_string()) : Json()},
         {"correlation_id", observation.correlation_id}});
}

}  // namespace jobforge::api
