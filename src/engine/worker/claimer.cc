#include "engine/worker/claimer.h"

#include <algorithm>

#include "statements/claims.h"
#include "statements/jobs.h"

namespace jobforge::engine {

namespace {

constexpr unsigned kUuidArray = 2951;
constexpr unsigned kInt4Array = 1007;
constexpr unsigned kTidArray = 1010;
constexpr unsigned kTimestamptz = 1184;
constexpr unsigned kInt4 = 23;
// Columns of kClaimJobs that tell a claim by reference.
constexpr int kClaimIdColumn = 17;
constexpr int kRowIdsColumn = 18;
// A look sees what was committed; a job is made a little earlier.
constexpr std::int64_t kSeenMarginUs = 1'000'000;

// Larger payloads are read by the thread that runs the job.
constexpr std::int32_t kInlineBytes = 65536;

std::int64_t steady_us() {
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch())
        .count();
}

// Until the first look the two clocks are taken to agree; nothing but a nap depends on it.
std::int64_t initial_offset_us() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count() - steady_us();
}

pg::Params without_lanes(pg::Params params) {
    constexpr unsigned kTextArray = 1009;
    constexpr unsigned kTimestamptzArray = 1185;
    params.null(kTextArray).null(kInt4Array).null(kUuidArray).null(kTimestamptzArray);
    return params;
}

std::optional<std::int32_t> room_of(const JobType& type) {
    if (!type.options.concurrency) {
        return std::nullopt;
    }
    return std::max(0, *type.options.concurrency - type.active.load());
}

}  // namespace

Claimer::Claimer(Options options, const JobTypes& types)
    : options_(std::move(options)),
      types_(types),
      type_names_(types.names()),
      any_limit_(std::any_of(
          types.begin(), types.end(),
          [](const auto& type) { return type.second->options.concurrency.has_value(); })),
      clock_offset_us_(initial_offset_us()) {
    limit_tenants(true);  // until a look tells
}

std::int64_t Claimer::now_us() const {
    return steady_us() + clock_offset_us_;
}

pg::Params Claimer::look_params() const {
    pg::Params params;
    params.text_array(type_names_);
    options_.tenants.empty() ? params.null(kUuidArray) : params.uuid_array(options_.tenants);
    return params;
}

Result<std::chrono::microseconds> Claimer::look(pg::Connection& connection) {
    const std::int64_t began = steady_us();
    auto rows = connection.exec(statements::claims::kFindLanes, look_params());
    const std::int64_t ended = steady_us();
    if (!rows) {
        return rows.error();
    }
    read_lanes(*rows, began, ended);
    return std::chrono::microseconds(ended - began);
}

Result<std::chrono::microseconds> Claimer::ask_for_wake_and_look(pg::Connection& connection,
                                                                 std::chrono::milliseconds nap) {
    pg::Params ask;
    ask.text_array(type_names_).int4(static_cast<std::int32_t>(nap.count()));
    connection.queue(statements::jobs::kAskForWake, std::move(ask));
    connection.queue(statements::claims::kFindLanes, look_params());
    const std::int64_t began = steady_us();
    auto rows = connection.flush();
    const std::int64_t ended = steady_us();
    if (!rows) {
        return rows.error();
    }
    read_lanes(rows->at(1), began, ended);
    return std::chrono::microseconds(ended - began);
}

void Claimer::read_lanes(const pg::Rows& rows, std::int64_t began_us, std::int64_t read_at_us) {
    std::vector<Lane> lanes;
    std::vector<std::int64_t> interrupted;
    for (int row = 0; row < rows.size(); ++row) {
        if (rows.is_null(row, 0)) {
            continue;  // there are none
        }
        const std::int64_t due_us = rows.timestamp(row, 3).unix_us;
        if (rows.boolean(row, 4)) {
            interrupted.push_back(due_us);
        } else {
            lanes.push_back(Lane{std::string(rows.text(row, 0)),
                                 static_cast<int>(rows.integer(row, 1)), rows.uuid(row, 2),
                                 due_us});
        }
    }
    if (!rows.empty()) {
        limit_tenants(rows.boolean(0, 6));
        clock_offset_us_ = rows.timestamp(rows.size() - 1, 5).unix_us - read_at_us;
    }
    seen_us_ = began_us + clock_offset_us_ - kSeenMarginUs;
    lanes_.replace(std::move(lanes), std::move(interrupted));
}

std::vector<const Lane*> Claimer::claimable() const {
    auto lanes = lanes_.due(now_us());
    if (any_limit_) {
        std::erase_if(lanes, [&](const Lane* lane) {
            const JobType* type = types_.find(lane->type);
            return type == nullptr || room_of(*type) == 0;
        });
    }
    return lanes;
}

pg::Params Claimer::claim_params(int limit) const {
    pg::Params params;
    params.text(options_.worker_id).int4(limit).text_array(type_names_);
    options_.tenants.empty() ? params.null(kUuidArray) : params.uuid_array(options_.tenants);
    params.int4(static_cast<std::int32_t>(options_.lease.count()));
    if (any_limit_) {
        std::vector<std::optional<std::int32_t>> limits;
        for (const auto& [name, type] : types_) {
            limits.push_back(room_of(*type));
        }
        params.opt_int4_array(limits);
    } else {
        params.null(kInt4Array);
    }
    return params;
}

Result<std::unique_ptr<HeldBatch>> Claimer::claim(pg::Connection& connection, int limit,
                                                  const std::vector<const Lane*>& lanes,
                                                  bool capped) {
    std::vector<std::string> types;
    std::vector<std::int32_t> priorities;
    std::vector<Uuid> tenants;
    std::vector<pg::Timestamp> floors;
    for (const Lane* lane : lanes) {
        types.push_back(lane->type);
        priorities.push_back(lane->priority);
        tenants.push_back(lane->tenant_id);
        floors.push_back(pg::Timestamp{lane->floor_us});
    }
    pg::Params params = claim_params(limit);
    params.text_array(types).int4_array(priorities).uuid_array(tenants).timestamp_array(floors);
    params.int4(options_.slots).timestamp(pg::Timestamp{seen_us_});
    add_tenant_cap(params,
                   !capped && std::all_of(lanes.begin(), lanes.end(),
                                          [&](const Lane* lane) { return is_short(lane->type); }));
    const std::int64_t asked_at = now_us();
    auto batch = run_claim(connection, params);
    if (batch && *batch) {
        advance_floors(**batch);
    }
    if (batch && (!*batch || static_cast<int>((*batch)->jobs().size()) < limit)) {
        lanes_.exhausted(asked_at);
        lanes_.interrupted_claimed(asked_at);
    }
    return batch;
}

Result<std::unique_ptr<HeldBatch>> Claimer::claim_anywhere(pg::Connection& connection, int limit) {
    const std::int64_t asked_at = now_us();
    pg::Params params = without_lanes(claim_params(limit));
    params.int4(options_.slots).null(kTimestamptz);
    add_tenant_cap(params, false);
    auto batch = run_claim(connection, params);
    if (batch && (!*batch || static_cast<int>((*batch)->jobs().size()) < limit)) {
        lanes_.interrupted_claimed(asked_at);
    }
    return batch;
}

bool Claimer::is_short(std::string_view type) const {
    const JobType* known = types_.find(type);
    const double mean = known == nullptr ? -1 : known->mean_seconds.load(std::memory_order_relaxed);
    return mean >= 0 && mean < std::chrono::duration<double>(kShort).count() &&
           !options_.runs_for(*known, kShort);
}

void Claimer::limit_tenants(bool several) const {
    if (options_.limit_tenants) {
        options_.limit_tenants(several ? std::optional(tenant_slots()) : std::nullopt);
    }
}

int Claimer::tenant_slots() const {
    return std::max(1, static_cast<int>(options_.slots * options_.tenant_share));
}

// Eight jobs of a day of one tenant would else hold all of eight slots for that day.
void Claimer::add_tenant_cap(pg::Params& params, bool all_short) const {
    if (all_short || options_.tenant_share >= 1) {
        params.null(kInt4).null(kUuidArray).null(kInt4Array);
        return;
    }
    std::vector<Uuid> tenants;
    std::vector<std::int32_t> counts;
    for (const auto& [tenant, count] : options_.held()) {
        tenants.push_back(tenant);
        counts.push_back(count);
    }
    params.int4(tenant_slots());
    params.uuid_array(tenants).int4_array(counts);
}

Result<std::unique_ptr<HeldBatch>> Claimer::run_claim(pg::Connection& connection,
                                                      const pg::Params& params) {
    auto rows = connection.exec(statements::claims::kClaimJobs, params);
    if (!rows && !rows.error().retryable && !rows.error().connection_lost) {
        // One of the jobs may be to blame: it is ended, the others are claimed.
        pg::Params types;
        types.text_array(type_names_);
        auto ended = connection.exec(statements::jobs::kEndUnreadableJobs, types);
        if (ended && ended->integer(0, 0) > 0) {
            rows = connection.exec(statements::claims::kClaimJobs, params);
        }
    }
    if (!rows) {
        return rows.error();
    }
    if (rows->empty()) {
        return std::unique_ptr<HeldBatch>();
    }
    if (!rows->is_null(0, kRowIdsColumn)) {
        pending_ =
            Reference{rows->uuid(0, kClaimIdColumn), std::string(rows->raw(0, kRowIdsColumn))};
        return read_pending(connection);
    }
    return take(std::move(*rows));
}

Result<std::unique_ptr<HeldBatch>> Claimer::read_pending(pg::Connection& connection) {
    const auto read = [&](std::int32_t inline_bytes) {
        pg::Params params;
        params.uuid(pending_->claim_id).raw(kTidArray, pending_->row_ids).int4(inline_bytes);
        return connection.exec(statements::claims::kReadClaimed, params);
    };
    auto rows = read(kInlineBytes);
    if (!rows && !rows.error().retryable && !rows.error().connection_lost) {
        // One of the payloads may be to blame: then each job's own thread finds out by itself.
        rows = read(0);
    }
    if (!rows) {
        if (!rows.error().retryable && !rows.error().connection_lost) {
            pending_.reset();  // cannot be read at all: the leases expire
        }
        return rows.error();
    }
    pending_.reset();
    return rows->empty() ? std::unique_ptr<HeldBatch>() : take(std::move(*rows));
}

std::unique_ptr<HeldBatch> Claimer::take(pg::Rows rows) {
    auto batch = std::make_unique<HeldBatch>(std::move(rows), types_);
    for (HeldJob& job : batch->jobs()) {
        job.type->active.fetch_add(1, std::memory_order_relaxed);
        job.type->acquired.fetch_add(1, std::memory_order_relaxed);
    }
    return batch;
}

// The answer is in due order within a priority, so the first job of a lane is its earliest, but for
// back-dated ones: these came from below the floor and say nothing about it.
void Claimer::advance_floors(HeldBatch& batch) {
    struct Seen {
        const JobType* type;
        int priority;
        Uuid tenant_id;
    };
    std::vector<Seen> seen;
    for (const HeldJob& job : batch.jobs()) {
        const int priority = batch.priority(job.row);
        const auto known = std::find_if(seen.rbegin(), seen.rend(), [&](const Seen& one) {
            return one.type == job.type && one.priority == priority &&
                   one.tenant_id == job.tenant_id;
        });
        if (known == seen.rend() &&
            lanes_.claimed(job.type->name, priority, job.tenant_id, batch.scheduled_us(job.row))) {
            seen.push_back({job.type, priority, job.tenant_id});
        }
    }
}

}  // namespace jobforge::engine
