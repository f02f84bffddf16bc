#include "cli/serve/signals.h"

#include <unistd.h>

#include <csignal>

namespace jobforge::cli {

namespace {

sigset_t signals_of(Signals::Hangup hangup) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    if (hangup == Signals::Hangup::is_told) {
        sigaddset(&set, SIGHUP);
    }
    return set;
}

}  // namespace

Signals::Signals(Hangup hangup) : hangup_(hangup) {
    const sigset_t set = signals_of(hangup_);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int Signals::wait() const {
    const sigset_t set = signals_of(hangup_);
    int signal = 0;
    while (sigwait(&set, &signal) != 0) {
    }
    return signal;
}

void Signals::wait_for_second(const std::function<bool()>& ended) const {
    const auto same_until = std::chrono::steady_clock::now() + kOneRequest;
    do {
        (void)wait();
    } while (!ended() && std::chrono::steady_clock::now() < same_until);
}

bool Signals::arrived() const {
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1;
}

void Signals::interrupt() noexcept {
    ::kill(::getpid(), SIGTERM);
}

}  // namespace jobforge::cli
