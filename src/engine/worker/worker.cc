#include <jobforge/worker.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <jobforge/try.h>

#include "engine/worker/check_options.h"
#include "engine/worker/default_slots.h"
#include "engine/worker/worker_runtime.h"

namespace jobforge {

namespace {

using engine::JobTypes;
using engine::WorkerRuntime;

std::string default_worker_id() {
    std::array<char, 256> host{};
    ::gethostname(host.data(), host.size() - 1);
    std::random_device random;
    return fmt::format("{}-{}-{:08x}", std::string_view(host.data()).substr(0, 150), ::getpid(),
                       random());
}

}  // namespace

struct Worker::State {
    explicit State(WorkerOptions the_options)
        : options(std::move(the_options)), stop_event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (options.worker_id.empty()) {
            options.worker_id = default_worker_id();
        }
        options.slots = engine::slots_or_default(options.slots);
    }
    ~State() { ::close(stop_event); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    // Waits for request_stop(), which may come from a signal handler, and then drains.
    void supervise() {
        pollfd entry{stop_event, POLLIN, 0};
        while (::poll(&entry, 1, -1) < 1) {
        }
        runtime->drain();
        {
            const std::lock_guard guard(mutex);
            stopped = true;
        }
        ended.notify_all();
    }

    WorkerOptions options;
    JobTypes types;
    const int stop_event;
    std::unique_ptr<WorkerRuntime> runtime;
    std::thread supervisor;
    std::mutex mutex;
    std::condition_variable ended;
    std::atomic<bool> started{false};
    bool stopped = false;
};

Worker::Worker(WorkerOptions options) : state_(std::make_unique<State>(std::move(options))) {}

Worker::~Worker() {
    stop();
    wait();
    if (state_->supervisor.joinable()) {
        state_->supervisor.join();
    }
}

Worker& Worker::on(const std::string& type, Handler handler, TypeOptions options) {
    if (state_->started) {
        throw std::logic_error("Worker::on after start()");
    }
    if (!handler || !state_->types.add(type, std::move(handler), options)) {
        throw std::logic_error("Worker::on: no handler, or a second one, for type " + type);
    }
    return *this;
}

Status Worker::start() {
    if (state_->started) {
        return Error::of(ErrorCode::INVALID_TRANSITION, "the worker was already started");
    }
    JOBFORGE_TRY(engine::check_options(state_->options, state_->types));
    auto runtime = std::make_unique<WorkerRuntime>(state_->options, state_->types);
    JOBFORGE_TRY(runtime->start());
    state_->runtime = std::move(runtime);
    state_->started = true;
    state_->supervisor = std::thread([state = state_.get()] { state->supervise(); });
    return ok_status();
}

Status Worker::run() {
    JOBFORGE_TRY(start());
    wait();
    return ok_status();
}

void Worker::stop() {
    request_stop();
}

void Worker::request_stop() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(state_->stop_event, &one, sizeof one);
}

void Worker::wait() {
    if (state_->started) {
        std::unique_lock lock(state_->mutex);
        state_->ended.wait(lock, [this] { return state_->stopped; });
    }
}

void Worker::wake() noexcept {
    if (state_->started) {
        state_->runtime->wake();
    }
}

const std::string& Worker::worker_id() const noexcept {
    return state_->options.worker_id;
}

WorkerNumbers Worker::numbers() const noexcept {
    return state_->started ? state_->runtime->numbers() : WorkerNumbers{};
}

bool Worker::ready() const noexcept {
    return state_->started && state_->runtime->ready();
}

std::string Worker::metrics_text() {
    return state_->started ? state_->runtime->metrics_text() : std::string();
}

}  // namespace jobforge
