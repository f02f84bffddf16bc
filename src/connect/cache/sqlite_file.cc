#include "connect/cache/sqlite_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>
#include <utility>

#include <fmt/format.h>

namespace jobforge::connect {

namespace {

// Held while a file is created or removed, so that two processes that find the same damage do not
// remove each other's new file. Bounded: a process that was frozen while it held the lock must not
// stop all others, which can do without a cache.
class FileLock final {
public:
    FileLock(const std::string& path, std::chrono::milliseconds limit)
        : fd_(::open((path + "-lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (fd_ >= 0 && !held_ && std::chrono::steady_clock::now() <= deadline) {
            held_ = ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
            if (!held_) {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
            }
        }
    }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;
    ~FileLock() {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }
    [[nodiscard]] bool held() const noexcept { return held_; }

private:
    int fd_;
    bool held_ = false;
};

Error unusable(const std::string& path, std::string_view why) {
    return Error::of(ErrorCode::INTERNAL_ERROR,
                     fmt::format("the cache {} cannot be used: {}", path, why));
}

bool same_file(const std::string& path, dev_t device, ino_t inode) noexcept {
    struct stat now{};
    return ::stat(path.c_str(), &now) == 0 && now.st_dev == device && now.st_ino == inode;
}

void unlink_all(const std::string& path) {
    for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
        ::unlink((path + ending).c_str());
    }
}

int execute(sqlite3* database, const std::string& sql) {
    return sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
}

// A log without its database belongs to one that was deleted. Called under the lock.
void create_private(const std::string& path) {
    if (::access(path.c_str(), F_OK) != 0) {
        unlink_all(path);
    }
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0) {
        ::close(fd);
    }
}

}  // namespace

bool is_damage(int code) noexcept {
    switch (code & 0xff) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_ERROR:  // our tables are not there, or are others
        case SQLITE_SCHEMA:
        case SQLITE_MISMATCH:  // what should be a key is none
        case SQLITE_CONSTRAINT:
        case SQLITE_FORMAT:
            return true;
        default:
            return false;
    }
}

SqliteStatement::SqliteStatement(sqlite3* database, std::string_view sql) {
    prepared_ = sqlite3_prepare_v3(database, sql.data(), static_cast<int>(sql.size()),
                                   SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
}

SqliteStatement::~SqliteStatement() {
    sqlite3_finalize(statement_);  // takes a null pointer
}

// Faults of binding (no such place, no statement) come back from step().
SqliteStatement& SqliteStatement::bind(int place, std::int64_t value) {
    sqlite3_bind_int64(statement_, place, value);
    return *this;
}

SqliteStatement& SqliteStatement::bind(int place, std::string_view blob) {
    // A null pointer would be NULL, not an empty blob.
    const char* data = blob.data() != nullptr ? blob.data() : "";
    sqlite3_bind_blob64(statement_, place, data, blob.size(), SQLITE_STATIC);
    return *this;
}

int SqliteStatement::step() {
    return prepared_ == SQLITE_OK ? sqlite3_step(statement_) : prepared_;
}

std::int64_t SqliteStatement::integer(int column) const {
    return sqlite3_column_int64(statement_, column);
}

std::string SqliteStatement::blob(int column) const {
    const void* data = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    return data == nullptr
               ? std::string()
               : std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

void SqliteStatement::reset() {
    if (statement_ != nullptr) {
        sqlite3_reset(statement_);
        sqlite3_clear_bindings(statement_);
    }
}

int SqliteStatement::run() {
    const int code = step();
    reset();
    return code;
}

SqliteFile::~SqliteFile() {
    sqlite3_close(database_);
}

int SqliteFile::prepare(int version, std::string_view schema,
                        std::chrono::milliseconds busy_timeout) {
    constexpr int kFlags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    if (const int code = sqlite3_open_v2(path_.c_str(), &database_, kFlags, nullptr);
        code != SQLITE_OK) {
        return code;
    }
    sqlite3_busy_timeout(database_, static_cast<int>(busy_timeout.count()));
    // What stands in the file is data, whatever it claims to be.
    sqlite3_db_config(database_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(database_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    // The log stays when a connection is closed: closing deletes it by its name, and by then that
    // may be the log of the file's successor.
    sqlite3_db_config(database_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    int persist = 1;
    sqlite3_file_control(database_, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
    // NORMAL: a power failure may lose the last entries, never half of one.
    const std::string settings =
        "pragma journal_mode = wal; pragma synchronous = normal; pragma cell_size_check = on; "
        "pragma journal_size_limit = 4194304;";
    if (const int code = execute(database_, settings); code != SQLITE_OK) {
        return code;
    }
    SqliteStatement found(database_, "pragma user_version");
    const int code = found.step();
    const std::int64_t user_version = code == SQLITE_ROW ? found.integer(0) : 0;
    found.reset();
    if (code != SQLITE_ROW || user_version == version) {
        return code == SQLITE_ROW ? SQLITE_OK : code;
    }
    return execute(database_, fmt::format("begin immediate; {} pragma user_version = {}; commit;",
                                          schema, version));
}

Result<std::unique_ptr<SqliteFile>> SqliteFile::open(const std::string& path, int version,
                                                     std::string_view schema,
                                                     std::chrono::milliseconds busy_timeout) {
    const FileLock lock(path, busy_timeout);
    if (!lock.held()) {
        return unusable(path, "its lock file cannot be locked");
    }
    for (bool again = true;; again = false) {
        create_private(path);
        std::unique_ptr<SqliteFile> file(new SqliteFile(path));
        struct stat opened{};
        (void)::stat(path.c_str(), &opened);
        file->device_ = opened.st_dev;
        file->inode_ = opened.st_ino;
        const int code = file->prepare(version, schema, busy_timeout);
        if (code == SQLITE_OK) {
            return file;
        }
        if (!again || !is_damage(code)) {
            return unusable(path, file->message());
        }
        file.reset();
        unlink_all(path);
    }
}

bool SqliteFile::in_place() const noexcept {
    return same_file(path_, device_, inode_);
}

std::string SqliteFile::message() const {
    return database_ != nullptr ? sqlite3_errmsg(database_) : "no memory";
}

void SqliteFile::remove() const {
    const FileLock lock(path_, std::chrono::seconds(1));
    if (lock.held() && in_place()) {
        unlink_all(path_);
    }
}

}  // namespace jobforge::connect
