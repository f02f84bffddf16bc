// A job type that this worker has a handler for, with what it has learned about it.
//
// Made before start(), then never moved or removed: pointers to it are valid as long as the worker.
// Threads: name, handler and options are constant; the numbers are atomics, relaxed, because each
// is only a hint or a counter of its own.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/worker.h>

namespace jobforge::engine {

struct JobType {
    JobType(std::string type, Handler run, TypeOptions limits)
        : name(std::move(type)), handler(std::move(run)), options(limits) {}

    // Upper bounds of the duration histogram in seconds; the last bucket is +Inf.
    static constexpr std::array<double, 14> kBuckets = {
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60};
    // Below this mean run time handing over one by one costs more than the job.
    static constexpr double kTinySeconds = 50e-6;

    const std::string name;
    const Handler handler;
    const TypeOptions options;

    std::atomic<double> mean_seconds{-1};  // of recent runs; negative: none yet
    std::atomic<int> active{0};            // claimed and not ended: buffered or running
    std::atomic<std::uint64_t> acquired{0};
    std::array<std::atomic<std::uint64_t>, kBuckets.size() + 1> duration_counts{};
    std::atomic<std::uint64_t> duration_sum_us{0};

    [[nodiscard]] bool tiny() const noexcept {
        const double mean = mean_seconds.load(std::memory_order_relaxed);
        return mean >= 0 && mean < kTinySeconds;
    }

    // One run took this long. Two threads may overwrite each other's mean: it stays a mean.
    void measured(std::chrono::nanoseconds time) noexcept {
        const double seconds = std::chrono::duration<double>(time).count();
        const double mean = mean_seconds.load(std::memory_order_relaxed);
        mean_seconds.store(mean < 0 ? seconds : mean + 0.1 * (seconds - mean),
                           std::memory_order_relaxed);
        std::size_t bucket = 0;
        while (bucket < kBuckets.size() && seconds > kBuckets[bucket]) {
            ++bucket;
        }
        duration_counts[bucket].fetch_add(1, std::memory_order_relaxed);
        duration_sum_us.fetch_add(static_cast<std::uint64_t>(time.count()) / 1000,
                                  std::memory_order_relaxed);
    }
};

// All types of one worker, by name.
class JobTypes final {
public:
    // False: the name is taken.
    bool add(std::string name, Handler handler, TypeOptions options) {
        auto type = std::make_unique<JobType>(name, std::move(handler), options);
        return types_.emplace(std::move(name), std::move(type)).second;
    }
    [[nodiscard]] JobType* find(std::string_view name) const {
        const auto found = types_.find(name);
        return found == types_.end() ? nullptr : found->second.get();
    }
    [[nodiscard]] bool empty() const noexcept { return types_.empty(); }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto& [name, type] : types_) {
            names.push_back(name);
        }
        return names;
    }
    [[nodiscard]] auto begin() const noexcept { return types_.begin(); }
    [[nodiscard]] auto end() const noexcept { return types_.end(); }

private:
    std::map<std::string, std::unique_ptr<JobType>, std::less<>> types_;
};

}  // namespace jobforge::engine
