// What is closed to tenants in production, and what binding a login gives it.
#include <gmock/gmock.h>

#include "cli_world.h"

namespace jobforge::cli {
namespace {

using test::Finished;
using ::testing::HasSubstr;

class TestTypes : public CliWorld {
protected:
    void migrate(const Variables& environment) {
        const Finished done = run({"migrate"}, environment);
        EXPECT_EQ(done.exit_code, 0) << done.error_output;
    }
    Finished enqueue() { return run({"enqueue", "test.crash", "{}", "--tenant", tenant_}); }

    std::string tenant_ = tenant();
};

TEST_F(TestTypes, are_off_where_bpc_env_is_prod_and_on_elsewhere) {
    migrate({{"BPC_ENV", "dev"}});
    EXPECT_EQ(enqueue().exit_code, 0);
    migrate({{"BPC_ENV", "prod"}});
    const Finished refused = enqueue();
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.error_output, HasSubstr("UNKNOWN_JOB_TYPE"));
    EXPECT_EQ(one("select count(*) from jobforge.job_types where type like 'test.%' and enabled"),
              "0");
}

TEST_F(TestTypes, stay_off_when_a_later_migration_forgets_bpc_env) {
    migrate({{"BPC_ENV", "prod"}});
    migrate({{"BPC_ENV", ""}});
    EXPECT_EQ(enqueue().exit_code, 1);
    migrate({{"BPC_ENV", "test"}});
    EXPECT_EQ(enqueue().exit_code, 0);
}

class BindLogin : public CliWorld {
protected:
    ~BindLogin() override {
        for (const std::string& login : made_) {
            auto connection = database_.connect();
            (void)connection.script("drop", "drop owned by " + login + "; drop role " + login);
        }
    }
    // Roles belong to the whole server, which other tests share.
    std::string login(const std::string& rights = "") {
        const std::string name = database_.name() + "_login_" + std::to_string(made_.size());
        auto connection = database_.connect();
        EXPECT_TRUE(connection.script("make", "create role " + name + " login " + rights).ok());
        made_.push_back(name);
        return name;
    }
    std::vector<std::string> made_;
};

TEST_F(BindLogin, grants_what_a_tenant_has_and_nothing_more) {
    const std::string name = login();
    const Finished bound = run({"tenants", "bind-login", tenant(), name});
    EXPECT_EQ(bound.exit_code, 0) << bound.error_output;
    EXPECT_EQ(one("select string_agg(r.rolname, ' ') from pg_auth_members m join pg_roles r on "
                  "r.oid = m.roleid join pg_roles l on l.oid = m.member where l.rolname = '" +
                  name + "'"),
              "jobforge_tenant");
    EXPECT_THAT(bound.output + bound.error_output,
                ::testing::Not(
                    ::testing::AnyOf(HasSubstr("jobforge_gateway"), HasSubstr("jobforge_worker"))));
}

TEST_F(BindLogin, refuses_a_login_that_reaches_all_tenants) {
    const std::string name = login("in role jobforge_worker");
    const Finished refused = run({"tenants", "bind-login", tenant(), name});
    EXPECT_EQ(refused.exit_code, 1) << refused.output;
    EXPECT_EQ(one("select count(*) from jobforge.tenant_logins"), "0");
}

}  // namespace
}  // namespace jobforge::cli
