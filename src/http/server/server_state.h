// What all sessions of a server share. Lives as long as the longest of them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "http/server/body_budget.h"
#include "http/server/http_server.h"
#include "http/server/work_queue.h"

namespace jobforge::http {

class Session;

// The open sessions. Threads: any.
class SessionRegistry final {
public:
    void add(const std::shared_ptr<Session>& session);
    void remove(const Session* session);
    [[nodiscard]] std::size_t size() const;
    // Called without the lock, for those that are alive.
    void for_each(const std::function<void(Session&)>& visit);
    // False if there still are some at the deadline.
    [[nodiscard]] bool wait_until_empty(std::chrono::steady_clock::time_point deadline);

private:
    mutable std::mutex mutex_;
    std::condition_variable emptied_;
    std::unordered_map<const Session*, std::weak_ptr<Session>> sessions_;
};

struct ServerState {
    ServerState(Application& served, ServerOptions given)
        : application(served),
          options(std::move(given)),
          bodies(options.max_bodies_bytes),
          queue({.threads = options.handler_threads,
                 .limit = options.queue_limit,
                 .shed_after = options.shed_after,
                 .eager = options.eager_handlers,
                 .slots = options.party_slots}) {}

    Application& application;
    const ServerOptions options;
    SessionRegistry sessions;
    BodyBudget bodies;
    std::atomic<bool> draining = false;
    WorkQueue queue;  // last: its threads use the others
};

}  // namespace jobforge::http
