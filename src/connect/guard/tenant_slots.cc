#include "connect/guard/tenant_slots.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "connect/http/governor.h"

namespace jobforge::connect {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long a slot is held before anything was measured, and when a job comes back at the latest:
// then whatever has changed is seen.
constexpr milliseconds kUsualHold{250};
constexpr milliseconds kLongestRefusal{60'000};

// A tenant that holds slots.
struct Holder {
    int held = 0;
    int refused = 0;  // since it held none, less the slots that it got
    milliseconds usual_hold = kUsualHold;
    Clock::time_point turned_over = Clock::now();  // when a slot came back, or it took its first
};

}  // namespace

struct TenantSlots::State {
    explicit State(TenantSlotsOptions given) : options(std::move(given)) {}

    // All under `mutex`.
    [[nodiscard]] int held_by(const std::string& tenant) const {
        const auto found = holders.find(tenant);
        return found == holders.end() ? 0 : found->second.held;
    }
    void note_asker(const std::string& tenant, Clock::time_point now);
    [[nodiscard]] bool is_alone(const std::string& tenant, Clock::time_point now) const;
    [[nodiscard]] bool may_take(const std::string& tenant) const;
    void take(const std::string& tenant);
    void give_back(const std::string& tenant, Clock::duration held);
    [[nodiscard]] Error refuse(const std::string& tenant);

    const TenantSlotsOptions options;
    mutable std::mutex mutex;
    std::condition_variable_any given_back;
    int used = 0;
    std::map<std::string, Holder> holders;  // those that hold at least one
    // The tenant that asked last, and when another tenant than that one did: enough to know whether
    // any given tenant is alone, however many there are.
    std::string latest;
    Clock::time_point latest_at = Clock::time_point::min();
    Clock::time_point other_at = Clock::time_point::min();
};

void TenantSlots::State::note_asker(const std::string& tenant, Clock::time_point now) {
    if (tenant != latest) {
        other_at = latest_at;
        latest = tenant;
    }
    latest_at = now;
}

bool TenantSlots::State::is_alone(const std::string& tenant, Clock::time_point now) const {
    const Clock::time_point others = tenant == latest ? other_at : latest_at;
    return holders.size() <= 1 && others < now - options.alone_after;
}

bool TenantSlots::State::may_take(const std::string& tenant) const {
    const int free = options.total - used;
    const int held = held_by(tenant);
    if (free <= 0 || held == 0) {
        return free > 0;
    }
    if (is_alone(tenant, Clock::now())) {
        return free > std::max(1, options.total / 4);
    }
    return held < free;
}

void TenantSlots::State::take(const std::string& tenant) {
    Holder& holder = holders[tenant];
    ++used;
    ++holder.held;
    holder.refused = std::max(0, holder.refused - 1);
}

void TenantSlots::State::give_back(const std::string& tenant, Clock::duration held) {
    const auto found = holders.find(tenant);
    Holder& holder = found->second;
    --used;
    // A mean that forgets: the last few count.
    const auto took = std::chrono::duration_cast<milliseconds>(held);
    holder.usual_hold =
        std::clamp((3 * holder.usual_hold + took) / 4, milliseconds(1), kLongestRefusal);
    holder.turned_over = Clock::now();
    if (--holder.held == 0) {
        holders.erase(found);
    }
}

Error TenantSlots::State::refuse(const std::string& tenant) {
    const auto found = holders.find(tenant);
    if (found == holders.end()) {
        return shortage(
            fmt::format("all {} {} of this worker are in use", options.total, options.name),
            4 * kUsualHold);
    }
    Holder& holder = found->second;
    // When its turn comes, if each slot is held as long as usual, or as those that hang by now.
    const auto since = std::chrono::duration_cast<milliseconds>(Clock::now() - holder.turned_over);
    const milliseconds hold = std::clamp(since, holder.usual_hold, kLongestRefusal);
    const milliseconds wait = std::min(kLongestRefusal, hold * (1 + holder.refused / holder.held));
    ++holder.refused;
    return shortage(fmt::format("the tenant has its share of the {} {} of this worker ({})",
                                options.total, options.name, holder.held),
                    std::max(kUsualHold, wait));
}

TenantSlots::TenantSlots(TenantSlotsOptions options) {
    options.total = std::max(1, options.total);
    state_ = std::make_shared<State>(std::move(options));
}

TenantSlots::Slot::Slot(std::shared_ptr<State> state, std::string tenant)
    : state_(std::move(state)), tenant_(std::move(tenant)), since_(Clock::now()) {}

TenantSlots::Slot::~Slot() {
    if (!state_) {
        return;
    }
    {
        const std::lock_guard lock(state_->mutex);
        state_->give_back(tenant_, Clock::now() - since_);
    }
    state_->given_back.notify_all();
}

Result<TenantSlots::Slot> TenantSlots::take(const std::string& tenant,
                                            const std::stop_token& stop) {
    State& state = *state_;
    std::unique_lock lock(state.mutex);
    state.note_asker(tenant, Clock::now());
    const bool may = state.given_back.wait_for(lock, stop, state.options.longest_wait,
                                               [&] { return state.may_take(tenant); });
    if (!may) {
        return state.refuse(tenant);
    }
    state.take(tenant);
    return Slot(state_, tenant);
}

int TenantSlots::in_use() const {
    const std::lock_guard lock(state_->mutex);
    return state_->used;
}

int TenantSlots::held_by(const std::string& tenant) const {
    const std::lock_guard lock(state_->mutex);
    return state_->held_by(tenant);
}

}  // namespace jobforge::connect
