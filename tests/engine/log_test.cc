// Log lines: one JSON object each, fields of parents first, secrets never.
#include <jobforge/log.h>

#include <unistd.h>

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobforge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LogLines : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(::pipe(ends_.data()), 0); }
    void TearDown() override {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    Logger logger(LogOptions options = {}) {
        options.fd = ends_[1];
        return Logger(make_line_sink(std::move(options)));
    }
    std::string written() {
        std::array<char, 8192> buffer{};
        const auto size = ::read(ends_[0], buffer.data(), buffer.size());
        return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(0, size))};
    }
    std::array<int, 2> ends_{};
};

TEST_F(LogLines, are_json_with_time_level_fields_and_message) {
    logger()
        .with({{"worker_id", "w"}})
        .with({{"job_id", "j"}})
        .warn("late \"again\"\n", {{"n", 3}});
    const std::string line = written();
    EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line";
    auto json = Json::parse(std::string_view(line).substr(0, line.size() - 1));
    ASSERT_TRUE(json.ok()) << line;
    EXPECT_EQ(*json->find("level")->as_string(), "warn");
    EXPECT_EQ(*json->find("worker_id")->as_string(), "w");
    EXPECT_EQ(*json->find("job_id")->as_string(), "j");
    EXPECT_EQ(*json->find("n")->as_int64(), 3);
    EXPECT_EQ(*json->find("message")->as_string(), "late \"again\"\n");
    EXPECT_EQ(json->find("timestamp")->as_string()->back(), 'Z');
}

TEST_F(LogLines, below_the_level_are_not_written) {
    const Logger log = logger({.level = LogLevel::warn});
    log.debug("no");
    log.info("no");
    log.error("yes");
    EXPECT_FALSE(log.enabled(LogLevel::info));
    EXPECT_THAT(written(), Not(HasSubstr("\"no\"")));
}

TEST_F(LogLines, never_hold_a_secret) {
    logger({.secrets = {"s3cret-\"token"}})
        .info("the key is s3cret-\"token",
              {{"url", "postgresql://u:hunter2@h/db"}, {"header", "Bearer s3cret-\"token"}});
    const std::string line = written();
    EXPECT_THAT(line, Not(HasSubstr("s3cret")));
    EXPECT_THAT(line, Not(HasSubstr("hunter2")));
    EXPECT_TRUE(Json::parse(line.substr(0, line.size() - 1)).ok()) << line;
}

TEST_F(LogLines, for_a_terminal_cannot_be_forged_by_a_field) {
    logger({.json = false}).info("hello", {{"name", "x\n2026-01-01 error fake"}});
    const std::string line = written();
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_THAT(line, HasSubstr("info  hello"));
}

TEST(Logger, without_a_sink_drops_everything) {
    const Logger log;
    EXPECT_FALSE(log.enabled(LogLevel::error));
    log.with({{"a", 1}}).error("nowhere");
}

}  // namespace
}  // namespace jobforge
