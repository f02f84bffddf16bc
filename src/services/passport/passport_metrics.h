// Numbers of the passport handlers, in Prometheus's text. Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace jobforge::services {

// Counts per bucket, and the sum. Buckets are upper bounds, ascending; one more counts the rest.
class Histogram final {
public:
    static constexpr std::size_t kMostBuckets = 10;

    explicit Histogram(std::span<const double> bounds) noexcept : bounds_(bounds) {}
    void observe(double value) noexcept;
    [[nodiscard]] std::span<const double> bounds() const noexcept { return bounds_; }
    // Observations up to bounds()[bucket]; all of them for bucket == bounds().size().
    [[nodiscard]] std::uint64_t up_to(std::size_t bucket) const noexcept;
    [[nodiscard]] double sum() const noexcept { return sum_.load(std::memory_order_relaxed); }

private:
    const std::span<const double> bounds_;
    std::array<std::atomic<std::uint64_t>, kMostBuckets + 1> counts_{};
    std::atomic<double> sum_{0};
};

class PassportMetrics final {
public:
    PassportMetrics();

    void compiled(bool ok) noexcept;
    void compile_took(std::chrono::nanoseconds time) noexcept;
    void sizes(std::size_t payload, std::size_t proof, std::size_t receipt) noexcept;
    // Status of the delivery after an attempt: DELIVERED, FAILED or PENDING (will be repeated).
    void webhook(std::string_view status) noexcept;
    // A log head that was not signed, because the log does not go on from the last one.
    void log_refused() noexcept;
    // A log head that the witness did not take.
    void witness_failed() noexcept;

    // bpc_compiles_total, bpc_compile_duration_seconds, bpc_payload_bytes, bpc_proof_bytes,
    // bpc_receipt_bytes, bpc_webhook_deliveries_total, bpc_log_head_mismatches_total,
    // bpc_log_witness_failures_total.
    [[nodiscard]] std::string text() const;

private:
    std::atomic<std::uint64_t> compiles_ok_{0}, compiles_failed_{0};
    std::atomic<std::uint64_t> logs_refused_{0}, witness_failures_{0};
    std::array<std::atomic<std::uint64_t>, 3> webhooks_{};
    Histogram compile_seconds_, payload_bytes_, proof_bytes_, receipt_bytes_;
};

}  // namespace jobforge::services
