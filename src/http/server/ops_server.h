// The worker's own port: metrics for Prometheus and health for an orchestrator.
//
//   GET /metrics, /v1/metrics            text/plain; version=0.0.4
//   GET /health/live, /v1/health/live    {"status":"ok","checks":{}}: 503 means restart me
//   GET /health/ready, /v1/health/ready  {"status":"unavailable","checks":{"database":false}}: 503
//                                        means send me no work
//   HEAD answers like GET without the body; other methods get 405, other paths 404, both with the
//   envelope {"error":{"code","message","correlation_id","details"}}.
//
// It has no login: it listens on 127.0.0.1 unless told otherwise, and tells no secrets. A client
// gets one answer per connection: a scrape every 15 s gains nothing from keeping it, and a closed
// connection cannot hold one of the few places. Slow, silent and oversized requests are cut off.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/log.h>

namespace jobforge::http {

struct OpsServerOptions {
    std::string address = "127.0.0.1";  // an IP address; 0.0.0.0 or :: for all
    int port = 0;                       // 0: a free one, see OpsServer::port()

    // Called on the server's threads, several at a time; should answer within a second. An
    // exception becomes a 500 that shows nothing of it (the log does). All three are required.
    std::function<std::string()> metrics;
    std::function<bool()> live;
    // Each check's name and whether it holds; ready if all do.
    std::function<std::vector<std::pair<std::string, bool>>()> ready;
    // Told about exceptions and a listener in trouble. Must not throw. May be empty.
    std::function<void(LogLevel, std::string_view)> log;

    int threads = 2;  // 1..64; two, so that a slow scrape does not fail the liveness
    std::size_t max_connections = 64;                // further ones are closed at once
    std::chrono::milliseconds read_timeout{5000};    // for the whole request
    std::chrono::milliseconds write_timeout{10000};  // for the whole answer
    std::uint32_t max_header_bytes = 8192;
    std::uint64_t max_body_bytes = 4096;  // no request needs one; a small one is read and ignored
};

// Threads: port() and stop() from any thread; not stop() from a callback.
class OpsServer final {
public:
    // Listens and serves. VALIDATION_ERROR for bad options, INTERNAL_ERROR if the address cannot be
    // listened on (in use, not ours, not allowed); the message says which.
    [[nodiscard]] static Result<std::unique_ptr<OpsServer>> start(OpsServerOptions options);

    OpsServer(const OpsServer&) = delete;
    OpsServer& operator=(const OpsServer&) = delete;
    ~OpsServer();  // stop()

    // The port it listens on.
    [[nodiscard]] int port() const noexcept { return port_; }
    // Closes everything; waits only for callbacks that are running. May be repeated.
    void stop();

private:
    class Listener;
    explicit OpsServer(std::unique_ptr<Listener> listener);
    int port_;
    std::mutex mutex_;
    std::unique_ptr<Listener> listener_;
};

}  // namespace jobforge::http
