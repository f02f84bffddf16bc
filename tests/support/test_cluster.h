// The Postgres the tests run on: always a real one, with fsync on.
//
// Under ctest one cluster serves all test programs (JOBFORGE_TEST_CLUSTER_DIR, set by the fixture
// in tests/CMakeLists.txt). JOBFORGE_TEST_CLUSTER_URL names any other server, as a superuser. With
// neither, the first use in a process starts a private cluster that is removed at exit. Directories
// of processes that crashed are swept by the next one. No server at all aborts: never a skip.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "pg/connection.h"

namespace jobforge::test {

class TestCluster final {
public:
    // The one of this process. Threads: any.
    [[nodiscard]] static TestCluster& instance();

    // A URL of this server for a login and a database.
    [[nodiscard]] std::string url(std::string_view login, std::string_view database) const;
    [[nodiscard]] std::string admin_url() const { return url("postgres", "postgres"); }
    // Whether databases may stay until the end: the cluster ends with the tests, and its disk has
    // gigabytes to spare.
    [[nodiscard]] bool has_room() const;
    // Whether its files lie in memory.
    [[nodiscard]] bool in_memory() const;

    TestCluster(const TestCluster&) = delete;
    TestCluster& operator=(const TestCluster&) = delete;
    ~TestCluster();

private:
    TestCluster();
    struct Own;
    std::unique_ptr<Own> own_;
    std::string admin_url_;
    std::string home_;  // the directory that is removed at the end; empty on another's server
};

// Prepares a fresh database, once per cluster: `url` is the superuser's. Aborts the test on error.
using Migrate = std::function<Status(const std::string& url)>;

// A database of its own for one test. Destroyed, it is dropped if its cluster is in memory, which
// takes milliseconds. On a disk it is closed, its connections are ended, and whoever runs the
// cluster drops it later with others (drop_finished): DROP DATABASE makes a checkpoint, which
// writes and syncs the databases of all tests that run just then (24 databases by three callers:
// 19 s with drops, 11 s without; a hundred at once: over a minute). On a server that is not ours,
// or without room, it is dropped at once, too.
class TestDatabase final {
public:
    // An empty one.
    TestDatabase();
    // A copy of the template `template_name`, which `migrate` fills the first time anybody on this
    // cluster asks for it (guarded by an advisory lock). Put a checksum of what it does into the
    // name if the cluster outlives the test run.
    TestDatabase(std::string_view template_name, const Migrate& migrate);
    TestDatabase(const TestDatabase&) = delete;
    TestDatabase& operator=(const TestDatabase&) = delete;
    ~TestDatabase();

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::string url(std::string_view login = "postgres") const;
    // A new connection; aborts the test if it fails.
    [[nodiscard]] pg::Connection connect(std::string_view login = "postgres") const;

private:
    std::string name_;
};

// The databases of finished tests on a disk, each 12 MB in 570 files: a run would leave half a
// million files, and their removal took longer than anybody waits.
struct FinishedDatabases {
    std::string prefix = "test_";              // of their names
    std::size_t most = 100;                    // more than these are too many,
    std::size_t fewest = 20;                   // and so many stay, the youngest
    std::chrono::milliseconds patience{5000};  // no drop begins after it
};
// Drops the oldest if there are too many; says how many it dropped. In batches, because the first
// drop makes the checkpoint that costs, and those after it find little to write; and not by the
// tests, which would wait. An error ends it and is nobody's: the next call tries again, and what is
// left goes with the cluster.
std::size_t drop_finished(const std::string& admin_url, const FinishedDatabases& which = {});

// What a connection string says, by libpq's keywords; what it does not name is missing.
[[nodiscard]] std::map<std::string, std::string> connection_keywords(const std::string& url);

// `url` with another login and database.
[[nodiscard]] std::string with_login_and_database(const std::string& url, std::string_view login,
                                                  std::string_view database);

}  // namespace jobforge::test
