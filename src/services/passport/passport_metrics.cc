#include "services/passport/passport_metrics.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/prometheus_text.h"

namespace jobforge::services {

namespace {

constexpr std::array kSeconds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0};
constexpr std::array kBytes{1024.0, 4096.0, 16384.0, 65536.0, 131072.0, 262144.0, 1048576.0};
constexpr std::array<std::string_view, 3> kDeliveryStates{"DELIVERED", "FAILED", "PENDING"};

void write(engine::PrometheusText& out, std::string_view name, const Histogram& histogram) {
    const std::string bucket = fmt::format("{}_bucket", name);
    for (std::size_t at = 0; at <= histogram.bounds().size(); ++at) {
        const std::string bound =
            at == histogram.bounds().size() ? "+Inf" : fmt::format("{}", histogram.bounds()[at]);
        out.sample(bucket, {{"le", bound}}, static_cast<double>(histogram.up_to(at)));
    }
    out.sample(fmt::format("{}_sum", name), {}, histogram.sum());
    out.sample(fmt::format("{}_count", name), {},
               static_cast<double>(histogram.up_to(histogram.bounds().size())));
}

}  // namespace

void Histogram::observe(double value) noexcept {
    const auto bucket = static_cast<std::size_t>(
        std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin());
    counts_.at(bucket).fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
}

std::uint64_t Histogram::up_to(std::size_t bucket) const noexcept {
    std::uint64_t total = 0;
    for (std::size_t at = 0; at <= bucket; ++at) {
        total += counts_.at(at).load(std::memory_order_relaxed);
    }
    return total;
}

PassportMetrics::PassportMetrics()
    : compile_seconds_(kSeconds),
      payload_bytes_(kBytes),
      proof_bytes_(kBytes),
      receipt_bytes_(kBytes) {}

void PassportMetrics::compiled(bool ok) noexcept {
    (ok ? compiles_ok_ : compiles_failed_).fetch_add(1, std::memory_order_relaxed);
}

void PassportMetrics::compile_took(std::chrono::nanoseconds time) noexcept {
    compile_seconds_.observe(std::chrono::duration<double>(time).count());
}

void PassportMetrics::sizes(std::size_t payload, std::size_t proof, std::size_t receipt) noexcept {
    payload_bytes_.observe(static_cast<double>(payload));
    proof_bytes_.observe(static_cast<double>(proof));
    receipt_bytes_.observe(static_cast<double>(receipt));
}

void PassportMetrics::webhook(std::string_view status) noexcept {
    const auto found = std::find(kDeliveryStates.begin(), kDeliveryStates.end(), status);
    if (found != kDeliveryStates.end()) {
        webhooks_.at(static_cast<std::size_t>(found - kDeliveryStates.begin()))
            .fetch_add(1, std::memory_order_relaxed);
    }
}

void PassportMetrics::log_refused() noexcept {
    logs_refused_.fetch_add(1, std::memory_order_relaxed);
}

void PassportMetrics::witness_failed() noexcept {
    witness_failures_.fetch_add(1, std::memory_order_relaxed);
}

std::string PassportMetrics::text() const {
    engine::PrometheusText out;
    out.family("bpc_compiles_total", "counter", "Passports compiled by this worker, by result");
    out.sample("bpc_compiles_total", {{"result", "ok"}}, static_cast<double>(compiles_ok_.load()));
    out.sample("bpc_compiles_total", {{"result", "failed"}},
               static_cast<double>(compiles_failed_.load()));
    out.family("bpc_compile_duration_seconds", "histogram", "Time of one compilation");
    write(out, "bpc_compile_duration_seconds", compile_seconds_);
    out.family("bpc_payload_bytes", "histogram", "Canonical payload of compiled passports");
    write(out, "bpc_payload_bytes", payload_bytes_);
    out.family("bpc_proof_bytes", "histogram", "Canonical proof of compiled passports");
    write(out, "bpc_proof_bytes", proof_bytes_);
    out.family("bpc_receipt_bytes", "histogram", "Canonical receipt of compiled passports");
    write(out, "bpc_receipt_bytes", receipt_bytes_);
    out.family("bpc_webhook_deliveries_total", "counter",
               "Attempts to deliver a webhook, by the state of the delivery after it");
    for (std::size_t at = 0; at < kDeliveryStates.size(); ++at) {
        out.sample("bpc_webhook_deliveries_total", {{"status", kDeliveryStates.at(at)}},
                   static_cast<double>(webhooks_.at(at).load()));
    }
    out.family("bpc_log_head_mismatches_total", "counter",
               "Log heads that were not signed because the log does not go on from the last one");
    out.sample("bpc_log_head_mismatches_total", {}, static_cast<double>(logs_refused_.load()));
    out.family("bpc_log_witness_failures_total", "counter",
               "Log heads that the witness did not take");
    out.sample("bpc_log_witness_failures_total", {}, static_cast<double>(witness_failures_.load()));
    return out.take();
}

}  // namespace jobforge::services
