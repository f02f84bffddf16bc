#include "http/server/asio_warnings.h"
// asio_warnings.h comes first.
#include "http/server/http_server.h"

#include <sys/resource.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/executor_work_guard.hpp>

#include "http/server/http_listener.h"
#include "http/server/http_session.h"
#include "http/server/tls_context.h"

namespace jobforge::http {

namespace {

namespace net = boost::asio;

// What the process needs besides clients: the database, logs, files of the moment.
constexpr std::size_t kSpareDescriptors = 128;

Status check(const ServerOptions& options) {
    const auto refused = [](std::string_view what) {
        return Error::of(ErrorCode::VALIDATION_ERROR, fmt::format("HTTP port: {}", what));
    };
    if (options.port < 0 || options.port > 65535) {
        return refused("the port is 0 to 65535");
    }
    if (options.io_threads < 1 || options.io_threads > 64 || options.handler_threads < 1 ||
        options.handler_threads > 1024) {
        return refused("it needs 1 to 64 I/O threads and 1 to 1024 handler threads");
    }
    if (options.queue_limit == 0 || options.max_connections == 0 || options.max_header_bytes < 64 ||
        options.min_bytes_per_second == 0) {
        return refused("a limit is 0: nothing could be served");
    }
    if (options.tls_certificate_file.empty() != options.tls_key_file.empty()) {
        return refused("TLS needs a certificate file and a key file");
    }
    return ok_status();
}

// Clients must not take the descriptors that the database connections need.
std::size_t affordable_connections(const ServerOptions& options) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
        return options.max_connections;
    }
    const std::size_t others = kSpareDescriptors + options.reserve_connections;
    const std::size_t affordable = std::max<std::size_t>(limit.rlim_cur, others + 1) - others;
    if (affordable < options.max_connections) {
        options.log.warn("fewer connections than configured: raise the limit of open files",
                         {{"connections", std::uint64_t{affordable}},
                          {"open_files", std::uint64_t{limit.rlim_cur}}});
    }
    return std::min(affordable, options.max_connections);
}

ConnectionLimits::Options connection_limits(const ServerOptions& options) {
    const std::size_t all = affordable_connections(options);
    const std::size_t wanted = options.max_connections_per_address;
    return {.all = all,
            .per_address = wanted == 0 ? std::max<std::size_t>(all / 4, 1) : std::min(wanted, all)};
}

}  // namespace

// Stopping does not stop the context but takes its work away: every session ends in its turn, and
// then there is nothing left that could refer to a destroyed context.
class Server::Core final {
public:
    Core(Application& application, ServerOptions options)
        : state_(std::make_shared<ServerState>(application, std::move(options))),
          context_(std::make_shared<net::io_context>(state_->options.io_threads)),
          listener_(
              std::make_shared<Listener>(state_, context_, connection_limits(state_->options))) {}
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;
    ~Core() { stop(); }

    [[nodiscard]] Result<int> listen() {
        if (Status status = load_certificate(); !status.ok()) {
            return std::move(status).error();
        }
        return listener_->listen();
    }

    void run() {
        work_.emplace(context_->get_executor());
        listener_->begin();
        for (int i = 0; i < state_->options.io_threads; ++i) {
            threads_.emplace_back([this] { serve(); });
        }
    }

    [[nodiscard]] Status load_certificate() {
        const ServerOptions& options = state_->options;
        if (options.tls_certificate_file.empty()) {
            return ok_status();
        }
        auto loaded = load_tls_context(options.tls_certificate_file, options.tls_key_file);
        if (!loaded.ok()) {
            return std::move(loaded).error();
        }
        listener_->use_tls(std::move(*loaded));
        return ok_status();
    }

    [[nodiscard]] Load load() const {
        return {state_->sessions.size(), state_->queue.waiting(), state_->queue.running()};
    }

    [[nodiscard]] bool drain(std::chrono::milliseconds limit) {
        if (const std::lock_guard guard(stopping_); threads_.empty()) {
            return true;
        }
        const auto deadline = std::chrono::steady_clock::now() + limit;
        state_->draining = true;
        listener_->stop();
        state_->sessions.for_each([](Session& session) { session.drain(); });
        return state_->sessions.wait_until_empty(deadline);
    }

    void stop() {
        const std::lock_guard guard(stopping_);
        if (threads_.empty()) {
            return;  // no thread would do what is posted, and it would keep the context for ever
        }
        state_->draining = true;  // a connection just accepted ends by itself
        listener_->stop();
        state_->queue.stop();
        state_->sessions.for_each([](Session& session) { session.abort(); });
        work_.reset();
        for (std::thread& thread : threads_) {
            thread.join();
        }
        threads_.clear();
    }

private:
    // Out of memory in one request must not end the program: the connection is lost, we go on.
    void serve() noexcept {
        for (;;) {
            try {
                context_->run();
                return;
            } catch (const std::exception& fault) {
                state_->options.log.error("an I/O thread failed", {{"reason", fault.what()}});
            }
        }
    }

    const std::shared_ptr<ServerState> state_;
    const std::shared_ptr<net::io_context> context_;
    const std::shared_ptr<Listener> listener_;
    std::mutex stopping_;
    std::optional<net::executor_work_guard<net::io_context::executor_type>> work_;
    std::vector<std::thread> threads_;
};

Result<std::unique_ptr<Server>> Server::start(Application& application, ServerOptions options) {
    if (Status status = check(options); !status.ok()) {
        return std::move(status).error();
    }
    try {
        auto core = std::make_unique<Core>(application, std::move(options));
        const Result<int> port = core->listen();
        if (!port.ok()) {
            return port.error();
        }
        core->run();
        return std::unique_ptr<Server>(new Server(std::move(core), *port));
    } catch (const std::system_error& fault) {
        return Error::of(ErrorCode::INTERNAL_ERROR,
                         fmt::format("HTTP port: cannot start its threads: {}", fault.what()));
    }
}

Server::Server(std::unique_ptr<Core> core, int port) : port_(port), core_(std::move(core)) {}

Server::~Server() = default;

Status Server::reload_certificate() {
    return core_->load_certificate();
}

Server::Load Server::load() const {
    return core_->load();
}

bool Server::drain(std::chrono::milliseconds limit) {
    return core_->drain(limit);
}

void Server::stop() {
    core_->stop();
}

}  // namespace jobforge::http
