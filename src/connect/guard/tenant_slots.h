// Slots of this process that tenants share: calls to the outside, look-ups of names. One tenant
// whose calls take long cannot hold so many that the others have none.
//
// The rule, for `total` slots:
//   - a tenant that holds none gets any slot that is free;
//   - otherwise it gets one while it holds fewer than are free. One busy tenant so ends at a half
//     of the slots, two at a third each, n at 1/(n+1) each, and as much is left for the next one;
//   - a tenant that is alone (no other has asked for `alone_after`) gets all but a quarter, at
//     least one. A slot cannot be taken back from a call that hangs, so that quarter is for the
//     tenant that comes next.
//
// What is refused is a shortage of our own (governor.h, shortage()): the job is snoozed and spends
// no attempt, and no breaker counts it.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>

#include <jobforge/error.h>

namespace jobforge::connect {

struct TenantSlotsOptions {
    // What the slots are, for messages: "outgoing calls".
    std::string name;
    int total = 64;  // at least 1
    // How long take() waits for a slot. Short calls end within it, and nothing is refused; a
    // handler that waits holds a place of its worker, so it must not be long.
    std::chrono::milliseconds longest_wait{0};
    std::chrono::milliseconds alone_after{60'000};
};

// Threads: any.
class TenantSlots final {
    struct State;

public:
    explicit TenantSlots(TenantSlotsOptions options);

    // One slot, given back on destruction. May outlive the TenantSlots: a look-up cannot be
    // interrupted. One thread at a time.
    class Slot final {
    public:
        Slot(Slot&&) noexcept = default;
        Slot& operator=(Slot&&) = delete;
        ~Slot();

    private:
        friend class TenantSlots;
        Slot(std::shared_ptr<State> state, std::string tenant);

        std::shared_ptr<State> state_;  // empty: moved from
        std::string tenant_;
        std::chrono::steady_clock::time_point since_;
    };

    // `tenant` is any text; "" is one like the others. Refused: shortage(), with a time to come
    // back (at most a minute) that grows with the number that this tenant was refused and with how
    // long its slots are held, so that a thousand waiting jobs do not return together, or at once
    // to slots that hang. A requested stop ends the waiting.
    [[nodiscard]] Result<Slot> take(const std::string& tenant, const std::stop_token& stop = {});

    [[nodiscard]] int in_use() const;
    [[nodiscard]] int held_by(const std::string& tenant) const;

private:
    std::shared_ptr<State> state_;
};

}  // namespace jobforge::connect
