// A small HTTP server on loopback for demonstrations and tests: one request after the other, each
// connection closed after its answer. Not for the world: no TLS, no limits but a request's size.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <jobforge/error.h>

namespace jobforge::cli {

class DemoServer final {
public:
    // The whole answer, status line and all, to a whole request. Runs on the server's thread.
    using Answer = std::function<std::string(const std::string& request)>;

    // Listens on a port of 127.0.0.1; 0: a free one. INTERNAL_ERROR with the system's reason.
    [[nodiscard]] static Result<std::unique_ptr<DemoServer>> start(Answer answer, int port = 0);
    DemoServer(const DemoServer&) = delete;
    DemoServer& operator=(const DemoServer&) = delete;
    // Waits for the answer that is being given.
    ~DemoServer();

    // "http://127.0.0.1:PORT" + path
    [[nodiscard]] std::string url(std::string_view path) const;

private:
    DemoServer(int listener, int port, Answer answer);
    void serve(const std::stop_token& stop);

    const int listener_;
    const int port_;
    const Answer answer_;
    std::jthread thread_;
};

// A header's value; the names that we send are known, so their spelling is too.
[[nodiscard]] std::string_view demo_header(std::string_view request, std::string_view name);
// An answer: "200 OK", further headers ("A: b\r\n"), body.
[[nodiscard]] std::string demo_answer(std::string_view status, std::string_view headers = {},
                                      std::string_view body = {});

}  // namespace jobforge::cli
