// Streams of job changes to many clients, out of few looks into the database.
//
// One thread looks for all tenants that have a listener, every `look_every`, and gives what it
// finds to each listener whose filter it passes. A look asks for the rows that were written since
// the look before (sql/functions/jobs/job_changes.sql), so nothing is written for a stream, and a
// tenant without a listener costs nothing. If looks take long they become rarer, up to ten times:
// the thread rests nine times as long as it worked.
//
// What a listener is told is the state of a job after the changes of a moment, not each change: a
// job that was enqueued and finished between two looks is told once, as finished. After a gap (a
// new connection with Last-Event-ID, a database that was away) it is told all that changed in it;
// only what is older than `oldest`, or more than `most_changes` at once, is not listed: the event
// `reset` says that the client should load its lists again.
//
// The key of each listener is checked again every second, in the database: once it is revoked,
// expired or has other rights, its streams end, and the client has to come again.
//
// Threads: all members from any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/log.h>
#include <jobforge/uuid.h>

#include "api/stream_cursor.h"
#include "http/server/event_stream.h"
#include "pg/pool.h"
#include "services/access/key_ring.h"

namespace jobforge::api {

struct JobStreamsOptions {
    std::chrono::milliseconds look_every{400};
    std::chrono::milliseconds check_key_every{1000};
    std::chrono::minutes oldest{10};
    int most_changes = 1000;
    std::size_t streams_per_key = 10;
    std::size_t streams_per_tenant = 50;  // a tenant may have any number of keys
    std::size_t streams = 500;
    // New ones of a tenant in a look: each costs a look of its own for what it missed. The others
    // have their turn in the next looks.
    std::size_t caught_up_per_look = 5;
};

// The changes that a listener asked for; nothing: all.
struct JobFilter {
    std::optional<std::string> type, status;
    std::optional<Uuid> job_id;
};

class JobStreams final {
public:
    // The pool must outlive it; one of its connections is used at a time.
    JobStreams(pg::Pool& pool, Logger log, JobStreamsOptions options = {});
    JobStreams(const JobStreams&) = delete;
    JobStreams& operator=(const JobStreams&) = delete;
    ~JobStreams();  // ends all streams

    // A stream of what changes after `since`. RATE_LIMITED: the key or its tenant has too many;
    // QUEUE_UNAVAILABLE: the server has. The principal has just entered, and may read jobs.
    [[nodiscard]] Result<std::shared_ptr<http::EventStream>> open(services::Principal principal,
                                                                  JobFilter filter,
                                                                  StreamCursor since);
    [[nodiscard]] std::size_t size() const;

private:
    using Clock = std::chrono::steady_clock;
    struct Change {
        Uuid job_id;
        std::string type, status;
        std::int64_t lease_token = 0;
        std::string json;
    };
    struct Look {
        StreamCursor cursor;  // for the next one
        std::vector<Change> changes;
        bool too_many = false;
    };
    struct Listener {
        services::Principal principal;
        JobFilter filter;
        StreamCursor since;  // until it has caught up
        bool caught_up = false;
        Clock::time_point said_at;  // when it last got an id
        std::shared_ptr<http::EventStream> stream;
    };
    using ListenerPtr = std::shared_ptr<Listener>;
    // A tenant that has listeners. Only the thread has it.
    struct Feed {
        std::optional<StreamCursor> cursor;
        std::map<Uuid, std::int64_t> running;  // jobs told as running, with their lease tokens
    };

    // Open streams of its key, or of all keys of its tenant.
    [[nodiscard]] std::size_t count_of(const services::Principal& principal,
                                       bool of_key) const;  // under mutex_
    void work();
    // The listeners of each tenant; those whose stream has ended are forgotten.
    [[nodiscard]] std::map<Uuid, std::vector<ListenerPtr>> listeners();
    void look_for(Feed& feed, const std::vector<ListenerPtr>& listeners);
    // Those whose keys may still listen; the streams of the others are finished.
    [[nodiscard]] std::vector<ListenerPtr> still_allowed(pg::Connection& connection,
                                                         const std::vector<ListenerPtr>& listeners);
    [[nodiscard]] Result<Look> look(pg::Connection& connection,
                                    const services::Principal& principal, const StreamCursor& since,
                                    const std::vector<Uuid>& running);
    [[nodiscard]] bool begin(Feed& feed, pg::Connection& connection,
                             const services::Principal& principal, const Look& found) const;
    // Drops changes that are none (renewed leases) and remembers what runs.
    static void settle(Feed& feed, Look& found);
    void tell(Listener& listener, const Look& found) const;

    pg::Pool& pool_;
    const Logger log_;
    const JobStreamsOptions options_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<ListenerPtr> listeners_;                // under mutex_
    bool stopping_ = false;                             // under mutex_
    std::map<std::string, Clock::time_point> checked_;  // keys; only the thread
    std::thread thread_;                                // the last member: it uses the others
};

}  // namespace jobforge::api
