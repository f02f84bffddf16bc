// What the tests of this room share: a database, a connection, short ways to fail.
#pragma once

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "pg/connection.h"
#include "test_cluster.h"
#include "wait_until.h"

namespace jobforge::test {

// The value, or the end of this test with the error's text.
template <typename T>
T expect_ok(Result<T> result) {
    if (!result.ok()) {
        throw std::runtime_error("unexpected error: " + result.error().describe());
    }
    return *std::move(result);
}

inline pg::Connection connect_to(const std::string& url, bool prepare_statements = false) {
    pg::ConnectOptions options;
    options.url = url;
    options.prepare_statements = prepare_statements;
    return expect_ok(pg::Connection::connect(options));
}

// Whether a backend with this pid waits or works inside a statement that contains `text`.
inline bool is_running(pg::Connection& observer, int backend_pid, std::string_view text) {
    const auto rows =
        observer.exec({"is_running",
                       "select 1 from pg_stat_activity where pid = $1 and state = 'active'"
                       " and position($2 in query) > 0"},
                      pg::Params().int4(backend_pid).text(text));
    return rows.ok() && !rows->empty();
}

class PgTest : public ::testing::Test {
protected:
    TestDatabase database_;
    pg::Connection connection_ = database_.connect();
};

}  // namespace jobforge::test
