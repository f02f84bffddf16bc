#include "engine/worker/lanes.h"

#include <algorithm>

namespace jobforge::engine {

void LaneBook::replace(std::vector<Lane> lanes, std::vector<std::int64_t> interrupted_us) {
    lanes_ = std::move(lanes);
    interrupted_us_ = std::move(interrupted_us);
}

std::vector<const Lane*> LaneBook::due(std::int64_t now_us) const {
    std::vector<const Lane*> due;
    for (const Lane& lane : lanes_) {
        if (lane.floor_us <= now_us) {
            due.push_back(&lane);
        }
    }
    return due;
}

bool LaneBook::interrupted_due(std::int64_t now_us) const {
    return std::any_of(interrupted_us_.begin(), interrupted_us_.end(),
                       [&](std::int64_t due_us) { return due_us <= now_us; });
}

std::optional<std::int64_t> LaneBook::next_due(std::int64_t now_us) const {
    std::optional<std::int64_t> next;
    const auto consider = [&](std::int64_t due_us) {
        if (due_us > now_us && (!next || due_us < *next)) {
            next = due_us;
        }
    };
    for (const Lane& lane : lanes_) {
        consider(lane.floor_us);
    }
    for (const std::int64_t due_us : interrupted_us_) {
        consider(due_us);
    }
    return next;
}

bool LaneBook::claimed(std::string_view type, int priority, const Uuid& tenant_id,
                       std::int64_t due_us) {
    for (Lane& lane : lanes_) {
        if (lane.priority == priority && lane.tenant_id == tenant_id && lane.type == type) {
            if (due_us < lane.floor_us) {
                return false;
            }
            lane.floor_us = std::max(lane.floor_us, due_us - kMarginUs);
            return true;
        }
    }
    return true;
}

void LaneBook::exhausted(std::int64_t now_us) {
    std::erase_if(lanes_, [&](const Lane& lane) { return lane.floor_us <= now_us; });
}

void LaneBook::interrupted_claimed(std::int64_t now_us) {
    std::erase_if(interrupted_us_, [&](std::int64_t due_us) { return due_us <= now_us; });
}

std::chrono::microseconds look_interval(std::chrono::microseconds cost) noexcept {
    using namespace std::chrono_literals;
    return std::clamp<std::chrono::microseconds>(20 * cost, 100ms, 5s);
}

}  // namespace jobforge::engine
