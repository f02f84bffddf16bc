// An SQLite database that may disappear, be damaged, or be replaced by another process. Internal to
// the cache.
#pragma once

#include <sqlite3.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge::connect {

// A statement, prepared once and run often. Values are bound by position from 1; blobs must live
// until run() or reset().
class SqliteStatement final {
public:
    // If it cannot be prepared, every step() says why.
    SqliteStatement(sqlite3* database, std::string_view sql);
    SqliteStatement(const SqliteStatement&) = delete;
    SqliteStatement& operator=(const SqliteStatement&) = delete;
    ~SqliteStatement();

    SqliteStatement& bind(int place, std::int64_t value);
    SqliteStatement& bind(int place, std::string_view blob);
    // SQLITE_ROW, SQLITE_DONE, or the fault.
    [[nodiscard]] int step();
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] std::string blob(int column) const;
    // Ready for the next use; a statement left in the middle of its rows keeps a lock.
    void reset();
    // step() and reset(): for statements without rows.
    [[nodiscard]] int run();

private:
    int prepared_ = SQLITE_MISUSE;
    sqlite3_stmt* statement_ = nullptr;
};

// One connection. Not for several threads at once.
class SqliteFile final {
public:
    // Opens or creates the file, readable by its owner only, with a write-ahead log. A file that is
    // no database of ours (`version`, PRAGMA user_version) is replaced by an empty one.
    // INTERNAL_ERROR if that is impossible: no folder, no permission, no space, or another process
    // that is opening it takes longer than `busy_timeout`.
    [[nodiscard]] static Result<std::unique_ptr<SqliteFile>> open(
        const std::string& path, int version, std::string_view schema,
        std::chrono::milliseconds busy_timeout);
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;
    ~SqliteFile();

    [[nodiscard]] sqlite3* handle() const noexcept { return database_; }
    // Whether `path` is still the file that was opened: it may have been deleted or replaced, and
    // what is written here then goes nowhere.
    [[nodiscard]] bool in_place() const noexcept;
    // What SQLite says about the last fault.
    [[nodiscard]] std::string message() const;

    // Removes the file, its log and its index, unless another process has already replaced it or
    // is about to.
    void remove() const;

private:
    explicit SqliteFile(std::string path) : path_(std::move(path)) {}
    [[nodiscard]] int prepare(int version, std::string_view schema,
                              std::chrono::milliseconds busy_timeout);

    const std::string path_;
    sqlite3* database_ = nullptr;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

// Whether a fault means that the file itself is bad, not the moment (a lock, a full disk).
[[nodiscard]] bool is_damage(int code) noexcept;

}  // namespace jobforge::connect
