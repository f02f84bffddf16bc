// The audit trail over HTTP: pages that make one export, and a verification on the node.
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api_world.h"
#include "audit/audit_export.h"
#include "services/audit/log_keeper.h"

namespace jobforge::test {
namespace {

constexpr char kKeyId[] = "test-key-1";

class AuditTrailApi : public ApiWorld {
protected:
    AuditTrailApi() {
        const std::string seed = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
        EXPECT_TRUE(keys_.add(kKeyId, seed).ok());
        options().tools.audit_evidence = [this](const Uuid& tenant) { return known(tenant); };
    }
    // The test's key, and the head that the log keeper of this node keeps.
    Result<services::AuditEvidence> known(const Uuid& tenant) {
        services::AuditEvidence evidence;
        for (const Ed25519PublicKey& key : keys_.public_keys()) {
            evidence.keys.push_back({key, "this deployment"});
        }
        evidence.trust = passport::KeyTrust::assumed;
        auto kept = kept_->find(tenant);
        if (kept.ok() && *kept) {
            evidence.heads.push_back({**kept, "this node"});
        }
        return evidence;
    }
    void happen(int events) {
        for (int i = 0; i < events; ++i) {
            EXPECT_EQ(
                post("/v1/access-policies", R"({"effect":"deny","path_pattern":"/v1/x"})").status,
                201);
        }
    }
    void sign_head() {
        const auto added = services::extend_log(
            superuser_, tenant_,
            {.keys = std::shared_ptr<const services::SigningKeys>(std::shared_ptr<void>(), &keys_),
             .key_id = kKeyId,
             .kept = kept_});
        EXPECT_TRUE(added.ok()) << added.error().describe();
    }
    // All pages; `between` happens after each one.
    template <typename Between>
    std::string exported(int limit, const Between& between) {
        std::string all;
        std::string cursor;
        do {
            const Reply page = get(fmt::format("/v1/audit/export?limit={}{}", limit, cursor));
            EXPECT_EQ(page.status, 200) << page.body;
            EXPECT_EQ(page.response.content_type, "application/x-ndjson");
            all += page.body;
            cursor = page.header("x-next-cursor");
            cursor = cursor.empty() ? "" : "&cursor=" + cursor;
            between();
        } while (!cursor.empty());
        return all;
    }
    Result<passport::AuditReport> report_of(const std::string& lines) {
        passport::AuditExportReader reader(keys_.public_keys());
        for (std::size_t at = 0; at < lines.size();) {
            const std::size_t end = lines.find('\n', at) + 1;
            if (auto added = reader.add_line(lines.substr(at, end - at)); !added.ok()) {
                return added.error();
            }
            at = end;
        }
        return reader.finish();
    }

    // A superuser with the triggers off.
    void tamper(const std::string& sql) {
        run("set session_replication_role = replica; " + sql +
            "; set session_replication_role = origin");
    }

    services::SigningKeys keys_;
    std::shared_ptr<services::KeptHeads> kept_ = std::make_shared<services::KeptHeads>("");
};

TEST_F(AuditTrailApi, pages_make_an_export_that_verifies_although_events_happen_meanwhile) {
    happen(3);
    sign_head();
    happen(2);
    sign_head();
    happen(1);  // under no head yet
    const std::string whole = exported(1000, [] {});
    const std::string paged = exported(2, [&] {
        happen(1);
        sign_head();
    });
    const auto report = report_of(paged);
    ASSERT_TRUE(report.ok()) << report.error().describe() << paged;
    EXPECT_TRUE(report->ok()) << report->fault->message;
    EXPECT_EQ(report->events_not_logged, 0);
    EXPECT_EQ(report->heads, 2);
    EXPECT_EQ(report->signatures_checked, 2);
    EXPECT_EQ(paged, whole) << "the head was chosen by the first page";
}

TEST_F(AuditTrailApi, without_a_head_an_export_is_empty_and_says_so) {
    happen(1);
    const auto report = report_of(exported(1000, [] {}));
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->events, 0);
}

TEST_F(AuditTrailApi, a_cursor_of_nowhere_is_refused) {
    // {"x", "e.1", "q.1.1.1", "e.1.1.1x", "e.1.-1.1"} as cursors are written.
    for (const char* bad : {"eA", "ZS4x", "cS4xLjEuMQ", "ZS4xLjEuMXg", "ZS4xLi0xLjE", "%25"}) {
        EXPECT_EQ(get(std::string("/v1/audit/export?cursor=") + bad).status, 422) << bad;
    }
    EXPECT_EQ(get("/v1/audit/export?limit=1001").status, 422);
}

TEST_F(AuditTrailApi, a_whole_trail_is_valid_and_anchored_in_the_nodes_key) {
    happen(3);
    sign_head();
    happen(1);
    const Reply good = get("/v1/audit/verify");
    ASSERT_EQ(good.status, 200) << good.body;
    EXPECT_EQ(good.member("valid"), "true");
    EXPECT_EQ(good.member("anchored"), "true");
    EXPECT_EQ(good.member("events_not_logged"), "1");
    EXPECT_EQ(good.member("fault"), "");
}

TEST_F(AuditTrailApi, a_verification_says_what_was_checked_against_what) {
    happen(3);
    sign_head();
    const Json whole = get("/v1/audit/verify").json();
    EXPECT_EQ(*whole.find("verdict")->as_string(), "whole");
    EXPECT_TRUE(whole.find("not_anchored_because")->is_null());
    EXPECT_EQ(whole.find("outside_heads")->as_int64(), 1);
    const Json& key = whole.find("trusted_keys")->as_array()->at(0);
    EXPECT_EQ(*key.find("public_key")->as_string(), keys_.public_keys().front().base64());
    EXPECT_EQ(*key.find("source")->as_string(), "this deployment");
    EXPECT_EQ(key.find("signatures")->as_int64(), 2) << "the stored head, and the kept one";
    const Json& head = whole.find("heads_kept_outside")->as_array()->at(0);
    EXPECT_EQ(*head.find("source")->as_string(), "this node");
    EXPECT_EQ(head.find("tree_size")->as_int64(), whole.find("log_entries")->as_int64());
}

TEST_F(AuditTrailApi, a_trail_that_no_trusted_key_signed_says_why_it_is_not_anchored) {
    EXPECT_EQ(get("/v1/audit/verify").member("verdict"), "not_anchored");
    happen(1);
    EXPECT_EQ(get("/v1/audit/verify").member("not_anchored_because"), "there is no signed head");
    sign_head();
    options().tools.audit_evidence = {};
    stop_service();
    const Reply alone = get("/v1/audit/verify");
    EXPECT_EQ(alone.member("valid"), "true") << alone.body;
    EXPECT_EQ(alone.member("anchored"), "false");
    EXPECT_EQ(alone.member("verdict"), "not_anchored");
    EXPECT_EQ(alone.member("not_anchored_because"),
              "no trusted key is known; set JOBFORGE_AUDIT_KEYS");
    EXPECT_EQ(alone.json().find("trusted_keys")->as_array()->size(), 0U);
}

TEST_F(AuditTrailApi, deleted_rows_are_found) {
    happen(3);
    sign_head();
    tamper(
        "delete from jobforge.events where event_seq = (select max(event_seq) from "
        "jobforge.events)");
    const Reply bad = get("/v1/audit/verify");
    EXPECT_EQ(bad.member("verdict"), "broken") << bad.body;
    EXPECT_EQ(bad.member("fault.what"), "log_event_missing");
}

TEST_F(AuditTrailApi, a_database_that_was_set_back_does_not_fit_the_head_that_is_kept_here) {
    happen(2);
    sign_head();
    const std::string event = one("select max(event_seq) from jobforge.events");
    const std::string size = one("select max(tree_size) from jobforge.log_heads");
    happen(2);
    sign_head();
    // As a restored backup: rows, log and heads of an earlier moment, which fit each other.
    tamper(
        fmt::format("delete from jobforge.log_heads where tree_size > {1}; "
                    "delete from jobforge.event_log where log_index >= {1}; "
                    "delete from jobforge.events where event_seq > {0}",
                    event, size));
    const Reply back = get("/v1/audit/verify");
    EXPECT_EQ(back.member("verdict"), "broken") << back.body;
    EXPECT_EQ(back.member("fault.what"), "head_beyond_log");
    // Another node, where no head is kept, cannot see it.
    kept_ = std::make_shared<services::KeptHeads>("");
    EXPECT_EQ(get("/v1/audit/verify").member("verdict"), "whole");
}

TEST_F(AuditTrailApi, a_node_verifies_one_trail_at_a_time) {
    happen(1);
    sign_head();
    stop_service();
    std::promise<void> at_work;
    std::promise<void> go_on;
    const auto known = options().tools.audit_evidence;
    options().tools.audit_evidence = [&, waited = go_on.get_future().share()](const Uuid& tenant) {
        at_work.set_value();
        waited.wait();
        return known(tenant);
    };
    auto first = std::async(std::launch::async, [this] { return get("/v1/audit/verify"); });
    at_work.get_future().wait();
    const Reply second = get("/v1/audit/verify");
    go_on.set_value();
    EXPECT_EQ(second.status, 429) << second.body;
    EXPECT_EQ(second.member("error.code"), "RATE_LIMITED");
    EXPECT_EQ(first.get().member("valid"), "true");
    stop_service();
    options().tools.audit_evidence = known;
    EXPECT_EQ(get("/v1/audit/verify").status, 200) << "the place is free again";
}

TEST_F(AuditTrailApi, an_event_that_was_changed_is_found) {
    happen(3);
    sign_head();
    run("alter table jobforge.events disable trigger user; update jobforge.events set actor_id = "
        "'somebody else' where event_type = 'POLICY_CHANGED'; alter table jobforge.events enable "
        "trigger user");
    const Reply bad = get("/v1/audit/verify");
    EXPECT_EQ(bad.member("valid"), "false") << bad.body;
    EXPECT_EQ(bad.member("fault.what"), "event_hash");
}

TEST_F(AuditTrailApi, a_trail_that_is_too_long_for_a_request_is_refused) {
    run("insert into jobforge.log_heads (tenant_id, tree_size, root_hash, frontier, checkpoint, "
        "key_id) values ('" +
        tenant_.to_string() + "', 100001, sha256('x'), '{}', 'c', 'k')");
    const Reply refused = get("/v1/audit/verify");
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(refused.member("error.code"), "BUDGET_EXCEEDED");
}

}  // namespace
}  // namespace jobforge::test
