// The passport handlers at work: a database with a tenant, a real worker that runs all of them, and
// short ways to give it work and to look at what came of it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <jobforge/worker.h>

#include "engine/database/tenant_calls.h"
#include "pg/connection.h"
#include "services/passport/passport_handlers.h"
#include "test_cluster.h"
#include "wait_until.h"

namespace jobforge::test {

// The value, or the test's failure and an empty one.
template <typename T>
T must(Result<T> result) {
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().describe());
    return result.ok() ? std::move(result).value() : T{};
}

// A small package: one field of the product's Battery fact, and as many cases as are needed to
// pass.
inline constexpr std::string_view kRules =
    "fact Battery { sku: Text, mass_g: Int }\n"
    "field battery.mass: Int =\n"
    "  requireSome(getFact(\"Battery\", \"battery:\" + product.sku), \"E001\", \"no "
    "battery\").mass_g;"
    "\n";
inline constexpr std::string_view kRulesTests =
    "property mass_is_told: cases(500) seed(7) =>\n"
    "  forall b: Battery(\"battery:SKU-1\") . field(\"battery.mass\") == b.mass_g; ;\n";
inline constexpr std::string_view kBom =
    R"({"components":[{"sku":"SKU-1","mass_g":7500},{"mass_g":1,"sku":"SKU-2"}]})";
inline constexpr std::string_view kKeyId = "test-key-1";

class HandlerWorld : public ::testing::Test {
protected:
    HandlerWorld();

    // More handlers for the worker that is about to start.
    virtual void add_handlers(Worker& /*worker*/) {}

    // The worker starts with the first call; what settings_ holds then is what it works with.
    void start();
    void stop();
    // Jobs of a held type stay QUEUED, so that a test sees the state before the next step.
    void hold(std::string_view type);
    void release(std::string_view type);

    void run(const std::string& sql);
    // The first column of the first row as text; "" for none or NULL.
    std::string one(const std::string& sql);

    std::string enqueue(std::string_view type, const std::string& payload);
    // Waits for the job's end and says it: "SUCCEEDED", or "FAILED CODE".
    std::string end_of(const std::string& job);
    // Waits until an attempt has failed and the job waits for its next: "QUEUED CODE".
    std::string retry_of(const std::string& job);
    std::string ends(std::string_view type, const std::string& payload) {
        return end_of(enqueue(type, payload));
    }
    std::string message_of(const std::string& job);  // of its last error
    // The job with this key, wherever it is; "" if there is none.
    std::string job_with_key(const std::string& key);
    // "TYPE priority max_attempts payload" of every job with this key.
    std::string jobs_with_key(const std::string& key);

    // Event types of an aggregate in order: "DOCUMENT_UPLOADED FACTS_PARSED".
    std::string events_of(const std::string& aggregate);
    std::string event_payload(const std::string& aggregate, std::string_view type);
    // Rows of all tables that a step could have half-written, by their counts.
    std::string stored();

    // The way to a passport, each with its step done. Ids.
    std::string upload(std::string_view kind, std::string_view content,
                       std::string_view media_type = "application/json");
    std::string document(std::string_view content = kBom);  // VALIDATED
    std::string sealed_snapshot(std::string_view content = kBom);
    std::string rules(std::string_view source = kRules, std::string_view tests = kRulesTests);
    std::string published_rules(std::string_view source = kRules);
    std::string passport(const std::string& sku = "SKU-1");
    // What COMPILE_PASSPORT is asked for, as its payload; `version` is made up.
    std::string compile_payload(const std::string& version, const std::string& snapshot,
                                const std::string& rules, const std::string& passport_id);
    // The version after COMPILE_PASSPORT; later steps follow unless they are held.
    std::string compiled_version();
    std::string signed_version();  // with its QR code unless GENERATE_QR is held
    std::string version(const std::string& id, const std::string& expression);

    TestDatabase database_;
    pg::Connection admin_;
    Uuid tenant_;
    services::PassportSettings settings_;
    WorkerOptions options_;
    services::SharedTools tools_;  // once started
    std::unique_ptr<engine::TenantCalls> calls_;

private:
    std::unique_ptr<Worker> worker_;
};

// 32 bytes in base64; nobody else's.
inline constexpr std::string_view kSigningSeed = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
inline constexpr std::string_view kMasterKey = "ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoM=";

}  // namespace jobforge::test
