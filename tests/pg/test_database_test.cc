// The databases of the tests themselves: what a test leaves running must not reach the next ones.
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>

#include <fmt/format.h>

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

constexpr std::chrono::minutes kDropPatience{2};  // a disk may be at other work

// On a disk databases are dropped in batches. Here with names of their own, wherever the tests run.
class FinishedTestDatabases : public testing::Test {
protected:
    ~FinishedTestDatabases() override { (void)drop_finished(url_, {prefix_, 0, 0, kDropPatience}); }

    void finish(int number) {
        const std::string name = fmt::format("{}{}", prefix_, number);
        expect_ok(admin_.script("make", "create database " + name + " template template0"));
        expect_ok(admin_.script("close", "alter database " + name + " allow_connections false"));
    }
    // The numbers of those that are there.
    std::string left() {
        auto rows = admin_.exec({"left",
                                 "select string_agg(substr(datname, length($1) + 1), ' ' order by "
                                 "oid) from pg_database where starts_with(datname, $1)"},
                                pg::Params().text(prefix_));
        return rows.ok() ? rows->opt_text(0, 0).value_or("") : rows.error().describe();
    }

    const std::string url_ = TestCluster::instance().admin_url();
    const std::string prefix_ = fmt::format("finished_{}_", ::getpid());
    pg::Connection admin_ = pg::Connection::connect({.url = url_}).value();
};

TEST_F(FinishedTestDatabases, are_dropped_when_there_are_too_many_the_oldest_first) {
    for (int number = 1; number <= 3; ++number) {
        finish(number);
    }
    EXPECT_EQ(drop_finished(url_, {prefix_, 3, 1, kDropPatience}), 0U);
    EXPECT_EQ(left(), "1 2 3");
    finish(4);
    // One that is still in use is nobody's to drop.
    expect_ok(admin_.script("use", "alter database " + prefix_ + "1 allow_connections true"));
    EXPECT_EQ(drop_finished(url_, {prefix_, 3, 1, kDropPatience}), 0U);
    expect_ok(admin_.script("end", "alter database " + prefix_ + "1 allow_connections false"));
    EXPECT_EQ(drop_finished(url_, {prefix_, 3, 1, std::chrono::milliseconds(0)}), 0U) << "no time";
    EXPECT_EQ(drop_finished(url_, {prefix_, 3, 1, kDropPatience}), 3U);
    EXPECT_EQ(left(), "4");
}

TEST_F(FinishedTestDatabases, that_cannot_be_dropped_are_nobodys_fault) {
    finish(1);
    EXPECT_EQ(drop_finished(with_login_and_database(url_, "nobody", "postgres"), {prefix_, 0, 0}),
              0U);
    EXPECT_EQ(left(), "1");
}

}  // namespace
}  // namespace jobforge::test
