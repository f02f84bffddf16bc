// The cache's file deleted, damaged, locked, shared and interrupted: a miss or the truth.
#include <sqlite3.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cache_value.h"
#include "child_process.h"
#include "connect/cache/cache.h"
#include "temp_dir.h"
#include "test_paths.h"

namespace jobforge::connect {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test_support::cache_value;
using test_support::number_of;

class CacheFaults : public testing::Test {
protected:
    [[nodiscard]] CacheOptions options(milliseconds busy_timeout = seconds(20)) const {
        return {path_, std::uint64_t{64} << 20, busy_timeout, {}};
    }
    static std::string read(const std::string& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    static void write(const std::string& file, const std::string& bytes) {
        std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    }
    void remove_all() const {
        for (const char* ending : {"", "-wal", "-shm"}) {
            std::filesystem::remove(path_ + ending);
        }
    }
    // The whole cache in one file, nothing in the log.
    std::string checkpointed() const {
        sqlite3* database = nullptr;
        EXPECT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
        // Read first: a connection that has not looked yet does not know that there is a log.
        EXPECT_EQ(
            sqlite3_exec(database, "select count(*) from entries; pragma wal_checkpoint(truncate);",
                         nullptr, nullptr, nullptr),
            SQLITE_OK);
        sqlite3_close(database);
        return read(path_);
    }
    // Whatever was done to the file: the truth or nothing, and then it works again. How many of the
    // four entries are still there.
    [[nodiscard]] int expect_truth_and_recovery(const std::string& what) const {
        ResponseCache cache(options());
        int survived = 0;
        for (int n = 3; n >= 0; --n) {
            const auto found = cache.get(fmt::format("key {}", n));
            EXPECT_TRUE(!found || *found == cache_value(n)) << what;
            survived += found ? 1 : 0;
        }
        EXPECT_TRUE(cache.put("after", "it", hours(1)).ok()) << what;
        EXPECT_EQ(ResponseCache(options()).get("after"), "it") << what;
        return survived;
    }
    void fill() const {
        ResponseCache cache(options());
        for (int n = 0; n < 4; ++n) {
            ASSERT_TRUE(cache.put(fmt::format("key {}", n), cache_value(n), hours(1)).ok());
        }
    }

    test::TempDir home_;
    const std::string path_ = home_.path() + "/cache.sqlite";
};

TEST_F(CacheFaults, a_file_that_is_deleted_under_it_is_made_anew) {
    ResponseCache cache(options());
    ResponseCache neighbour(options());
    for (const std::vector<std::string>& endings :
         std::vector<std::vector<std::string>>{{""}, {"", "-wal", "-shm"}, {"", "-wal"}}) {
        ASSERT_TRUE(cache.put("key", "value", hours(1)).ok());
        ASSERT_EQ(neighbour.get("key"), "value");
        for (const std::string& ending : endings) {
            ASSERT_TRUE(std::filesystem::remove(path_ + ending)) << ending;
        }
        EXPECT_EQ(cache.get("key"), std::nullopt);
        ASSERT_TRUE(cache.put("key", "again", hours(1)).ok());
        EXPECT_EQ(cache.get("key"), "again");
        EXPECT_EQ(neighbour.get("key"), "again") << "it noticed too";
        EXPECT_EQ(ResponseCache(options()).get("key"), "again") << "it is on the disk";
    }
}

TEST_F(CacheFaults, rubbish_in_its_place_is_replaced) {
    for (const std::string& rubbish :
         {std::string("this is not a database\n"), std::string(5000, '\0'),
          std::string("SQLite format 3"),
          std::string("SQLite format 3\0", 16) + std::string(8000, 'x')}) {
        remove_all();
        write(path_, rubbish);
        (void)expect_truth_and_recovery(rubbish.substr(0, 20));
    }
    remove_all();
    write(path_ + "-wal", std::string(10'000, 'w'));
    write(path_ + "-shm", std::string(32'768, 's'));
    (void)expect_truth_and_recovery("a log without its database");
}

TEST_F(CacheFaults, somebody_elses_database_is_replaced) {
    for (const char* sql : {"create table entries (x); pragma user_version = 1;",
                            "create table other (x); pragma user_version = 7;"}) {
        remove_all();
        sqlite3* database = nullptr;
        ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
        ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(database);
        (void)expect_truth_and_recovery(sql);
    }
}

TEST_F(CacheFaults, a_file_cut_short_anywhere_tells_no_lies) {
    fill();
    const std::string whole = checkpointed();
    for (std::size_t i = 0; i <= 40; ++i) {
        remove_all();
        write(path_, whole.substr(0, whole.size() * i / 40));
        const int survived = expect_truth_and_recovery(fmt::format("cut at {}/40", i));
        EXPECT_TRUE(i < 40 || survived == 4) << "uncut, all are there";
    }
}

TEST_F(CacheFaults, a_damaged_byte_anywhere_tells_no_lies) {
    fill();
    const std::string whole = checkpointed();
    int whole_ones = 0;
    for (std::size_t i = 0; i < 60; ++i) {
        // The first pages by the byte, where the structure is; then through the whole file.
        const std::size_t at = i < 30 ? i * 307 : (i - 30) * whole.size() / 30 + i;
        std::string damaged = whole;
        damaged[at % whole.size()] = static_cast<char>(~damaged[at % whole.size()]);
        remove_all();
        write(path_, damaged);
        whole_ones += expect_truth_and_recovery(fmt::format("byte {}", at)) == 4 ? 1 : 0;
    }
    EXPECT_GT(whole_ones, 0) << "a byte that nobody uses";
    EXPECT_LT(whole_ones, 40) << "most bytes are somebody's";
}

TEST_F(CacheFaults, a_damaged_log_tells_no_lies) {
    fill();
    const std::string base = read(path_);
    const std::string log = read(path_ + "-wal");
    ASSERT_GT(log.size(), 50'000U);
    EXPECT_EQ(expect_truth_and_recovery("nothing was done yet"), 4);
    for (std::size_t i = 0; i < 30; ++i) {
        std::string damaged = log;
        damaged[i * log.size() / 30] ^= 0x55;
        remove_all();
        write(path_, base);
        write(path_ + "-wal", i % 2 == 0 ? damaged : log.substr(0, i * log.size() / 30));
        (void)expect_truth_and_recovery(fmt::format("log {}", i));
    }
}

// Another entry's row under this key: what a crash of a file system may leave.
TEST_F(CacheFaults, a_row_that_changed_its_key_is_a_miss) {
    fill();
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    const char* sql =
        "delete from entries where key = cast('key 0' as blob);"
        "update entries set key = cast('key 0' as blob) where key = "
        "cast('key 1' as blob); update entries set expires_at = expires_at + 9 "
        "where key = cast('key 2' as blob)";
    ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    ASSERT_EQ(sqlite3_changes(database), 1);
    sqlite3_close(database);
    ResponseCache cache(options());
    EXPECT_EQ(cache.get("key 2"), std::nullopt);
    EXPECT_EQ(cache.get("key 0"), std::nullopt);
}

TEST_F(CacheFaults, a_place_where_nothing_can_be_written_is_a_cache_that_knows_nothing) {
    std::filesystem::create_directory(home_.path() + "/folder");
    for (const std::string& path :
         {home_.path() + "/missing/cache.sqlite", home_.path() + "/folder"}) {
        ResponseCache cache({path, 1 << 20, milliseconds(50), {}});
        EXPECT_EQ(cache.get("key"), std::nullopt);
        const Status status = cache.put("key", "value", hours(1));
        ASSERT_FALSE(status.ok()) << path;
        EXPECT_EQ(status.error().code, ErrorCode::INTERNAL_ERROR);
        EXPECT_NE(status.error().message.find(path), std::string::npos);
        EXPECT_FALSE(cache.purge().ok());
    }
    EXPECT_TRUE(std::filesystem::is_directory(home_.path() + "/folder"));
}

TEST_F(CacheFaults, a_writer_that_holds_the_lock_costs_the_timeout_and_readers_nothing) {
    ResponseCache cache(options(milliseconds(50)));
    ASSERT_TRUE(cache.put("key", "value", hours(1)).ok());
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, "begin immediate", nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(cache.get("key"), "value");
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(cache.put("key", "new", hours(1)).ok());
    EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
    ASSERT_EQ(sqlite3_exec(database, "rollback", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    EXPECT_TRUE(cache.put("key", "new", hours(1)).ok());
    EXPECT_EQ(cache.get("key"), "new");
}

TEST_F(CacheFaults, several_that_find_the_same_damage_end_with_one_file) {
    for (int round = 0; round < 5; ++round) {
        remove_all();
        write(path_, std::string(20'000, 'x'));
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < 4; ++t) {
                threads.emplace_back([&, t] {
                    ResponseCache cache(options());
                    EXPECT_TRUE(cache.put(fmt::format("{}", t), "value", hours(1)).ok());
                });
            }
        }
        ResponseCache cache(options());
        for (int t = 0; t < 4; ++t) {
            EXPECT_EQ(cache.get(fmt::format("{}", t)), "value") << round;
        }
    }
}

std::unique_ptr<test::ChildProcess> writer(const std::string& path, const std::string& key,
                                           int from) {
    return std::make_unique<test::ChildProcess>(
        std::vector<std::string>{JOBFORGE_CACHE_WRITER, path, key, std::to_string(from)});
}

TEST_F(CacheFaults, a_writer_killed_in_the_middle_leaves_the_old_or_the_new) {
    ResponseCache reader(options());
    int next = 1;
    for (int round = 0; round < 8; ++round) {
        const auto child = writer(path_, "key", next);
        // Killed at once after a write was seen: the next one has begun, more or less far.
        ASSERT_TRUE(child->wait_for_output(fmt::format("{}\n", next + round)))
            << child->error_output();
        child->send_signal(SIGKILL);
        ASSERT_TRUE(child->wait().has_value());
        const auto found = reader.get("key");
        ASSERT_TRUE(found.has_value()) << "what was written is there";
        ASSERT_TRUE(number_of(*found).has_value()) << "half a value";
        EXPECT_GE(*number_of(*found), next + round) << "and it is not an older one";
        next = *number_of(*found) + 1;
    }
}

TEST_F(CacheFaults, processes_share_it) {
    std::vector<std::unique_ptr<test::ChildProcess>> children;
    for (int i = 0; i < 3; ++i) {
        children.push_back(writer(path_, fmt::format("key {}", i), 1));
    }
    for (auto& child : children) {
        EXPECT_TRUE(child->wait_for_output("20\n")) << child->error_output();
    }
    ResponseCache reader(options());
    for (int i = 0; i < 3; ++i) {
        const auto found = reader.get(fmt::format("key {}", i));
        ASSERT_TRUE(found && number_of(*found)) << i;
        EXPECT_GE(*number_of(*found), 20);
        EXPECT_TRUE(children[static_cast<std::size_t>(i)]->running()) << "no write failed";
    }
}

}  // namespace
}  // namespace jobforge::connect
