// The database login of the API: what it must have, and that it needs no more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api_world.h"

namespace jobforge::test {
namespace {

using ::testing::HasSubstr;

class ApiLogin : public ApiWorld {
protected:
    void TearDown() override { run("drop role if exists api_stranger"); }
};

TEST_F(ApiLogin, without_the_rights_of_a_gateway_the_api_does_not_start_and_says_what_to_grant) {
    run("drop role if exists api_stranger; create role api_stranger login in role "
        "jobforge_worker");
    options().database_url = database_.url("api_stranger");
    const auto started = api::ApiService::start(options());
    ASSERT_FALSE(started.ok());
    EXPECT_EQ(started.error().code, ErrorCode::FORBIDDEN);
    EXPECT_THAT(started.error().message, HasSubstr("api_stranger"));
    EXPECT_THAT(started.error().hint, HasSubstr("grant jobforge_gateway to api_stranger"));
}

}  // namespace
}  // namespace jobforge::test
