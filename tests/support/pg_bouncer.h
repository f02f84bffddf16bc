// A PgBouncer in transaction mode in front of the test cluster.
//
// With JOBFORGE_TEST_PGBOUNCER=1 in the environment, pooled_url() leads through it: ctest runs the
// client's and the worker's tests a second time that way (tests/CMakeLists.txt). At the end of the
// program SHOW POOLS and SHOW STATS must prove that transactions went through, or the program
// fails.
#pragma once

#include <memory>
#include <string>

#include "child_process.h"
#include "temp_dir.h"

namespace jobforge::test {

class PgBouncer final {
public:
    // In front of the server of this URL; ready when it returns. Aborts the test if it cannot
    // start.
    explicit PgBouncer(const std::string& server_url);

    // The same login and database as `direct_url`, through the pooler.
    [[nodiscard]] std::string url(const std::string& direct_url) const;
    // Transactions that went through pools in transaction mode so far, by its own account.
    [[nodiscard]] long transactions() const;

private:
    TempDir home_;
    std::unique_ptr<ChildProcess> process_;
};

// `direct_url`, or the way through the pooler of this process if the environment asks for it.
[[nodiscard]] std::string pooled_url(const std::string& direct_url);
// Whether pooled_url() leads through a pooler.
[[nodiscard]] bool pooled();

}  // namespace jobforge::test
