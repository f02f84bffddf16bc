// SIGINT and SIGTERM (and SIGHUP, for programs that read their files again) as events that the main
// thread waits for.
//
// The constructor blocks both signals in the calling thread; threads started afterwards inherit
// that, so no handler runs anywhere and nothing has to be async-signal-safe. Make it before any
// thread.
#pragma once

#include <chrono>
#include <functional>

namespace jobforge::cli {

class Signals final {
public:
    enum class Hangup { ends, is_told };
    // Without is_told, SIGHUP ends the process as it always did.
    explicit Signals(Hangup hangup = Hangup::ends);
    // Waits for the next one and returns its number. interrupt() wakes it too, as SIGTERM.
    [[nodiscard]] int wait() const;
    // Signals within this time of the first are the same request: `timeout` signals the program and
    // then its process group, and a supervisor and a terminal may both ask at once.
    static constexpr std::chrono::milliseconds kOneRequest{1000};
    // After wait(): returns when a second request has arrived, or when a signal (interrupt() will
    // do) finds `ended` true.
    void wait_for_second(const std::function<bool()>& ended) const;
    // Whether one has arrived that wait() has not returned yet. For work on the main thread that
    // should end early; wait() still returns it.
    [[nodiscard]] bool arrived() const;
    // From any thread.
    static void interrupt() noexcept;

private:
    Hangup hangup_;
};

}  // namespace jobforge::cli
