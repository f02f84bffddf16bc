// Housekeeping that every worker does, without a leader: the functions lock what they take, so that
// any number of workers share the work. On a connection of its own; errors are logged and tried
// again.
//
// | what                                | every                                        |
// |-------------------------------------|----------------------------------------------|
// | take back expired leases            | 1 s, or 20 times what it cost, at most 10 s  |
// | enqueue what is due in schedules    | 1 s                                          |
// | end sessions of frozen clients      | 1 s                                          |
// | fold counters                       | 10 s                                         |
// | prune finished jobs past retention  | 60 s, at once again while batches are full   |
// | prune silent workers                | 10 min                                       |
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "engine/worker/db_session.h"

namespace jobforge::engine {

// How long a worker's session may wait for its client in the middle of a statement: what it holds
// must be free within one lease.
[[nodiscard]] inline std::chrono::seconds frozen_after(std::chrono::seconds lease) {
    return std::clamp(lease / 2, std::chrono::seconds(1), std::chrono::seconds(15));
}

class Maintenance final {
public:
    // `frozen` is when a session that waits for its client counts as frozen: frozen_after(lease).
    Maintenance(pg::ConnectOptions connect, std::chrono::seconds frozen, DbHealth& health);
    ~Maintenance();  // stop()
    void start();
    void stop();
    void tell_to_stop() noexcept { signal_.stop(); }  // the first half of stop()

private:
    struct Task {
        const pg::Statement& statement;
        std::chrono::milliseconds interval;
        std::chrono::milliseconds longest;  // when it is expensive
        int full_batch;  // an answer of this much means that there is more; 0: never
        pg::Params params = {};
        Clock::time_point due{};
    };
    void run();
    [[nodiscard]] Status run_due(pg::Connection& connection);
    [[nodiscard]] Status run_task(pg::Connection& connection, Task& task);

    Signal signal_;
    DbSession session_;
    std::vector<Task> tasks_;
    std::thread thread_;
};

}  // namespace jobforge::engine
