// The databases of the tests themselves: what a test leaves running must not reach the next ones.
#include <memory>

#include "pg_fixture.h"

namespace jobforge::test {
namespace {

TEST(TestDatabaseEnds, who_is_still_in_it_is_thrown_out_and_nobody_gets_in) {
    auto database = std::make_unique<TestDatabase>();
    pg::ConnectOptions options;
    options.url = database->url();
    pg::Connection left_behind = database->connect();
    expect_ok(left_behind.script("before", "select 1"));

    database.reset();

    EXPECT_TRUE(wait_until([&] { return !left_behind.script("after", "select 1").ok(); }));
    EXPECT_FALSE(pg::Connection::connect(options).ok());
}

}  // namespace
}  // namespace jobforge::test
