// What the worker knows about waiting jobs: its lanes, their floors, and when the next job is due.
//
// A lane is (type, priority, tenant). A look replaces everything; claims only move floors up. Why
// floors exist, and what they hide until the next look: PROTOCOL.md. Pure: no clock, no database;
// times are the database's, in microseconds since 1970. Threads: one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/uuid.h>

namespace jobforge::engine {

struct Lane {
    std::string type;
    int priority = 2;
    Uuid tenant_id;
    std::int64_t floor_us = 0;  // no waiting job of the lane is due before this, as far as we know
    friend bool operator==(const Lane&, const Lane&) = default;
};

class LaneBook final {
public:
    // A floor stays this far below the first job of the last batch: jobs whose enqueue began
    // earlier but committed later are seen without a look.
    static constexpr std::int64_t kMarginUs = 20'000;

    // The answer of find_lanes: every lane that has waiting jobs, now.
    void replace(std::vector<Lane> lanes, std::vector<std::int64_t> interrupted_us);

    // The lanes with due jobs. The pointers are valid until the next change.
    [[nodiscard]] std::vector<const Lane*> due(std::int64_t now_us) const;
    // Whether a job that lost its worker is due. These are outside of the lanes.
    [[nodiscard]] bool interrupted_due(std::int64_t now_us) const;
    // When the first job that is not due yet will be; nullopt: there is none.
    [[nodiscard]] std::optional<std::int64_t> next_due(std::int64_t now_us) const;

    // A claim gave a job of this lane, due then; the first above the floor moves it. False: it was
    // below, a back-dated one.
    bool claimed(std::string_view type, int priority, const Uuid& tenant_id, std::int64_t due_us);
    // A claim gave less than it was asked for: the lanes that were due are empty.
    void exhausted(std::int64_t now_us);
    // A claim gave less than it was asked for: of the interrupted jobs that were due it took all
    // that may run now.
    void interrupted_claimed(std::int64_t now_us);

private:
    std::vector<Lane> lanes_;
    std::vector<std::int64_t> interrupted_us_;
};

// How often to look: 20 times what the last look cost, within 100 ms .. 5 s, so that looking takes
// at most about 5 % of the time, is prompt when it is cheap, and stays bounded when it is not.
[[nodiscard]] std::chrono::microseconds look_interval(std::chrono::microseconds cost) noexcept;

}  // namespace jobforge::engine
