#include "cli/signals.h"

#include <unistd.h>

#include <csignal>

namespace jobforge::cli {

namespace {

sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

}  // namespace

Signals::Signals() {
    const sigset_t set = stop_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int Signals::wait() const {
    const sigset_t set = stop_signals();
    int signal = 0;
    while (sigwait(&set, &signal) != 0) {
    }
    return signal;
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
