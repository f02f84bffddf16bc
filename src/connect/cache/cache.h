// Answers worth keeping for a while, in one SQLite file.
//
// A cache may lose entries, and must never give a wrong one or fail its caller: whatever happens to
// the file (deleted, cut short, overwritten with rubbish, locked for too long, on a full disk) a
// look-up is a miss and the work goes on; a file that is not a database any more is replaced. A
// crash in the middle of a write leaves the old entry or the new one (SQLite's write-ahead log),
// and a checksum kept with each body turns silent damage into a miss.
//
// One file serves any number of threads and processes. Threads of one process share a connection
// under a mutex; processes meet in SQLite's own locks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge::connect {

using CacheClock = std::function<std::chrono::sys_time<std::chrono::milliseconds>()>;

struct CacheOptions {
    // The database file; its folder must exist. "-wal" and "-shm" stand beside it.
    std::string path;
    // The database's pages in use (64 KiB are empty tables); beyond, what was stored longest ago is
    // forgotten. A single entry of more than an eighth of it is not kept at all.
    std::uint64_t max_bytes = std::uint64_t{64} << 20;
    // How long another process's write is waited for; then the call is a miss.
    std::chrono::milliseconds busy_timeout{2'000};
    // Empty: the system's clock.
    CacheClock clock;
};

class ResponseCache final {
public:
    // Opens nothing yet.
    explicit ResponseCache(CacheOptions options);
    ResponseCache(const ResponseCache&) = delete;
    ResponseCache& operator=(const ResponseCache&) = delete;
    ~ResponseCache();

    // The bytes put under exactly this key, unless they have expired; nullopt otherwise, and on any
    // trouble. An entry "stored in the future" (the clock was set back) is a miss.
    [[nodiscard]] std::optional<std::string> get(std::string_view key);
    // Replaces what was there. `ttl` of 0 or less forgets the key. INTERNAL_ERROR says why nothing
    // was kept: worth a log line, never a failed job. What was there before may still be there.
    Status put(std::string_view key, std::string_view bytes, std::chrono::milliseconds ttl);
    // Forgets everything.
    Status purge();

private:
    class Store;
    // Opens the file if need be, runs `work` (which answers with a code of SQLite), and once more
    // on a new file if it was damaged.
    Status run(const std::function<int(Store&)>& work);

    CacheOptions options_;
    std::mutex mutex_;
    std::unique_ptr<Store> store_;  // under mutex_; null until the first use
};

}  // namespace jobforge::connect
