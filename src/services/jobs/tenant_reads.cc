#include "services/jobs/tenant_reads.h"

#include <fmt/format.h>

#include "connect/http/governor.h"
#include "statements/session.h"

namespace jobforge::services {

namespace {

constexpr auto kLongestAnswer = std::chrono::seconds(30);
// How long a job stays away whose tenant keeps a row locked.
constexpr auto kLockedFor = std::chrono::seconds(10);
constexpr std::string_view kLockNotAvailable = "55P03";

pg::PoolOptions pool_options(const std::string& database_url, int connections) {
    pg::PoolOptions options;
    options.connect.url = database_url;
    options.connect.application_name = "jobforge handlers";
    options.connect.prepare_statements = true;
    options.connect.longest_answer = kLongestAnswer;
    options.max_size = connections;
    return options;
}

}  // namespace

TenantReads::TenantReads(const std::string& database_url, int connections)
    : slots_({.name = "connections for reads",
              .total = connections,
              .longest_wait = std::chrono::seconds(5)}),
      pool_(pool_options(database_url, connections)) {}

Result<pg::Rows> TenantReads::read(const Uuid& tenant, const pg::Statement& statement,
                                   const pg::Params& params) {
    const auto slot = slots_.take(tenant.to_string());
    if (!slot.ok()) {
        return slot.error();
    }
    auto connection = pool_.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    (*connection)
        ->queue(statements::session::kSetTenantRead,
                std::move(pg::Params().text(tenant.to_string())));
    (*connection)->queue(statement, params);
    auto rows = (*connection)->flush();
    if (!rows.ok() && rows.error().sqlstate == kLockNotAvailable) {
        return connect::shortage(
            fmt::format("{}: a row stayed locked for five seconds", statement.name), kLockedFor);
    }
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    return std::move(rows->back());
}

}  // namespace jobforge::services
