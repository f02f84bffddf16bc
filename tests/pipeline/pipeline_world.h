// The whole pipeline on a database of its own: worker processes of the real program, a receiver of
// webhooks, and passports whose ids are fixed, so that two worlds can be compared byte by byte.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <jobforge/client.h>

#include "child_process.h"
#include "cli/demo/demo_receiver.h"
#include "engine/database/tenant_calls.h"
#include "services/secrets/secret_box.h"
#include "test_cluster.h"

namespace jobforge::test {

class PipelineWorld final {
public:
    // Schema, tenant, endpoint with a subscription to everything; a document, a sealed snapshot and
    // published rules, made by the pipeline itself.
    PipelineWorld();
    PipelineWorld(const PipelineWorld&) = delete;
    PipelineWorld& operator=(const PipelineWorld&) = delete;
    ~PipelineWorld();

    // A worker process; its id grows with each start.
    std::string start_worker();
    [[nodiscard]] ChildProcess& worker(const std::string& id) { return *workers_.at(id); }
    [[nodiscard]] std::vector<std::string> alive();
    // kill -9. How many jobs it was running: it is frozen first, so that nothing changes between
    // the look and the kill.
    int kill(const std::string& id);
    void stop_workers();

    // Asks for passport number `n`: a product, a passport and a version with ids made from n.
    void request(int n);
    [[nodiscard]] static Uuid version_id(int n);

    // Jobs that are waiting or running.
    [[nodiscard]] int open_jobs() { return number("select count(*) from jobforge.jobs"); }
    [[nodiscard]] int number(const std::string& sql) { return std::stoi(text(sql)); }
    // The first column of the first row.
    [[nodiscard]] std::string text(const std::string& sql);

    // Every passport 0..count-1 is SIGNED with one version, one signature and one QR code; its
    // chain is complete and nothing is in it twice; one delivery per event; the audit trail
    // verifies.
    void expect_complete(int count);
    // SHA-256 over payload, proof, signed receipt and QR text of a version.
    [[nodiscard]] std::string fingerprint(int n);

    [[nodiscard]] engine::TenantCalls& calls() { return *calls_; }
    [[nodiscard]] Client& client() { return *client_; }

private:
    void prepare_tenant();
    void prepare_inputs();
    void expect_succeeds(const Uuid& job);
    void expect_audit_verifies();

    TestDatabase database_;
    pg::Connection admin_;
    std::unique_ptr<cli::DemoReceiver> receiver_;
    std::unique_ptr<services::SecretBox> box_;
    std::unique_ptr<engine::TenantCalls> calls_;
    std::unique_ptr<Client> client_;
    Uuid rules_;
    int started_ = 0;
    std::map<std::string, std::unique_ptr<ChildProcess>> workers_;
};

}  // namespace jobforge::test
