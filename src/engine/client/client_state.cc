#include "engine/client/client_state.h"

namespace jobforge {

void Client::State::announce(std::span<const Enqueued> jobs) const noexcept {
    if (!options.after_enqueue) {
        return;
    }
    try {
        std::vector<Uuid> added;
        for (const Enqueued& job : jobs) {
            if (!job.deduplicated) {
                added.push_back(job.job_id);
            }
        }
        if (!added.empty()) {
            options.after_enqueue(added);
        }
    } catch (...) {  // NOLINT(bugprone-empty-catch): a hint that failed; polling finds the jobs
    }
}

TimePoint to_time(pg::Timestamp at) noexcept {
    return TimePoint(std::chrono::microseconds(at.unix_us));
}

pg::Timestamp to_timestamp(TimePoint at) noexcept {
    return pg::Timestamp{at.time_since_epoch().count()};
}

std::optional<pg::Timestamp> to_timestamp(const std::optional<TimePoint>& at) noexcept {
    return at ? std::optional(to_timestamp(*at)) : std::nullopt;
}

}  // namespace jobforge
