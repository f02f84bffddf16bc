#include "http/server/http_metrics.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/prometheus_text.h"

namespace jobforge::http {

void RequestMetrics::observe(const Observation& observation) {
    const std::lock_guard lock(mutex_);
    const std::string method(observation.method);
    const std::string path(observation.route_label);
    ++requests_[{method, path, observation.status}];
    Durations& durations = durations_[{method, path}];
    ++durations.count;
    durations.sum += observation.seconds;
    const auto* bucket = std::lower_bound(kBuckets.begin(), kBuckets.end(), observation.seconds);
    if (bucket != kBuckets.end()) {
        ++durations.counts[static_cast<std::size_t>(bucket - kBuckets.begin())];
    }
}

void RequestMetrics::count_rate_limited() {
    const std::lock_guard lock(mutex_);
    ++rate_limited_;
}

std::string RequestMetrics::text(int pool_in_use) const {
    const std::lock_guard lock(mutex_);
    engine::PrometheusText out;
    out.family("bpc_http_requests_total", "counter", "Requests answered, by route and status.");
    for (const auto& [key, count] : requests_) {
        const auto& [method, path, status] = key;
        const std::string code = std::to_string(status);
        out.sample("bpc_http_requests_total",
                   {{"method", method}, {"path", path}, {"status", code}},
                   static_cast<double>(count));
    }
    out.family("bpc_http_request_duration_seconds", "histogram",
               "From a request's head to the last byte of its answer.");
    for (const auto& [key, durations] : durations_) {
        const auto& [method, path] = key;
        std::uint64_t below = 0;
        for (std::size_t at = 0; at < kBuckets.size(); ++at) {
            below += durations.counts[at];
            const std::string bound = fmt::format("{}", kBuckets[at]);
            out.sample("bpc_http_request_duration_seconds_bucket",
                       {{"method", method}, {"path", path}, {"le", bound}},
                       static_cast<double>(below));
        }
        out.sample("bpc_http_request_duration_seconds_bucket",
                   {{"method", method}, {"path", path}, {"le", "+Inf"}},
                   static_cast<double>(durations.count));
        out.sample("bpc_http_request_duration_seconds_sum", {{"method", method}, {"path", path}},
                   durations.sum);
        out.sample("bpc_http_request_duration_seconds_count", {{"method", method}, {"path", path}},
                   static_cast<double>(durations.count));
    }
    out.family("bpc_rate_limited_total", "counter",
               "Requests refused because of their key's rate.");
    out.sample("bpc_rate_limited_total", {}, static_cast<double>(rate_limited_));
    out.family("bpc_db_pool_in_use", "gauge", "Connections to the database at work.");
    out.sample("bpc_db_pool_in_use", {}, pool_in_use);
    return out.take();
}

}  // namespace jobforge::http
