// A database with an `effects` table, worker processes on it, and the questions a fault test asks.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <jobforge/client.h>

#include "child_process.h"
#include "pg/connection.h"

namespace jobforge::test {

inline constexpr char kFaultTenant[] = "aaaaaaaa-0000-4000-8000-0000000000fa";
inline constexpr int kLeaseSeconds = 2;

class FaultWorld final {
public:
    // Prepares the database behind `url` (a superuser's), which must be empty.
    explicit FaultWorld(std::string url);

    [[nodiscard]] const std::string& url() const noexcept { return url_; }
    // The first column of the first row as text; retries while the server is away.
    [[nodiscard]] std::string one(const std::string& sql) const;
    [[nodiscard]] int count(const std::string& sql) const { return std::stoi(one(sql)); }
    [[nodiscard]] Client client() const;
    void enqueue(const std::string& type, int jobs, int milliseconds, int max_attempts = 5,
                 const std::string& padding = "") const;

    // What worker processes are given from now on.
    void use_url(std::string url) { worker_url_ = std::move(url); }
    // Starts a worker process; its id grows with each start.
    std::string start_worker(int slots = 4);
    [[nodiscard]] ChildProcess& worker(const std::string& id) { return *workers_.at(id); }
    // The ids of the worker processes that still run.
    [[nodiscard]] std::vector<std::string> alive();
    // Ends all of them gracefully.
    void stop_workers();

    // Jobs that are neither waiting nor running any more.
    [[nodiscard]] int finished() const {
        return count("select count(*) from jobforge.finished_jobs");
    }
    // Every job succeeded with exactly one effect, written under the token that completed it.
    void expect_exactly_once(int jobs) const;

private:
    std::string url_;
    std::string worker_url_;
    int started_ = 0;
    std::map<std::string, std::unique_ptr<ChildProcess>> workers_;
};

}  // namespace jobforge::test
