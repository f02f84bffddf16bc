// A database with the schema, one tenant and a worker's login, and short ways to enqueue and look.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <jobforge/worker.h>

#include "pg/connection.h"
#include "test_cluster.h"
#include "wait_until.h"

namespace jobforge::test {

// Keeps what is logged, as the fields' JSON: a sink of the caller's own knows no secrets.
class Lines final : public LogSink {
public:
    void write(const LogRecord& record) noexcept override {
        const std::lock_guard guard(mutex_);
        text_ += record.message;
        for (const Json::Member& field : record.fields) {
            text_ += " " + field.first + "=" + field.second.dump();
        }
        text_ += "\n";
    }
    [[nodiscard]] bool enabled(LogLevel /*level*/) const noexcept override { return true; }
    [[nodiscard]] std::string text() const {
        const std::lock_guard guard(mutex_);
        return text_;
    }

private:
    mutable std::mutex mutex_;
    std::string text_;
};

class WorkerWorld : public ::testing::Test {
protected:
    WorkerWorld();

    // A worker that polls fast, with short leases, and logs nothing.
    [[nodiscard]] WorkerOptions options() const;
    // Makes the type known with this policy, e.g. "lease_seconds = 1".
    void type(const std::string& name, const std::string& policy = "");
    // Enqueues; `more` are further named arguments, e.g. "p_max_attempts => 1".
    Uuid enqueue(const std::string& type, const std::string& payload = "{}",
                 const std::string& more = "");
    void enqueue_many(const std::string& type, int count);

    void run(const std::string& sql);
    // The first column of the first row as text; "" for none or NULL.
    std::string one(const std::string& sql);
    std::string job(const Uuid& id, const std::string& expression);  // of its row in all_jobs
    std::string attempts(const Uuid& id);  // outcomes in order: "RETRY,SUCCEEDED"
    [[nodiscard]] bool becomes(const Uuid& id, const std::string& status);

    TestDatabase database_;
    pg::Connection admin_;
    Uuid tenant_;
};

void expect_ok(const Status& status);

// Inside a handler: work that takes this long, or ends when it is asked to.
void work_for(const JobContext& context, std::chrono::milliseconds time);
// Inside a handler: until it is asked to stop.
void wait_for_stop(const JobContext& context);

}  // namespace jobforge::test
