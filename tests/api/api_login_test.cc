// The database login of the API: what it must have, and that it needs no more; and its sessions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api_world.h"
#include "child_process.h"
#include "engine/schema/migrate.h"
#include "localpg/cluster.h"
#include "temp_dir.h"

namespace jobforge::test {
namespace {

using ::testing::HasSubstr;

class ApiLogin : public ApiWorld {
protected:
    void TearDown() override { run("drop role if exists api_stranger"); }
};

TEST_F(ApiLogin,
       without_the_rights_of_a_gateway_the_api_does_not_start_and_says_which_login_it_needs) {
    run("drop role if exists api_stranger; create role api_stranger login in role "
        "jobforge_worker");
    options().database_url = database_.url("api_stranger");
    const auto started = api::ApiService::start(options());
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code, ErrorCode::FORBIDDEN);
    EXPECT_THAT(started.error().message, HasSubstr("api_stranger"));
    EXPECT_THAT(started.error().hint, HasSubstr("docs/sql.md#roles"));
}

// A claim sends its answer before it commits. Only over TCP can the server tell that nobody reads
// it, so this API has a server of its own; its first look at the schema notes what its session has.
TEST(ApiOverTcp, has_a_session_ended_by_the_server_when_it_does_not_read) {
    TempDir home;
    pg::ClusterOptions server;
    server.data_dir = home.path() + "/cluster";
    server.tcp = true;
    server.port = free_port();
    auto cluster = pg::PrivateCluster::start(server);
    ASSERT_TRUE(cluster.ok()) << cluster.error().describe();
    ASSERT_TRUE(engine::migrate((*cluster)->admin_url()).ok());
    auto admin = pg::Connection::connect({.url = (*cluster)->admin_url()});
    ASSERT_TRUE(admin.ok() && admin
                                  ->script("test_login", R"sql(
        create role api login password 'secret' in role jobforge_gateway;
        create table public.seen (tcp_user_timeout text);
        alter function jobforge.schema_version rename to known_version;
        create function jobforge.schema_version() returns text language plpgsql security definer as $$ begin
            insert into public.seen values (current_setting('tcp_user_timeout'));
            return jobforge.known_version();
        end $$)sql")
                                  .ok());
    api::ApiServiceOptions options;
    options.database_url =
        fmt::format("postgresql://api:secret@127.0.0.1:{}/jobforge", server.port);
    options.pepper_base64 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const auto started = api::ApiService::start(options);
    ASSERT_TRUE(started.ok()) << started.error().describe();
    auto seen = admin->exec({"test_seen", "select tcp_user_timeout from public.seen"});
    ASSERT_TRUE(seen.ok() && seen->size() == 1);
    EXPECT_EQ(seen->text(0, 0), "15000");
}

}  // namespace
}  // namespace jobforge::test
