// Log lines: one JSON object each, fields of parents first, secrets never.
#include <jobforge/log.h>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

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

// Packets instead of a stream: one read is one write.
class LogBatches : public ::testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends_.data()), 0);
        log_ = Logger(make_line_sink({.fd = ends_[1]}));
    }
    void TearDown() override {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    // What one write brought; "" if there is none.
    std::string next() {
        std::array<char, 16384> buffer{};
        const auto size = ::read(ends_[0], buffer.data(), buffer.size());
        return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(0, size))};
    }
    std::array<int, 2> ends_{};
    Logger log_;
};

TEST_F(LogBatches, write_lines_together_in_pieces_that_a_pipe_takes_whole) {
    {
        const LogBatch batch(log_);
        for (int i = 0; i < 100; ++i) {
            log_.info("line", {{"n", i}, {"text", std::string(100, 'x')}});
        }
    }
    std::string all;
    int writes = 0;
    for (std::string piece = next(); !piece.empty(); piece = next()) {
        EXPECT_LE(piece.size(), 4096U);
        EXPECT_EQ(piece.back(), '\n') << "no line is cut";
        all += piece;
        ++writes;
    }
    EXPECT_LT(writes, 10);
    EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 100);
    EXPECT_LT(all.find("\"n\":0,"), all.find("\"n\":99,"));
}

TEST_F(LogBatches, hold_back_nothing_of_another_thread_and_write_what_is_longer_than_a_piece) {
    const LogBatch batch(log_);
    log_.info("waits");
    std::thread([this] { log_.info("does not wait"); }).join();
    EXPECT_THAT(next(), HasSubstr("does not wait"));
    EXPECT_EQ(next(), "");
    log_.info(std::string(10'000, 'x'));
    EXPECT_THAT(next(), HasSubstr("waits"));
    log_.info("after");
    EXPECT_THAT(next(), HasSubstr(std::string(10'000, 'x')));
}

TEST_F(LogBatches, within_each_other_end_with_the_outer_one) {
    {
        const LogBatch outer(log_);
        {
            const LogBatch inner(log_.with({{"a", 1}}));
            log_.info("one");
        }
        EXPECT_EQ(next(), "");
    }
    EXPECT_THAT(next(), HasSubstr("one"));
    log_.info("two");
    EXPECT_THAT(next(), HasSubstr("two"));
}

TEST(Logger, without_a_sink_drops_everything) {
    const Logger log;
    EXPECT_FALSE(log.enabled(LogLevel::error));
    log.with({{"a", 1}}).error("nowhere");
}

}  // namespace
}  // namespace jobforge
