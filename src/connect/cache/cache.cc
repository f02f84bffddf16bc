#include "connect/cache/cache.h"

#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/text/bytes.h"
#include "connect/cache/sqlite_file.h"

namespace jobforge::connect {

namespace {

constexpr int kVersion = 1;
constexpr std::uint64_t kLargestShare = 8;  // of the whole, for one entry

// Keys are blobs: any bytes, compared as bytes.
constexpr std::string_view kSchema =
    "create table entries (key blob not null unique, body blob not null, "
    "checksum blob not null, stored_at integer not null, expires_at integer not null); "
    "create index entries_by_age on entries (stored_at); "
    "create index entries_by_expiry on entries (expires_at);";

constexpr std::string_view kGet =
    "select body, checksum, stored_at, expires_at from entries where key = ?1";
constexpr std::string_view kPut =
    "insert or replace into entries (key, body, checksum, stored_at, expires_at) "
    "values (?1, ?2, ?3, ?4, ?5)";
constexpr std::string_view kForget = "delete from entries where key = ?1";
constexpr std::string_view kForgetExpired =
    "delete from entries where rowid in "
    "(select rowid from entries where expires_at <= ?1 order by expires_at limit 64)";
constexpr std::string_view kForgetOldest =
    "delete from entries where rowid in (select rowid from entries order by stored_at limit 8)";
constexpr std::string_view kPages =
    "select (select page_count from pragma_page_count) - "
    "(select freelist_count from pragma_freelist_count), "
    "(select page_size from pragma_page_size)";

// Over everything that an answer depends on, so that no damage to a row is taken for an entry.
std::string checksum(std::string_view key, std::string_view body, std::int64_t stored_at,
                     std::int64_t expires_at) {
    const Sha256 of_body = sha256(body);
    const Sha256 digest =
        sha256(fmt::format("{} {} {} {} ", stored_at, expires_at, key.size(), hex_encode(of_body))
                   .append(key));
    return std::string(bytes_of(digest));
}

Error not_kept(std::string why) {
    return Error::of(ErrorCode::INTERNAL_ERROR,
                     fmt::format("the answer was not kept in the cache: {}", why));
}

}  // namespace

// The open file with its statements.
class ResponseCache::Store final {
public:
    explicit Store(std::unique_ptr<SqliteFile> file)
        : file_(std::move(file)),
          begin_(file_->handle(), "begin immediate"),
          commit_(file_->handle(), "commit"),
          rollback_(file_->handle(), "rollback"),
          get_(file_->handle(), kGet),
          put_(file_->handle(), kPut),
          forget_(file_->handle(), kForget),
          forget_expired_(file_->handle(), kForgetExpired),
          forget_oldest_(file_->handle(), kForgetOldest),
          forget_all_(file_->handle(), "delete from entries"),
          pages_(file_->handle(), kPages) {}

    [[nodiscard]] const SqliteFile& file() const noexcept { return *file_; }

    // SQLITE_ROW with the bytes, SQLITE_DONE without an entry that holds, or the fault. The clock
    // is read after the row: one that a neighbour stored meanwhile would seem to be of the future.
    [[nodiscard]] int get(std::string_view key, const CacheClock& clock, std::string& bytes) {
        int code = get_.bind(1, key).step();
        if (code == SQLITE_ROW) {
            bytes = get_.blob(0);
            const std::string sum = get_.blob(1);
            const std::int64_t stored_at = get_.integer(2);
            const std::int64_t expires_at = get_.integer(3);
            const std::int64_t now = clock().time_since_epoch().count();
            if (sum != checksum(key, bytes, stored_at, expires_at)) {
                code = SQLITE_CORRUPT;
            } else if (stored_at > now || expires_at <= now) {
                code = SQLITE_DONE;
            }
        }
        get_.reset();
        return code;
    }

    [[nodiscard]] int put(std::string_view key, std::string_view bytes, std::int64_t now,
                          std::int64_t expires_at, std::uint64_t max_bytes) {
        return in_transaction([&] {
            if (const int code = forget_expired_.bind(1, now).run(); code != SQLITE_DONE) {
                return code;
            }
            const std::string sum = checksum(key, bytes, now, expires_at);
            put_.bind(1, key).bind(2, bytes).bind(3, sum).bind(4, now).bind(5, expires_at);
            const int code = put_.run();
            return code == SQLITE_DONE ? shrink_to(max_bytes) : code;
        });
    }

    [[nodiscard]] int forget(std::string_view key) {
        return in_transaction([&] { return forget_.bind(1, key).run(); });
    }
    [[nodiscard]] int forget_all() {
        return in_transaction([&] { return forget_all_.run(); });
    }

private:
    template <typename Work>
    int in_transaction(const Work& work) {
        int code = begin_.run();
        if (code != SQLITE_DONE) {
            return code;
        }
        code = work();
        if (code == SQLITE_DONE) {
            code = commit_.run();
        }
        if (code != SQLITE_DONE) {
            (void)rollback_.run();
        }
        return code;
    }

    // Pages in use, counted by SQLite itself: rows, keys and all that is around them.
    int shrink_to(std::uint64_t max_bytes) {
        while (true) {
            const int code = pages_.step();
            const auto used = static_cast<std::uint64_t>(pages_.integer(0) * pages_.integer(1));
            pages_.reset();
            if (code != SQLITE_ROW) {
                return code;
            }
            if (used <= max_bytes) {
                return SQLITE_DONE;
            }
            const int forgotten = forget_oldest_.run();
            if (forgotten != SQLITE_DONE) {
                return forgotten;
            }
            if (sqlite3_changes(file_->handle()) == 0) {
                return SQLITE_DONE;  // empty, and still larger than a limit that is too small
            }
        }
    }

    std::unique_ptr<SqliteFile> file_;
    SqliteStatement begin_, commit_, rollback_, get_, put_, forget_, forget_expired_,
        forget_oldest_, forget_all_, pages_;
};

ResponseCache::ResponseCache(CacheOptions options) : options_(std::move(options)) {
    if (!options_.clock) {
        options_.clock = [] {
            return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
        };
    }
}

ResponseCache::~ResponseCache() = default;

Status ResponseCache::run(const std::function<int(Store&)>& work) {
    const std::lock_guard lock(mutex_);
    for (bool again = true;; again = false) {
        if (store_ && !store_->file().in_place()) {
            store_.reset();
        }
        if (!store_) {
            auto file = SqliteFile::open(options_.path, kVersion, kSchema, options_.busy_timeout);
            if (!file.ok()) {
                return std::move(file).error();
            }
            store_ = std::make_unique<Store>(*std::move(file));
        }
        const int code = work(*store_);
        if (code == SQLITE_DONE || code == SQLITE_ROW) {
            return ok_status();
        }
        const std::string why = sqlite3_errstr(code);
        if (!is_damage(code)) {
            return not_kept(why);
        }
        store_->file().remove();
        store_.reset();
        if (!again) {
            return not_kept(why);
        }
    }
}

std::optional<std::string> ResponseCache::get(std::string_view key) {
    std::optional<std::string> found;
    const Status status = run([&](Store& store) {
        std::string bytes;
        const int code = store.get(key, options_.clock, bytes);
        found = code == SQLITE_ROW ? std::optional(std::move(bytes)) : std::nullopt;
        return code;
    });
    return status.ok() ? found : std::nullopt;
}

Status ResponseCache::put(std::string_view key, std::string_view bytes,
                          std::chrono::milliseconds ttl) {
    if (key.size() + bytes.size() > options_.max_bytes / kLargestShare) {
        return not_kept("it is too large");
    }
    const std::int64_t now = options_.clock().time_since_epoch().count();
    return run([&](Store& store) {
        return ttl.count() > 0 ? store.put(key, bytes, now, now + ttl.count(), options_.max_bytes)
                               : store.forget(key);
    });
}

Status ResponseCache::purge() {
    return run([](Store& store) { return store.forget_all(); });
}

}  // namespace jobforge::connect
