// What the worker counts since its start. Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include <jobforge/uuid.h>

#include "engine/worker/job_type.h"

namespace jobforge::engine {

enum class FinalStatus : std::uint8_t { succeeded, failed, cancelled, dead_letter };
inline constexpr std::array<std::string_view, 4> kFinalStatusNames = {"SUCCEEDED", "FAILED",
                                                                      "CANCELLED", "DEAD_LETTER"};

struct WorkerCounters {
    using Counter = std::atomic<std::uint64_t>;
    Counter acquired{0}, succeeded{0}, retried{0}, snoozed{0}, failed{0}, cancelled{0};
    Counter dead_lettered{0}, lease_renewals{0}, leases_lost{0};

    struct Key {
        Uuid tenant_id;
        const JobType* type;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const noexcept {
            return std::hash<Uuid>{}(key.tenant_id) ^ std::hash<const JobType*>{}(key.type);
        }
    };
    using Finished = std::unordered_map<Key, std::array<std::uint64_t, 4>, Hash>;

    void finished(const Uuid& tenant_id, const JobType* type, FinalStatus status) {
        const std::lock_guard guard(mutex_);
        ++by_tenant_[Key{tenant_id, type}][static_cast<std::size_t>(status)];
    }
    [[nodiscard]] Finished finished_jobs() const {
        const std::lock_guard guard(mutex_);
        return by_tenant_;
    }

private:
    mutable std::mutex mutex_;
    Finished by_tenant_;
};

}  // namespace jobforge::engine
