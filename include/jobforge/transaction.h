// A database transaction that a handler writes in and that ends with its job.
//
// Opened with JobContext::transaction(). The worker settles the job in it and commits: the writes
// take effect exactly once, together with the outcome, or not at all (lease lost, exception,
// crash). It is never committed by the handler. app.tenant_id is set to the job's tenant inside it.
// Threads: the handler's thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>

struct pg_conn;  // libpq's PGconn

namespace jobforge {

// A parameter or column as text; nullopt is NULL.
using Text = std::optional<std::string>;

struct TextRows {
    std::vector<std::string> columns;
    std::vector<std::vector<Text>> rows;
    std::int64_t affected = 0;
};

class Transaction {
public:
    virtual ~Transaction() = default;
    // Runs one statement with $1.. as text (cast in SQL where needed: $1::uuid). `name` is the
    // statement's name in logs and errors. An error leaves the transaction aborted: it can only be
    // rolled back, so return Retry or Fail, or use SAVEPOINT.
    [[nodiscard]] virtual Result<TextRows> exec(std::string_view name, std::string_view sql,
                                                const std::vector<Text>& parameters = {}) = 0;
    // The connection, for code that speaks libpq. Do not commit, roll back or close it.
    [[nodiscard]] virtual pg_conn* native() noexcept = 0;
};

}  // namespace jobforge
