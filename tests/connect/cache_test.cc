// The cache: what it keeps, how long, and how much.
#include "connect/cache/cache.h"

#include <sys/stat.h>

#include <filesystem>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "temp_dir.h"

namespace jobforge::connect {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class CacheTest : public testing::Test {
protected:
    [[nodiscard]] CacheOptions options(std::uint64_t max_bytes = 1 << 20) {
        return {home_.path() + "/cache.sqlite", max_bytes, seconds(20), [this] { return now_; }};
    }

    test::TempDir home_;
    std::chrono::sys_time<milliseconds> now_{hours(400'000)};
    ResponseCache cache_{options()};
};

TEST_F(CacheTest, gives_back_what_was_put_and_nothing_else) {
    EXPECT_EQ(cache_.get("key"), std::nullopt);
    ASSERT_TRUE(cache_.put("key", "value", hours(1)).ok());
    EXPECT_EQ(cache_.get("key"), "value");
    ASSERT_TRUE(cache_.put("key", "other", hours(1)).ok());
    EXPECT_EQ(cache_.get("key"), "other");
    const std::string bytes("\0\xff\r\n\0", 5);
    ASSERT_TRUE(cache_.put("bytes", bytes, hours(1)).ok());
    EXPECT_EQ(cache_.get("bytes"), bytes);
    ASSERT_TRUE(cache_.put("empty", "", hours(1)).ok());
    EXPECT_EQ(cache_.get("empty"), "");
}

TEST_F(CacheTest, keys_are_bytes_and_alike_is_not_the_same) {
    const std::vector<std::string> keys = {"",
                                           "a",
                                           "A",
                                           "a ",
                                           std::string("a\0", 2),
                                           "a|b|",
                                           "a||b",
                                           "|a|b",
                                           "1",
                                           "1.0",
                                           "a%",
                                           "a_",
                                           "\xc3\xa9",
                                           "e\xcc\x81",
                                           "NULL",
                                           std::string(5000, 'k')};
    for (const std::string& key : keys) {
        ASSERT_TRUE(cache_.put(key, "of " + key, hours(1)).ok());
    }
    for (const std::string& key : keys) {
        EXPECT_EQ(cache_.get(key), "of " + key);
    }
    EXPECT_EQ(cache_.get("b"), std::nullopt);
}

TEST_F(CacheTest, an_entry_ends_with_its_time) {
    ASSERT_TRUE(cache_.put("key", "value", seconds(60)).ok());
    now_ += milliseconds(59'999);
    EXPECT_EQ(cache_.get("key"), "value");
    now_ += milliseconds(1);
    EXPECT_EQ(cache_.get("key"), std::nullopt);
}

TEST_F(CacheTest, a_clock_that_was_set_back_makes_a_miss) {
    ASSERT_TRUE(cache_.put("key", "value", seconds(60)).ok());
    now_ -= milliseconds(1);
    EXPECT_EQ(cache_.get("key"), std::nullopt);
    ASSERT_TRUE(cache_.put("key", "again", seconds(60)).ok());
    EXPECT_EQ(cache_.get("key"), "again");
}

TEST_F(CacheTest, a_neighbour_that_writes_at_the_same_time_makes_no_miss) {
    ASSERT_TRUE(cache_.put("key", "old", seconds(60)).ok());
    CacheOptions slow = options();
    slow.clock = [this] {  // between the reader's look at its clock and what it does next
        const auto seen = now_;
        now_ += milliseconds(5);
        EXPECT_TRUE(cache_.put("key", "new", seconds(60)).ok());
        return seen;
    };
    EXPECT_EQ(ResponseCache(slow).get("key"), "old");
}

TEST_F(CacheTest, no_time_to_live_forgets) {
    for (const milliseconds ttl : {milliseconds(0), milliseconds(-5)}) {
        ASSERT_TRUE(cache_.put("key", "value", seconds(60)).ok());
        ASSERT_TRUE(cache_.put("key", "new", ttl).ok());
        EXPECT_EQ(cache_.get("key"), std::nullopt);
    }
}

TEST_F(CacheTest, purge_forgets_everything) {
    ASSERT_TRUE(cache_.put("a", "1", hours(1)).ok());
    ASSERT_TRUE(cache_.put("b", "2", hours(1)).ok());
    ASSERT_TRUE(cache_.purge().ok());
    EXPECT_EQ(cache_.get("a"), std::nullopt);
    EXPECT_EQ(cache_.get("b"), std::nullopt);
}

TEST_F(CacheTest, survives_its_process) {
    ASSERT_TRUE(cache_.put("key", "value", hours(1)).ok());
    ResponseCache another(options());
    EXPECT_EQ(another.get("key"), "value");
    ASSERT_TRUE(another.put("key", "theirs", hours(1)).ok());
    EXPECT_EQ(cache_.get("key"), "theirs");
}

TEST_F(CacheTest, is_bounded_and_forgets_the_oldest_first) {
    const std::string body(10'000, 'x');
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(cache_.put(fmt::format("key {}", i), body, hours(1)).ok());
        now_ += milliseconds(1);
    }
    EXPECT_LE(std::filesystem::file_size(options().path), (1U << 20) + 100'000U);
    int kept = 0;
    for (int i = 0; i < 1000; ++i) {
        kept += cache_.get(fmt::format("key {}", i)).has_value() ? 1 : 0;
    }
    EXPECT_GT(kept, 60) << "of about 85 that fit";
    EXPECT_LT(kept, 105);
    EXPECT_EQ(cache_.get("key 0"), std::nullopt);
    EXPECT_TRUE(cache_.get("key 999").has_value());
    EXPECT_TRUE(cache_.get(fmt::format("key {}", 1000 - kept)).has_value()) << "no gaps";
}

TEST_F(CacheTest, what_has_expired_makes_room_before_what_has_not) {
    ASSERT_TRUE(cache_.put("lasting", "value", hours(9)).ok());
    now_ += milliseconds(1);
    const std::string body(10'000, 'x');
    for (int round = 0; round < 5; ++round) {
        for (int i = 0; i < 50; ++i) {
            ASSERT_TRUE(cache_.put(fmt::format("{} {}", round, i), body, seconds(60)).ok());
        }
        now_ += seconds(61);
    }
    EXPECT_EQ(cache_.get("lasting"), "value");
}

TEST_F(CacheTest, what_would_push_out_everything_else_is_not_kept) {
    ASSERT_TRUE(cache_.put("small", "value", hours(1)).ok());
    const Status status = cache_.put("large", std::string(1 << 18, 'x'), hours(1));
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().message.find("too large"), std::string::npos);
    EXPECT_EQ(cache_.get("large"), std::nullopt);
    EXPECT_EQ(cache_.get("small"), "value");
}

TEST_F(CacheTest, is_its_owners_alone) {
    ASSERT_TRUE(cache_.put("key", "value", hours(1)).ok());
    for (const char* ending : {"", "-wal", "-shm"}) {
        struct stat found{};
        ASSERT_EQ(::stat((options().path + ending).c_str(), &found), 0) << ending;
        EXPECT_EQ(found.st_mode & 0777U, 0600U) << ending;
    }
}

TEST_F(CacheTest, threads_share_it) {
    std::atomic<int> wrong{0};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                for (int i = 0; i < 50; ++i) {
                    const std::string key = fmt::format("{}", i % 5);
                    const auto found = cache_.get(key);
                    wrong += found && !found->starts_with(key + " of ") ? 1 : 0;
                    wrong +=
                        cache_.put(key, fmt::format("{} of {}", key, t), hours(1)).ok() ? 0 : 1;
                }
            });
        }
    }
    EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace jobforge::connect
