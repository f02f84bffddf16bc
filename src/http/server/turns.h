// One thing at a time, on any thread: what a strand does, except that a thread that finds no other
// at work may work at once, on its own thread. A handler that has its answer writes it so, and no
// I/O thread is woken to do it.
//
// Threads: all members from any thread.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace jobforge::http {

class Turns final {
public:
    using Turn = std::function<void()>;

    // Queues a turn. True if no thread is at work: then the caller must have run() called, once,
    // from wherever the turn should be.
    [[nodiscard]] bool add(Turn turn);

    struct Done {
        bool more = false;         // turns are left, no thread is at work: as after add()
        std::exception_ptr fault;  // the first that a turn threw; the others were done nevertheless
    };
    // Instead of run(), if the caller cannot have it called: the next caller of add() must.
    void give_back();
    // Does what is queued and what is queued meanwhile, in order. Not for ever: after kMost turns
    // the caller should do something else first.
    [[nodiscard]] Done run();

    static constexpr std::size_t kMost = 32;

private:
    std::mutex mutex_;
    std::vector<Turn> queued_;
    bool taken_ = false;  // a thread is at work, or was asked to be
};

}  // namespace jobforge::http
