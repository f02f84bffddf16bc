// The threads that may block, and the one bounded queue before them.
//
// Bounded in number, because memory is, and in time: work that could only begin after its client
// has given up is refused while refusing is still cheap.
//
// Work goes to one thread, the last that became idle, and no other is woken for it. Only a few at a
// time, the eager ones, get some at once: short work soon finds one of them free, and the
// processors switch less. More join for work that has waited a little, so that a few slow requests
// do not hold up the others. (Two cores, ten connections that read, medians of eight runs in turn:
// 4,400 answers a second and 2.7 context switches for each if ten threads may begin at once, 5,400
// and 1.8 if four may, 4,400 if two.)
//
// Parties. Work may be for a party, such as a tenant, and then takes one of a number of slots while
// it runs. No party can take them all: it may take another one only while it holds fewer than twice
// as many as are free, so that alone it gets two thirds of them, and the last quarter is for those
// that hold none. If all work of a party hangs, such as on a lock that it holds itself, the others
// go on. What a party may not begin now waits in its own line; the limits above are those of each
// line. Among lines the one whose party holds the fewest slots goes first, then the one that has
// waited longest. Work of no party needs a thread only: give the queue more threads than slots.
//
// Threads: all members from any thread, but stop() and the destructor not from work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

namespace jobforge::http {

struct WorkQueueOptions {
    int threads = 8;
    std::size_t limit = 256;                     // waiting in one line, not yet begun
    std::chrono::milliseconds shed_after{1000};  // refuse while its oldest has waited longer
    std::size_t eager = 8;                       // more begin only for work that has waited
    std::chrono::milliseconds patience{10};      // so long
    std::size_t slots = 0;                       // of all parties; 0: they are not limited
};

class WorkQueue final {
public:
    using Work = std::function<void()>;  // must not throw

    explicit WorkQueue(WorkQueueOptions options);
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;
    ~WorkQueue();  // stop()

    // False, and the work is dropped, if the party's line is full or stuck, or the queue stopped.
    // "": for no party.
    [[nodiscard]] bool push(Work work, std::string_view party = {});
    // A slot for work that needs none of our threads, to be given back. False: not now, also if
    // work of the party waits already.
    [[nodiscard]] bool try_take(std::string_view party);
    void give_back(std::string_view party);
    // From work: what it does is for another party from now on. False: that one may not begin
    // anything now, and nothing has changed.
    [[nodiscard]] bool move_to(std::string_view party);
    // Whether the party waits for its own work to end while others could begin.
    [[nodiscard]] bool is_held_back(std::string_view party) const;

    [[nodiscard]] std::size_t waiting() const;
    [[nodiscard]] std::size_t running() const;
    // Drops what waits, waits for what runs. May be repeated.
    void stop();

private:
    using Clock = std::chrono::steady_clock;
    struct Waiting {
        Clock::time_point since;
        Work work;
    };
    struct Party {
        bool limited = false;  // it has a name, and there are slots
        std::size_t held = 0;
        std::deque<Waiting> line;
    };
    // A thread, and what it sleeps on. It is woken for work, to watch the lines, or to end.
    struct Worker {
        std::condition_variable woken;
        Work work;  // given to it, not begun
        Party* party = nullptr;
        std::thread thread;
    };
    void serve(Worker& self);
    void run(Worker& self, std::unique_lock<std::mutex>& lock);
    void rest(Worker& self, std::unique_lock<std::mutex>& lock);
    [[nodiscard]] Party& party_of(std::string_view name);
    [[nodiscard]] bool may_take(const Party& party, std::size_t given_up = 0) const;
    void take(Party& party);
    void release(Party& party);
    [[nodiscard]] Party* next_party() const;
    [[nodiscard]] std::optional<Clock::time_point> oldest_of_those_that_may_begin() const;
    [[nodiscard]] Worker* next_watcher();
    [[nodiscard]] Worker* sleeper_for_lines();
    void forget_idle_parties();

    static thread_local Worker* current;  // of the thread that asks; null: it is not ours
    const WorkQueueOptions options_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, Party> parties_;
    std::vector<Party*> lines_;  // of the parties for which work waits
    std::size_t waiting_ = 0;    // in all lines
    std::size_t taken_ = 0;      // slots
    std::vector<Worker*> idle_;  // the last one to become idle is woken first: it is the warmest
    Worker* watcher_ = nullptr;  // keeps an eye on the patience of the oldest
    std::size_t running_ = 0;
    bool stopped_ = false;
    std::mutex joining_;
    std::deque<Worker> workers_;
};

}  // namespace jobforge::http
