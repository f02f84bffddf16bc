// An HTTP server with a small table of paths, for tests that look at the server and not at routes.
//
//   GET  /now          answered by plan(), without handler thread
//   any  /echo         "METHOD path body"; bodies up to kBodyLimit
//   GET  /large?n=N    N bytes that do not repeat soon, application/json
//   GET  /wait         waits for Gate::open()
//   GET  /throw, /throw-int, /bad-header, /empty (204), /png?n=N, /etag
// Everything else is a 404 of plan().
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/server/http_server.h"
#include "http_client.h"

namespace jobforge::test {

inline constexpr std::uint64_t kBodyLimit = 1 << 20;

// Handlers that wait in it, and the test that lets them go. Threads: any.
class Gate final {
public:
    void pass();
    void open();
    // True once so many handlers have come to it.
    [[nodiscard]] bool wait_for(int handlers);

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    int waiting_ = 0;
    bool open_ = false;
};

// What the server told about itself. Threads: any.
class Witness final : public LogSink {
public:
    struct Seen {
        std::string method, route_label;
        int status = 0;
        double seconds = 0;
    };
    void observe(const http::Observation& observation);
    void write(const LogRecord& record) noexcept override;
    [[nodiscard]] bool enabled(LogLevel) const noexcept override { return true; }
    [[nodiscard]] std::vector<Seen> seen() const;
    // All log lines with their fields, joined.
    [[nodiscard]] std::string log() const;

private:
    mutable std::mutex mutex_;
    std::vector<Seen> seen_;
    std::string log_;
};

// What a server is made of, its application as functions: a test changes one of them. `begin` and
// `admit` may be empty.
struct WorldOptions : http::ServerOptions {
    std::function<http::Plan(const http::RequestHead&)> plan;
    std::function<http::Response(http::Request&)> handle;
    std::function<std::unique_ptr<http::PendingAnswer>(http::Request&)> begin;
    std::function<std::optional<http::Response>(http::Request&)> admit;
    std::function<void(const http::Observation&)> observe;
};

class FunctionApplication final : public http::Application {
public:
    explicit FunctionApplication(WorldOptions functions) : functions_(std::move(functions)) {}
    [[nodiscard]] http::Plan plan(http::Request& request) override;
    void observe(const http::Observation& observation) override;

private:
    const WorldOptions functions_;
};

class HttpServerWorld final {
public:
    using Change = std::function<void(WorldOptions&)>;
    explicit HttpServerWorld(const Change& change = {});
    ~HttpServerWorld();  // opens the gate

    [[nodiscard]] int port() const { return server->port(); }
    // One request on a connection of its own that ends with the answer.
    [[nodiscard]] HttpReply ask(std::string_view target, std::string_view headers = {},
                                std::string_view method = "GET", std::string_view body = {}) const;

    Gate gate;
    std::shared_ptr<Witness> witness = std::make_shared<Witness>();
    std::unique_ptr<FunctionApplication> application;
    std::unique_ptr<http::Server> server;  // destroyed before its application
};

// A request's text; with a Content-Length if it has a body.
[[nodiscard]] std::string request_text(std::string_view method, std::string_view target,
                                       std::string_view headers = {}, std::string_view body = {});
// The value of a header of an answer; "" if it is absent.
[[nodiscard]] std::string header_of(const HttpReply& reply, std::string_view name);
// The envelope's code, if it is one to the last member; else what is wrong.
[[nodiscard]] std::string error_code_of(const HttpReply& reply);

}  // namespace jobforge::test
