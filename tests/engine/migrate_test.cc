// Migrations on a real server: twice, concurrently, dry, edited, from the future, by either kind of
// login.
#include "engine/schema/migrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "base/crypto/hash.h"
#include "engine/schema/migrate_state.h"
#include "engine/schema/schema_check.h"
#include "test_cluster.h"

namespace jobforge::engine {
namespace {

using test::TestCluster;
using test::TestDatabase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

MigrateReport migrated(const std::string& url, const MigrateOptions& options = {}) {
    auto report = migrate(url, options);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().describe());
    return report.ok() ? *report : MigrateReport{};
}

std::int64_t number(pg::Connection& connection, std::string_view sql) {
    auto rows = connection.exec({"test_number", sql});
    EXPECT_TRUE(rows.ok()) << rows.error().describe();
    return rows->integer(0, 0);
}

// A login of its own per test, dropped with its objects at the end.
class Login final {
public:
    Login(const std::string& name, std::string_view attributes)
        : name_(name),
          admin_(*pg::Connection::connect({.url = TestCluster::instance().admin_url()})) {
        run("drop role if exists \"" + name_ + "\"");
        run("create role \"" + name_ + "\" login " + std::string(attributes));
    }
    ~Login() { run("drop role if exists \"" + name_ + "\""); }
    Login(const Login&) = delete;
    Login& operator=(const Login&) = delete;
    [[nodiscard]] const std::string& name() const { return name_; }
    void run(const std::string& sql) {
        auto done = admin_.script("test_admin", sql);
        EXPECT_TRUE(done.ok()) << done.error().describe();
    }

private:
    std::string name_;
    pg::Connection admin_;
};

constexpr std::array<EmbeddedFile, 2> kSmall{
    EmbeddedFile{"0001_one.sql", "create table jobforge.one (id bigint)"},
    EmbeddedFile{"0002_two.sql", "create table jobforge.two (id bigint)"}};
constexpr std::array<EmbeddedFile, 2> kSmallFunctions{
    EmbeddedFile{"a.sql",
                 "create or replace function jobforge.a() returns integer "
                 "language sql as 'select jobforge.b()'"},
    EmbeddedFile{"b.sql",
                 "create or replace function jobforge.b() returns integer "
                 "language sql as 'select 1'"}};

MigrateOptions small() {
    MigrateOptions options;
    options.migrations = kSmall;
    options.functions = kSmallFunctions;
    return options;
}

TEST(Migrate, an_empty_database_gets_every_migration_and_function) {
    TestDatabase database;
    const MigrateReport report = migrated(database.url());
    EXPECT_EQ(report.migrations.size(), embedded_migrations().size());
    EXPECT_EQ(report.functions.size(), embedded_functions().size());
    // What others are made of comes first, the rights of all last.
    EXPECT_THAT(report.functions.front(), ::testing::StartsWith("00_"));
    EXPECT_EQ(report.functions.back(), "zz_policies/row_security.sql");

    auto connection = database.connect();
    auto check = check_schema(connection);
    ASSERT_TRUE(check.ok()) << check.error().describe();
    EXPECT_EQ(check->state, SchemaState::current);
    EXPECT_EQ(number(connection,
                     "select count(*) from jobforge.job_types "
                     "where type in ('test.echo', 'COLLECT_PRICES')"),
              2);
}

TEST(Migrate, a_second_run_finds_nothing_to_do) {
    TestDatabase database;
    migrated(database.url());
    auto connection = database.connect();
    const auto before =
        number(connection, "select sum(xmin::text::bigint)::bigint from jobforge.migrations");
    EXPECT_TRUE(migrated(database.url()).nothing_to_do());
    EXPECT_EQ(number(connection, "select sum(xmin::text::bigint)::bigint from jobforge.migrations"),
              before);
}

TEST(Migrate, many_at_once_apply_everything_exactly_once) {
    TestDatabase database;
    std::vector<std::thread> threads;
    std::array<MigrateReport, 4> reports;
    for (MigrateReport& report : reports) {
        threads.emplace_back([&database, &report] { report = migrated(database.url()); });
    }
    for (std::thread& thread : threads) thread.join();
    const auto workers =
        std::count_if(reports.begin(), reports.end(),
                      [](const MigrateReport& one) { return !one.nothing_to_do(); });
    EXPECT_EQ(workers, 1);
}

TEST(Migrate, a_dry_run_says_what_it_would_do_and_changes_nothing) {
    TestDatabase database;
    MigrateOptions dry;
    dry.dry_run = true;
    EXPECT_EQ(migrated(database.url(), dry).migrations.size(), embedded_migrations().size());
    auto connection = database.connect();
    EXPECT_EQ(number(connection, "select count(*) from pg_namespace where nspname = 'jobforge'"),
              0);

    migrated(database.url());
    EXPECT_TRUE(migrated(database.url(), dry).nothing_to_do());
}

TEST(Migrate, an_edited_old_migration_is_refused_and_named) {
    TestDatabase database;
    migrated(database.url(), small());
    auto edited = kSmall;
    edited[0].text = "create table jobforge.one (id bigint, more text)";
    MigrateOptions options = small();
    options.migrations = edited;
    auto refused = migrate(database.url(), options);
    ASSERT_FALSE(refused.ok());
    EXPECT_TRUE(is_version_mismatch(refused.error()));
    EXPECT_THAT(refused.error().message, HasSubstr("0001_one.sql was edited"));
}

TEST(Migrate, a_database_from_the_future_is_refused) {
    TestDatabase database;
    migrated(database.url(), small());
    MigrateOptions older = small();
    older.migrations = std::span(kSmall).first(1);
    auto refused = migrate(database.url(), older);
    ASSERT_FALSE(refused.ok());
    EXPECT_TRUE(is_version_mismatch(refused.error()));
    EXPECT_THAT(refused.error().message, HasSubstr("0002_two.sql"));
    EXPECT_THAT(refused.error().message, HasSubstr("older than the database"));
}

TEST(Migrate, only_changed_functions_are_applied_again_and_lost_ones_are_reported) {
    TestDatabase database;
    migrated(database.url(), small());
    auto functions = kSmallFunctions;
    functions[1].text =
        "create or replace function jobforge.b() returns integer "
        "language sql as 'select 2'";
    MigrateOptions changed = small();
    changed.functions = functions;
    EXPECT_THAT(migrated(database.url(), changed).functions, ElementsAre("b.sql"));
    auto connection = database.connect();
    EXPECT_EQ(number(connection, "select jobforge.a()"), 2);

    MigrateOptions fewer = small();
    fewer.functions = std::span(functions).subspan(1);
    EXPECT_THAT(migrated(database.url(), fewer).orphans, ElementsAre("a.sql"));
}

TEST(Migrate, a_failing_migration_leaves_nothing_of_itself_behind) {
    TestDatabase database;
    const std::array<EmbeddedFile, 2> broken{kSmall[0],
                                             EmbeddedFile{"0002_bad.sql",
                                                          "create table jobforge.two (id bigint); "
                                                          "select 1 / 0"}};
    MigrateOptions options = small();
    options.migrations = broken;
    auto failed = migrate(database.url(), options);
    ASSERT_FALSE(failed.ok());
    EXPECT_THAT(failed.error().message, HasSubstr("0002_bad.sql"));
    auto connection = database.connect();
    EXPECT_EQ(number(connection, "select count(*) from pg_class where relname = 'two'"), 0);
    // Mended, it goes on from where it stopped.
    EXPECT_THAT(migrated(database.url(), small()).migrations, ElementsAre("0002_two.sql"));
}

TEST(Migrate, a_migration_without_a_transaction_may_build_an_index_concurrently) {
    TestDatabase database;
    const std::array<EmbeddedFile, 2> files{
        kSmall[0], EmbeddedFile{"0002_index.sql",
                                "-- no-transaction\ncreate index concurrently "
                                "if not exists one_by_id on jobforge.one (id)"}};
    MigrateOptions options = small();
    options.migrations = files;
    EXPECT_EQ(migrated(database.url(), options).migrations.size(), 2U);
    auto connection = database.connect();
    EXPECT_EQ(number(connection,
                     "select count(*) from pg_index where indisvalid and "
                     "indexrelid = 'jobforge.one_by_id'::regclass"),
              1);
}

TEST(Migrate, it_waits_for_a_lock_a_little_and_tries_again) {
    TestDatabase database;
    migrated(database.url(), small());
    auto holder = database.connect();
    ASSERT_TRUE(holder.script("test_lock", "begin; lock table jobforge.one").ok());
    const std::array<EmbeddedFile, 3> files{
        kSmall[0], kSmall[1],
        EmbeddedFile{"0003_three.sql", "alter table jobforge.one add c text"}};
    MigrateOptions options = small();
    options.migrations = files;
    // The first wait for the lock is the signal to let go of it.
    options.on_step = [&holder](std::string_view step) {
        if (step == "waiting for a lock") {
            EXPECT_TRUE(holder.script("test_unlock", "rollback").ok());
        }
    };
    EXPECT_THAT(migrated(database.url(), options).migrations, ElementsAre("0003_three.sql"));
}

TEST(Migrate, it_gives_up_when_another_migration_does_not_end) {
    TestDatabase database;
    auto other = database.connect();
    ASSERT_TRUE(other
                    .script("test_lock",
                            "select pg_advisory_lock("
                            "hashtextextended('jobforge.migrate', 0))")
                    .ok());
    MigrateOptions options = small();
    options.lock_wait = std::chrono::milliseconds(50);
    auto refused = migrate(database.url(), options);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::TIMEOUT);
}

TEST(Migrate, a_login_with_createrole_that_owns_the_database_can_do_it_and_keeps_no_rights) {
    TestDatabase database;
    Login login("migrator_" + database.name(), "createrole");
    login.run("alter database \"" + database.name() + "\" owner to \"" + login.name() + "\"");
    MigrateReport report = migrated(database.url(login.name()));
    EXPECT_EQ(report.migrations.size(), embedded_migrations().size());
    EXPECT_TRUE(migrated(database.url(login.name())).nothing_to_do());

    auto connection = database.connect();
    EXPECT_EQ(number(connection, "select count(*) from pg_auth_members m where m.member = '\"" +
                                     login.name() + "\"'::regrole"),
              0);
    EXPECT_EQ(number(connection,
                     "select count(*) from unnest(array['jobforge_definer', "
                     "'jobforge_engine']) r where has_schema_privilege(r, 'jobforge', "
                     "'create')"),
              0);
    // Both kinds of login make the same owners.
    EXPECT_EQ(number(connection,
                     "select count(*) from pg_class c where c.relnamespace = "
                     "'jobforge'::regnamespace and c.relkind in ('r', 'S', 'v') and "
                     "c.relowner <> 'jobforge_owner'::regrole"),
              0);
    ASSERT_TRUE(
        connection.script("test_cleanup", "reassign owned by \"" + login.name() + "\" to postgres")
            .ok());
}

// Outside a transaction the owner's rights cannot be lent for its length only: they must be given
// back also when the migration fails.
TEST(Migrate, a_login_with_createrole_builds_an_index_concurrently_and_keeps_no_rights) {
    TestDatabase database;
    Login login("indexer_" + database.name(), "createrole");
    login.run("alter database \"" + database.name() + "\" owner to \"" + login.name() + "\"");
    migrated(database.url(login.name()));
    const auto embedded = embedded_migrations();
    std::vector<EmbeddedFile> files(embedded.begin(), embedded.end());
    files.push_back({"9001_index.sql",
                     "-- no-transaction\ncreate index concurrently jobs_by_trace on "
                     "jobforge.jobs (trace_id)"});
    MigrateOptions options;
    options.migrations = files;
    EXPECT_THAT(migrated(database.url(login.name()), options).migrations,
                ElementsAre("9001_index.sql"));
    auto connection = database.connect();
    EXPECT_EQ(number(connection,
                     "select count(*) from pg_index i join pg_class c on c.oid = i.indexrelid "
                     "where i.indisvalid and c.relname = 'jobs_by_trace' and "
                     "c.relowner = 'jobforge_owner'::regrole"),
              1);
    files.push_back({"9002_broken.sql", "-- no-transaction\nselect 1 / 0"});
    options.migrations = files;
    EXPECT_THAT(migrate(database.url(login.name()), options).error().message,
                HasSubstr("9002_broken.sql"));
    EXPECT_EQ(number(connection, "select count(*) from pg_auth_members m where m.member = '\"" +
                                     login.name() + "\"'::regrole"),
              0);
    ASSERT_TRUE(
        connection.script("test_cleanup", "reassign owned by \"" + login.name() + "\" to postgres")
            .ok());
}

TEST(Migrate, a_login_without_the_rights_is_told_which_ones_it_needs) {
    TestDatabase database;
    Login login("nobody_" + database.name(), "");
    auto refused = migrate(database.url(login.name()));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::FORBIDDEN);
    EXPECT_THAT(refused.error().hint, HasSubstr("CREATEROLE"));
}

TEST(MigratePlan, unchanged_policies_are_applied_again_with_a_migration_and_only_then) {
    const std::array<EmbeddedFile, 2> functions{EmbeddedFile{"a.sql", "select 1"},
                                                EmbeddedFile{"zz_policies.sql", "select 2"}};
    AppliedSchema applied;
    for (const EmbeddedFile& file : functions) {
        applied.functions.push_back({std::string(file.name), sha256_hex(file.text)});
    }
    auto nothing = plan_migration(applied, {}, functions);
    ASSERT_TRUE(nothing.ok());
    EXPECT_TRUE(nothing->functions.empty());
    const std::array<EmbeddedFile, 1> migration{EmbeddedFile{"0001.sql", "select 3"}};
    auto again = plan_migration(applied, migration, functions);
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(again->functions.size(), 1U);
    EXPECT_EQ(again->functions.front().name, "zz_policies.sql");
}

TEST(SchemaCheck, an_empty_database_is_told_to_migrate) {
    TestDatabase database;
    auto connection = database.connect();
    auto status = require_schema(connection);
    ASSERT_FALSE(status.ok());
    EXPECT_TRUE(is_version_mismatch(status.error()));
    EXPECT_THAT(status.error().hint, HasSubstr("jobforge migrate"));
}

TEST(SchemaCheck, older_and_newer_databases_get_their_own_advice) {
    TestDatabase database;
    migrated(database.url());
    auto connection = database.connect();
    ASSERT_TRUE(connection
                    .script("test_future",
                            "insert into jobforge.migrations values "
                            "('9999_future.sql', repeat('0', 64), now(), 'test', 0)")
                    .ok());
    auto newer = require_schema(connection);
    ASSERT_FALSE(newer.ok());
    EXPECT_THAT(newer.error().message, HasSubstr("this program is older"));
    ASSERT_TRUE(connection
                    .script("test_past",
                            "delete from jobforge.migrations where name >= "
                            "'0002'")
                    .ok());
    auto older = require_schema(connection);
    ASSERT_FALSE(older.ok());
    EXPECT_THAT(older.error().hint, HasSubstr("jobforge migrate"));
}

TEST(SchemaCheck, a_login_without_roles_is_told_what_to_grant) {
    TestDatabase database;
    migrated(database.url());
    Login login("stranger_" + database.name(), "");
    auto connection = database.connect(login.name());
    auto status = require_schema(connection);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::FORBIDDEN);
    EXPECT_THAT(status.error().hint, HasSubstr("grant jobforge_tenant"));
}

}  // namespace
}  // namespace jobforge::engine
