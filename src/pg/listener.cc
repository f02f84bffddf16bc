#include "pg/listener.h"
#include "statements/session.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

#include <fmt/format.h>

namespace jobforge::pg {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How long nothing may come before the server is asked whether it is still the one: a hung server
// and one that was demoted (the notifications are elsewhere then) say nothing by themselves.
constexpr milliseconds kWaitStep{5'000};

std::string quote_identifier(std::string_view name) {
    std::string quoted = "\"";
    for (const char c : name) {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + "\"";
}

}  // namespace

struct Listener::State {
    explicit State(ListenerOptions the_options)
        : options(std::move(the_options)),
          stop_event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
          random(std::random_device{}()) {
        options.connect.give_up = [this] { return stopping.load(); };
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { ::close(stop_event); }

    void run() {
        milliseconds next_pause = options.min_pause;
        while (!stopping) {
            const auto began = Clock::now();
            const Error error = listen_once();
            connected = false;
            if (stopping) {
                return;
            }
            if (options.on_disconnected) {
                options.on_disconnected(error);
            }
            // Only a connection that lasted proves that the trouble is over.
            if (Clock::now() - began > 2 * next_pause + milliseconds(1000)) {
                next_pause = options.min_pause;
            }
            pause(next_pause);
            next_pause = std::min(next_pause * 2, options.max_pause);
        }
    }

    // One connection, from connect to loss; returns why it ended.
    Error listen_once() {
        auto connection = Connection::connect(options.connect);
        if (!connection.ok()) {
            return connection.error();
        }
        for (const std::string& channel : options.channels) {
            const std::string sql = fmt::format("listen {}", quote_identifier(channel));
            if (auto listening = connection->script("listen", sql); !listening.ok()) {
                return listening.error();
            }
        }
        connected = true;
        if (options.on_connected && !stopping) {
            options.on_connected();
        }
        while (!stopping) {
            auto notification = connection->wait_notification(kWaitStep, stop_event);
            if (!notification.ok()) {
                return notification.error();
            }
            if (stopping) {
                break;
            }
            if (*notification) {
                if (options.on_notification) {
                    options.on_notification(**notification);
                }
                continue;
            }
            auto primary = connection->exec(statements::session::kStillPrimary);
            if (!primary.ok()) {
                return primary.error();
            }
            if (!primary->boolean(0, 0)) {
                Error error = Error::of(ErrorCode::DB_UNAVAILABLE, "the server is read-only now");
                error.connection_lost = true;
                return error;
            }
        }
        return {};
    }

    void pause(milliseconds time) {
        std::uniform_int_distribution<std::int64_t> jitter(0, time.count() / 2);
        pollfd entry{stop_event, POLLIN, 0};
        ::poll(&entry, 1, static_cast<int>(time.count() + jitter(random)));
    }

    ListenerOptions options;
    int stop_event;
    std::mt19937_64 random;
    std::atomic<bool> stopping{false};
    std::atomic<bool> connected{false};
    std::thread thread;
};

Listener::Listener(ListenerOptions options) : state_(std::make_unique<State>(std::move(options))) {
    state_->thread = std::thread([state = state_.get()] { state->run(); });
}

Listener::~Listener() {
    stop();
}

void Listener::stop() {
    if (!state_->thread.joinable()) {
        return;
    }
    state_->stopping = true;
    const std::uint64_t one = 1;
    (void)!::write(state_->stop_event, &one, sizeof one);
    state_->thread.join();
    state_->connected = false;
}

bool Listener::connected() const noexcept {
    return state_->connected;
}

}  // namespace jobforge::pg
