#include "engine/worker/check_options.h"

#include <string_view>

#include <fmt/format.h>
#include <jobforge/try.h>

namespace jobforge::engine {

namespace {

using namespace std::chrono_literals;

Error out_of_range(std::string_view option, std::string_view value, std::string_view range) {
    return Error::of(ErrorCode::CONFIG_MISSING,
                     fmt::format("WorkerOptions::{} is {}; it must be {}", option, value, range));
}

Status between(std::string_view option, int value, int least, int most) {
    if (value < least || value > most) {
        return out_of_range(option, std::to_string(value), fmt::format("{} to {}", least, most));
    }
    return ok_status();
}

Status between(std::string_view option, std::chrono::milliseconds value,
               std::chrono::milliseconds least, std::string_view range) {
    if (value < least || value > 24h) {
        return out_of_range(option, fmt::format("{} ms", value.count()), range);
    }
    return ok_status();
}

Status check_type(const JobType& type) {
    if (type.options.concurrency && *type.options.concurrency < 1) {
        return Error::of(ErrorCode::CONFIG_MISSING,
                         fmt::format("TypeOptions::concurrency of {} is {}; it must be at least 1",
                                     type.name, *type.options.concurrency));
    }
    if (type.options.timeout && *type.options.timeout < 1s) {
        return Error::of(ErrorCode::CONFIG_MISSING,
                         fmt::format("TypeOptions::timeout of {} is {} s; it must be at least 1 s",
                                     type.name, type.options.timeout->count()));
    }
    return ok_status();
}

}  // namespace

Status check_options(const WorkerOptions& options, const JobTypes& types) {
    if (options.database_url.empty()) {
        return out_of_range("database_url", "empty", "a libpq URL or keyword string");
    }
    if (options.worker_id.size() > 200) {
        return out_of_range("worker_id", fmt::format("{} characters", options.worker_id.size()),
                            "1 to 200 characters");
    }
    JOBFORGE_TRY(between("slots", options.slots, 1, 10'000));
    JOBFORGE_TRY(between("prefetch", options.prefetch, 0, 10'000));
    JOBFORGE_TRY(between("pool_size", options.pool_size, 1, 1'000));
    JOBFORGE_TRY(between("lease", options.lease, 1s, "1 s to 24 h"));
    if (options.lease_renew < 1s || options.lease_renew * 2 > options.lease) {
        return out_of_range(
            "lease_renew", fmt::format("{} s", options.lease_renew.count()),
            fmt::format("at least 1 s and at most half the lease of {} s", options.lease.count()));
    }
    JOBFORGE_TRY(between("poll_interval", options.poll_interval, 1ms, "1 ms to 24 h"));
    JOBFORGE_TRY(between("drain_grace", options.drain_grace, 0s, "0 s to 24 h"));
    // Asked this way round so that NaN is refused too.
    const bool is_share = options.tenant_share > 0 && options.tenant_share <= 1;
    if (!is_share) {
        return out_of_range("tenant_share", fmt::format("{}", options.tenant_share),
                            "above 0 and at most 1");
    }
    if (types.empty()) {
        return Error::of(ErrorCode::CONFIG_MISSING,
                         "a worker needs at least one handler: call on()");
    }
    for (const auto& [name, type] : types) {
        JOBFORGE_TRY(check_type(*type));
    }
    return ok_status();
}

}  // namespace jobforge::engine
