// Refused log-ins, told after their answers: to the audit log of the key's tenant and to our log.
//
// The answer does not wait for it. A key that exists has a tenant, in whose log the try is written,
// and a key that does not exist does not: the time of that write would tell them apart. One thread
// writes, with one connection; what comes while too much waits is counted only.
//
// Threads: add() from any; it does not block. Ends in the destructor, which writes what waits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <jobforge/log.h>

#include "api/access/rate_limit.h"
#include "pg/pool.h"

namespace jobforge::api {

struct RefusedLogIn {
    std::string key_id;
    std::string route;   // "GET /v1/jobs"
    std::string reason;  // "UNAUTHORIZED"
    std::string address;
};

struct RefusalNotesOptions {
    std::size_t most_waiting = 256;
    std::chrono::milliseconds log_every{10'000};  // lines about refused log-ins
};

class RefusalNotes final {
public:
    using Exists = std::function<bool(const std::string& key_id)>;

    // `exists` says whether a key is known to exist; others have no audit log.
    RefusalNotes(pg::Pool& pool, Logger log, Exists exists, RefusalNotesOptions options = {});
    RefusalNotes(const RefusalNotes&) = delete;
    RefusalNotes& operator=(const RefusalNotes&) = delete;
    ~RefusalNotes();

    void add(RefusedLogIn refused);

private:
    void work();
    void write(const RefusedLogIn& refused);
    void count(const RefusedLogIn& refused);
    void tell();

    pg::Pool& pool_;
    const Logger log_;
    const Exists exists_;
    const RefusalNotesOptions options_;
    RateLimit
        audited_;  // events of one key, so that a wrong key is not told as fast as it is tried

    // Of the thread.
    std::chrono::steady_clock::time_point told_at_;
    std::uint64_t refused_ = 0;  // not told yet
    std::string address_;        // of the last

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<RefusedLogIn> waiting_;
    std::uint64_t dropped_ = 0;
    bool stopping_ = false;
    std::thread thread_;  // last: it uses the others
};

}  // namespace jobforge::api
