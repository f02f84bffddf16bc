// Workers of the previous schema go on while the next one is applied under them.
#include <vector>

#include "engine/schema/migrate.h"
#include "worker_world.h"

namespace jobforge::test {
namespace {

class WorkerDuringMigration : public WorkerWorld {};

TEST_F(WorkerDuringMigration, goes_on_while_tables_and_functions_change_under_it) {
    type("steady");
    Worker worker(options());
    worker.on("steady", [](JobContext&) -> Outcome { return Done{}; });
    expect_ok(worker.start());
    enqueue_many("steady", 2000);
    ASSERT_TRUE(wait_until(
        [&] { return one("select count(*) > 100 from jobforge.finished_jobs") == "true"; }));

    // What a release does: a column more in the hot tables, an index built beside the traffic, and
    // every function's body replaced (their texts differ by a comment).
    std::vector<engine::EmbeddedFile> migrations(engine::embedded_migrations().begin(),
                                                 engine::embedded_migrations().end());
    migrations.push_back({"9001_columns.sql",
                          "alter table jobforge.jobs add column note text;"
                          "alter table jobforge.finished_jobs add column note text;"});
    migrations.push_back(
        {"9002_index.sql",
         "-- no-transaction\ncreate index concurrently if not exists finished_jobs_by_type "
         "on jobforge.finished_jobs (tenant_id, type)"});
    std::vector<std::string> texts;
    std::vector<engine::EmbeddedFile> functions;
    for (const auto& file : engine::embedded_functions()) {
        texts.push_back(std::string(file.text) + "\n-- next release\n");
    }
    for (std::size_t at = 0; at < texts.size(); ++at) {
        functions.push_back({engine::embedded_functions()[at].name, texts[at]});
    }
    engine::MigrateOptions next;
    next.migrations = migrations;
    next.functions = functions;
    auto migrated = engine::migrate(database_.url(), next);
    ASSERT_TRUE(migrated.ok()) << migrated.error().describe();
    EXPECT_EQ(migrated->migrations.size(), 2U);
    EXPECT_EQ(migrated->functions.size(), functions.size());

    enqueue_many("steady", 2000);
    ASSERT_TRUE(
        wait_until([&] { return one("select count(*) from jobforge.finished_jobs") == "4000"; },
                   std::chrono::seconds(60)));
    EXPECT_EQ(one("select count(*) from jobforge.job_attempts where outcome <> 'SUCCEEDED'"), "0");
    EXPECT_EQ(worker.numbers().leases_lost, 0U);
}

}  // namespace
}  // namespace jobforge::test
