// A database with events, a key that signs heads over them, and a superuser who may change
// anything.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/schema/migrate.h"
#include "services/audit/audit.h"
#include "services/audit/log_keeper.h"
#include "temp_dir.h"
#include "test_cluster.h"

namespace jobforge::services {

inline constexpr char kLogTenant[] = "aaaaaaaa-0000-4000-8000-000000000106";
inline constexpr char kLogSeed[] = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

inline Status migrate_log_template(const std::string& url) {
    auto report = engine::migrate(url);
    return report.ok() ? ok_status() : Status(std::move(report).error());
}

class LogWorld : public ::testing::Test {
protected:
    LogWorld() {
        auto keys = std::make_shared<SigningKeys>();
        EXPECT_TRUE(keys->add("key", kLogSeed).ok());
        keys_ = std::move(keys);
        make_tenant(kLogTenant, "log");
    }

    void run(const std::string& sql) {
        const auto done = connection_.script("test", sql);
        ASSERT_TRUE(done.ok()) << done.error().describe();
    }
    std::string one(const std::string& sql) {
        const auto rows = connection_.exec({"test_one", sql});
        EXPECT_TRUE(rows.ok()) << rows.error().describe();
        return rows.ok() && !rows->empty() ? std::string(rows->opt_text(0, 0).value_or("NULL"))
                                           : "no row";
    }
    void make_tenant(const std::string& id, const std::string& name) {
        run(fmt::format("select jobforge.create_tenant('{}', '{}')", name, id));
        tenant_ = *Uuid::parse(id);
    }
    // Events of the tenant's aggregates, which are numbered: happen({1, 2, 1}).
    void happen(const std::vector<int>& aggregates) {
        std::string sql = fmt::format("begin; select set_config('app.tenant_id', '{}', true)",
                                      tenant_.to_string());
        for (const int aggregate : aggregates) {
            sql += fmt::format(
                "; select jobforge.append_event('PassportVersion', 'bbbbbbbb-0000-4000-8000-{:012}'"
                ", 'PASSPORT_COMPILED', '{{\"n\": {}}}', 'somebody')",
                aggregate, ++events_);
        }
        run(sql + "; commit");
    }
    // What only a superuser can do: triggers are off, whatever they guard.
    void tamper(const std::string& sql) {
        run("begin; set local session_replication_role = replica; " + sql + "; commit");
    }

    [[nodiscard]] LogSigner signer() const {
        return {.keys = keys_, .key_id = "key", .more_keys = {}, .kept = kept_, .log = {}};
    }
    // How many events were taken into the log; the error's code if none may be.
    std::string extend() {
        auto grown = extend_log(connection_, tenant_, signer());
        last_error_ = grown.ok() ? Error() : grown.error();
        return grown.ok() ? std::to_string(grown->added)
                          : std::string(to_string(grown.error().code));
    }
    [[nodiscard]] std::string newest() {
        const auto head = newest_head(connection_, tenant_);
        return head.ok() ? head->checkpoint : std::string();
    }
    passport::AuditReport verify(const std::vector<std::string>& heads = {}) {
        AuditQuestion question{tenant_, {public_key()}, {}};
        for (const std::string& head : heads) {
            question.outside_heads.push_back({head, "head.txt"});
        }
        auto report = verify_audit(connection_, question);
        EXPECT_TRUE(report.ok()) << report.error().describe();
        return *report;
    }
    [[nodiscard]] Ed25519PublicKey public_key() const { return keys_->find("key")->public_key(); }

    test::TestDatabase database_{"log_keeper_test", &migrate_log_template};
    test::TempDir home_;
    pg::Connection connection_ = database_.connect();
    std::shared_ptr<const SigningKeys> keys_;
    std::shared_ptr<KeptHeads> kept_ = std::make_shared<KeptHeads>(home_.path() + "/log_heads");
    Uuid tenant_;
    Error last_error_;
    int events_ = 0;
};

}  // namespace jobforge::services
