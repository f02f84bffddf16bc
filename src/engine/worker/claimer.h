// The two questions the dispatcher asks the database: where is work (look), and give me some
// (claim). Threads: one.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/worker/held_jobs.h"
#include "engine/worker/job_type.h"
#include "engine/worker/lanes.h"
#include "engine/worker/signal.h"
#include "pg/connection.h"

namespace jobforge::engine {

class Claimer final {
public:
    struct Options {
        std::string worker_id;
        std::vector<Uuid> tenants;  // empty: all
        std::chrono::seconds lease{60};
        int slots = 1;
        // The share of the slots that one tenant's jobs may have while there are other tenants.
        // Of types whose jobs are short more are claimed; they wait for their share of the slots
        // here (ready_queue.h).
        double tenant_share = 1;
        // How many jobs of each tenant are held now.
        std::function<std::map<Uuid, int>()> held;
        // Whether a job of the type has been running for so long. (The mean of a type says nothing
        // about the long jobs of one tenant while another one's are short.)
        std::function<bool(const JobType&, std::chrono::microseconds)> runs_for;
        // Told at each look how many slots one tenant may have; nullopt: there is no other tenant.
        std::function<void(std::optional<int> slots)> limit_tenants;
    };
    // A job that is shorter than this, on the average of its type, gives its slot back at once.
    static constexpr std::chrono::microseconds kShort{50'000};

    Claimer(Options options, const JobTypes& types);

    // Fills the lane book and remembers the database's clock. Answers what it cost.
    [[nodiscard]] Result<std::chrono::microseconds> look(pg::Connection& connection);
    // Up to `limit` due jobs of these lanes, floors moved on. nullptr: none. `capped`: no tenant
    // gets more than its share, whatever its types.
    [[nodiscard]] Result<std::unique_ptr<HeldBatch>> claim(pg::Connection& connection, int limit,
                                                           const std::vector<const Lane*>& lanes,
                                                           bool capped = false);
    // Up to `limit` due jobs of any lane, found by the claim itself: one round trip instead of a
    // look and a claim, for a worker that was idle. nullptr: none.
    [[nodiscard]] Result<std::unique_ptr<HeldBatch>> claim_anywhere(pg::Connection& connection,
                                                                    int limit);
    // The jobs of a large claim, if its answer could not be read (the connection broke after the
    // claim): they are ours. nullptr: there is no such claim.
    [[nodiscard]] Result<std::unique_ptr<HeldBatch>> read_pending(pg::Connection& connection);
    [[nodiscard]] bool has_pending() const noexcept { return pending_.has_value(); }
    // Says that this worker sleeps for `nap` and wants to be woken, then looks: what came in before
    // the request was seen is in the answer. One round trip. Answers what it cost.
    [[nodiscard]] Result<std::chrono::microseconds> ask_for_wake_and_look(
        pg::Connection& connection, std::chrono::milliseconds nap);

    [[nodiscard]] LaneBook& lanes() noexcept { return lanes_; }
    // Due lanes of types that have room left under this worker's own limits.
    [[nodiscard]] std::vector<const Lane*> claimable() const;
    // Whether a type has such a limit: then a handler's end may make room for a due job.
    [[nodiscard]] bool has_limits() const noexcept { return any_limit_; }
    // The database's time now, as far as the last look tells.
    [[nodiscard]] std::int64_t now_us() const;

private:
    [[nodiscard]] pg::Params look_params() const;
    void read_lanes(const pg::Rows& rows, std::int64_t began_us, std::int64_t read_at_us);
    [[nodiscard]] pg::Params claim_params(int limit) const;
    void limit_tenants(bool several) const;
    [[nodiscard]] int tenant_slots() const;
    void add_tenant_cap(pg::Params& params, bool all_short) const;
    [[nodiscard]] bool is_short(std::string_view type) const;
    [[nodiscard]] Result<std::unique_ptr<HeldBatch>> run_claim(pg::Connection& connection,
                                                               const pg::Params& params);
    [[nodiscard]] std::unique_ptr<HeldBatch> take(pg::Rows rows);
    void advance_floors(HeldBatch& batch);

    const Options options_;
    const JobTypes& types_;
    const std::vector<std::string> type_names_;
    const bool any_limit_;
    // A claim by reference: committed before its jobs are read, so that a worker frozen while it
    // reads payloads keeps no row locked.
    struct Reference {
        Uuid claim_id;
        std::string row_ids;  // tid[] in Postgres's binary format
    };
    std::optional<Reference> pending_;
    LaneBook lanes_;
    std::int64_t clock_offset_us_;  // the database's time minus ours
    // The database's time of the last look, less a margin: back-dated jobs made since then may lie
    // below the floors.
    std::int64_t seen_us_ = 0;
};

}  // namespace jobforge::engine
