// BUILD_SNAPSHOT: BUILDING -> READY.
#include <fmt/format.h>

#include "handler_world.h"
#include "services/passport/snapshots.h"

namespace jobforge::services {
namespace {

class BuildSnapshot : public test::HandlerWorld {
protected:
    std::string snapshot() { return test::must(create_snapshot(*calls_, {})).to_string(); }
    std::string payload(const std::string& id) {
        return fmt::format(R"({{"snapshot_id":"{}"}})", id);
    }
    std::string status(const std::string& id) {
        return one(
            fmt::format("select status from jobforge.data_snapshots where snapshot_id = '{}'", id));
    }
};

TEST_F(BuildSnapshot, a_building_snapshot_becomes_ready_with_one_audit_event) {
    const std::string id = snapshot();
    test::must(add_snapshot_facts(*calls_, *Uuid::parse(id),
                                  {.document_version_ids = {*Uuid::parse(document())}}));
    EXPECT_EQ(status(id), "BUILDING");
    EXPECT_EQ(end_of(test::must(build_snapshot(*calls_, *Uuid::parse(id), "a")).to_string()),
              "SUCCEEDED");
    EXPECT_EQ(status(id), "READY");
    EXPECT_EQ(events_of(id), "SNAPSHOT_READY");
    EXPECT_EQ(event_payload(id, "SNAPSHOT_READY"), R"({"fact_count":2})");
}

TEST_F(BuildSnapshot, an_empty_snapshot_becomes_ready_too) {
    const std::string id = snapshot();
    EXPECT_EQ(ends("BUILD_SNAPSHOT", payload(id)), "SUCCEEDED");
    EXPECT_EQ(status(id), "READY");
    EXPECT_EQ(event_payload(id, "SNAPSHOT_READY"), R"({"fact_count":0})");
}

TEST_F(BuildSnapshot, ready_already_is_success_without_a_second_event) {
    const std::string id = snapshot();
    for (const char* changed : {"true", "false", "false"}) {
        const std::string job = enqueue("BUILD_SNAPSHOT", payload(id));
        EXPECT_EQ(end_of(job), "SUCCEEDED");
        EXPECT_EQ(one(fmt::format(
                      "select result ->> 'changed' from jobforge.finished_jobs where job_id = '{}'",
                      job)),
                  changed);
    }
    EXPECT_EQ(events_of(id), "SNAPSHOT_READY");
}

TEST_F(BuildSnapshot, after_a_reopen_it_is_built_again) {
    const std::string id = snapshot();
    EXPECT_EQ(ends("BUILD_SNAPSHOT", payload(id)), "SUCCEEDED");
    test::must(reopen_snapshot(*calls_, *Uuid::parse(id), "a"));
    EXPECT_EQ(status(id), "BUILDING");
    EXPECT_EQ(ends("BUILD_SNAPSHOT", payload(id)), "SUCCEEDED");
    EXPECT_EQ(status(id), "READY");
    EXPECT_EQ(events_of(id), "SNAPSHOT_READY SNAPSHOT_REOPENED SNAPSHOT_READY");
}

// A tenant may keep its own snapshot locked, and its handlers must not wait for that in slots and
// connections that all tenants share.
TEST_F(BuildSnapshot, a_row_that_its_tenant_keeps_locked_is_waited_for_for_five_seconds) {
    const std::string id = snapshot();
    pg::Connection locker = database_.connect();
    const std::string lock = "select from jobforge.data_snapshots where snapshot_id = '";
    test::must(locker.script("lock", fmt::format("begin; {}{}' for update", lock, id)));
    const std::string job = enqueue("BUILD_SNAPSHOT", payload(id));
    EXPECT_EQ(retry_of(job), "QUEUED DB_UNAVAILABLE");
    EXPECT_NE(message_of(job).find("lock timeout"), std::string::npos) << message_of(job);
    test::must(locker.script("unlock", "rollback"));
    EXPECT_EQ(end_of(job), "SUCCEEDED");
}

TEST_F(BuildSnapshot, a_sealed_snapshot_is_refused_and_stays_sealed) {
    const std::string id = sealed_snapshot();
    const std::string before = stored();
    EXPECT_EQ(ends("BUILD_SNAPSHOT", payload(id)), "FAILED SNAPSHOT_SEALED");
    EXPECT_EQ(status(id), "SEALED");
    EXPECT_EQ(stored(), before);
}

TEST_F(BuildSnapshot, payloads_that_do_not_fit_and_unknown_ids_fail_at_once) {
    const std::string before = stored();
    for (const char* garbage :
         {"{}", R"({"snapshot_id":null})", R"({"snapshot_id":7})", R"({"snapshot_id":"x"})",
          R"({"snapshot_id":["00000000-0000-4000-8000-000000000000"]})", R"({"Snapshot_id":""})"}) {
        EXPECT_EQ(ends("BUILD_SNAPSHOT", garbage), "FAILED JOB_PAYLOAD_INVALID") << garbage;
    }
    EXPECT_EQ(ends("BUILD_SNAPSHOT", payload("00000000-0000-4000-8000-000000000000")),
              "FAILED NOT_FOUND");
    EXPECT_EQ(stored(), before);
}

}  // namespace
}  // namespace jobforge::services
