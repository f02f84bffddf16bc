// Sources, intakes and COLLECT_PRICES at work: a database with a tenant, a marketplace on a real
// socket, and workers, as threads of this process or as processes of their own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <jobforge/worker.h>

#include "child_process.h"
#include "cli/demo/demo_marketplace.h"
#include "engine/database/tenant_calls.h"
#include "pg/connection.h"
#include "services/prices/price_handlers.h"
#include "temp_dir.h"
#include "test_cluster.h"
#include "wait_until.h"

namespace jobforge::test {

// The value, or the test's failure and an empty one.
template <typename T>
T must(Result<T> result) {
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().describe());
    return result.ok() ? std::move(result).value() : T{};
}

// What a source for a server with the marketplace's API is like; `members` overrides or adds.
struct SourceText {
    std::string name = "market";
    std::string base_url = {};
    std::string members = "{}";  // a JSON object
};

class PriceWorld : public ::testing::Test {
protected:
    PriceWorld();
    ~PriceWorld() override;

    // A marketplace on a free port.
    static std::unique_ptr<cli::DemoMarketplace> market(cli::MarketplaceOptions options = {});
    // Saves a source; its id. Unless it says otherwise, a limit that no test reaches.
    std::string source(const SourceText& text);
    std::string source(const cli::DemoMarketplace& marketplace, const std::string& members = "{}") {
        return source({.base_url = marketplace.base_url(), .members = members});
    }
    // The 1909-S VDB cent; `members` overrides or adds.
    std::string intake(const std::string& members = "{}");
    // A job for them, past the collections table: as many as a test wants.
    std::string enqueue(const std::string& intake, const std::string& source,
                        const std::string& more = "{}");

    // A job as `jobforge intakes enqueue` makes it: one that still waits is not made twice.
    std::string collect(const std::string& intake, const std::string& source);

    // A worker of this process, unless it runs already, with what settings_ holds now; `slots`
    // handlers at once.
    void start(int slots = 4);
    void stop() { worker_.reset(); }
    // `jobforge worker` as a process; further environment in `environment`.
    ChildProcess& start_process(std::map<std::string, std::string> environment = {});
    void end_processes();  // SIGTERM, and all of them end well

    // Waits for the job's end: "SUCCEEDED", or "FAILED CODE".
    std::string end_of(const std::string& job);
    std::string ends(const std::string& intake, const std::string& source) {
        return end_of(enqueue(intake, source));
    }
    // Waits until an attempt has failed: "QUEUED CODE".
    std::string retry_of(const std::string& job);
    // An expression over the job's row, wherever it is.
    std::string job(const std::string& id, const std::string& expression);
    // A member of its result.
    std::string result(const std::string& job, const std::string& member) {
        return this->job(job, "result ->> '" + member + "'");
    }
    std::string message_of(const std::string& job) {
        return this->job(job, "last_error ->> 'message'");
    }
    // Of the source's governor.
    std::string governor(const std::string& source, const std::string& expression);
    std::string points(const std::string& intake, const std::string& expression = "count(*)");

    void run(const std::string& sql);
    // The first column of the first row as text; "" for none or NULL.
    std::string one(const std::string& sql);
    int count(const std::string& sql) { return std::stoi(one(sql)); }

    TestDatabase database_;
    pg::Connection admin_;
    TempDir directory_;  // the data directory: the cache is there
    std::string tenant_;
    services::PriceSettings settings_;
    std::map<std::string, std::string> secrets_;  // JOBFORGE_SECRET_<NAME>, for settings_

private:
    std::unique_ptr<Worker> worker_;
    std::vector<std::unique_ptr<ChildProcess>> processes_;
};

// "'text'" for SQL.
[[nodiscard]] std::string sql_text(std::string_view text);

}  // namespace jobforge::test
