// The governors of the database (jobforge.governor_enter, governor_report) as the transport asks
// them: one limit and one breaker for all workers together.
#pragma once

#include <string>

#include "connect/http/governor.h"
#include "services/jobs/tenant_reads.h"

namespace jobforge::services {

// What is governed.
enum class GovernorKind { source, endpoint, host };
[[nodiscard]] std::string_view to_string(GovernorKind kind) noexcept;

// The verdict in five columns from `first` on: verdict, wait_ms, generation, probe, reason, as
// governor_enter answers them. INTERNAL_ERROR for a word that this program does not know.
[[nodiscard]] Result<connect::Verdict> verdict_in(const pg::Rows& rows, int first = 0);

// One governor, for one tenant. Each call is a short transaction of its own on a connection of
// `reads`, never part of the job's: a token that was taken stays taken when the job is rolled back,
// and no row lock is held while a peer takes its time.
//
// Threads: any, as TenantReads. Cheap: two texts; a handler builds one on its stack.
class PostgresGovernor final : public connect::Governor {
public:
    // `reads` must outlive it. `key`: the id of the source or endpoint, or the host's origin.
    // `rate_per_minute`: the limit of a host, as its tenant's configuration says, 0 for none;
    // nullopt: as the database has it.
    PostgresGovernor(TenantReads& reads, const Uuid& tenant, GovernorKind kind, std::string key,
                     std::optional<std::int32_t> rate_per_minute = std::nullopt);

    [[nodiscard]] Result<connect::Verdict> enter() override;
    [[nodiscard]] Status report(const connect::Permit& permit,
                                const connect::Report& report) override;

private:
    TenantReads& reads_;
    const Uuid tenant_;
    const GovernorKind kind_;
    const std::string key_;
    const std::optional<std::int32_t> rate_per_minute_;
};

}  // namespace jobforge::services
