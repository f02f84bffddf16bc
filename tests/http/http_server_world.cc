#include "http_server_world.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>

#include <fmt/format.h>

#include <jobforge/json.h>

#include "wait_until.h"

namespace jobforge::test {

namespace {

using http::Plan;
using http::Request;
using http::RequestHead;
using http::Response;

// Digits of a counter: no run of them repeats soon, but all are text.
std::string large_body(std::size_t size) {
    std::string body;
    for (std::uint64_t i = 0; body.size() < size; ++i) {
        body += std::to_string(i * 2654435761U);
    }
    body.resize(size);
    return body;
}

Plan plan(const RequestHead& head) {
    if (head.path == "/now") {
        Response response;
        response.body = "now";
        Plan plan;
        plan.answer_now = response;
        plan.route_label = "/now";
        return plan;
    }
    for (const char* path : {"/echo", "/large", "/wait", "/throw", "/throw-int", "/bad-header",
                             "/empty", "/png", "/etag"}) {
        if (head.path == path) {
            Plan plan;
            plan.body_limit = kBodyLimit;
            plan.route_label = path;
            return plan;
        }
    }
    Plan plan;
    plan.answer_now =
        error_response(Error::of(ErrorCode::NOT_FOUND, "there is no such path"), head);
    return plan;
}

Response handle(Request& request, Gate& gate) {
    Response response;
    response.body = fmt::format("{} {} {}", request.method, request.path, request.body);
    const std::string& path = request.path;
    if (path == "/throw") {
        throw std::runtime_error("pl4nted-s3cret");
    }
    if (path == "/throw-int") {
        throw 7;
    }
    if (path == "/wait") {
        gate.pass();
    } else if (path == "/bad-header") {
        set_header(response, "X-Injected", "a\r\nSet-Cookie: b");
    } else if (path == "/empty") {
        response.status = 204;
    } else if (path == "/large" || path == "/png" || path == "/etag") {
        response.body =
            large_body(std::strtoull(request.query_value("n").value_or("").c_str(), nullptr, 10));
        response.content_type = path == "/png" ? "image/png" : "application/json";
    }
    if (path == "/etag") {
        set_header(response, "ETag", "\"abc\"");
        set_header(response, "Cache-Control", "private, immutable");
    }
    return response;
}

class FunctionExchange final : public http::Exchange {
public:
    FunctionExchange(const WorldOptions& functions, Request& request)
        : functions_(functions), request_(request) {}
    [[nodiscard]] std::optional<Response> admit() override { return functions_.admit(request_); }
    [[nodiscard]] std::unique_ptr<http::PendingAnswer> begin() override {
        return functions_.begin(request_);
    }
    [[nodiscard]] Response handle() override { return functions_.handle(request_); }
    void observe(const http::Observation& observation) override { functions_.observe(observation); }

private:
    const WorldOptions& functions_;
    Request& request_;
};

}  // namespace

http::Plan FunctionApplication::plan(http::Request& request) {
    http::Plan plan = functions_.plan(request);
    plan.exchange = std::make_unique<FunctionExchange>(functions_, request);
    plan.asks_admission = functions_.admit != nullptr;
    plan.may_begin = functions_.begin != nullptr;
    return plan;
}

void FunctionApplication::observe(const http::Observation& observation) {
    functions_.observe(observation);
}

void Gate::pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
}

void Gate::open() {
    const std::lock_guard guard(mutex_);
    open_ = true;
    changed_.notify_all();
}

bool Gate::wait_for(int handlers) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return waiting_ >= handlers; });
}

void Witness::observe(const http::Observation& observation) {
    const std::lock_guard guard(mutex_);
    seen_.push_back({std::string(observation.method), std::string(observation.route_label),
                     observation.status, observation.seconds});
}

void Witness::write(const LogRecord& record) noexcept {
    const std::lock_guard guard(mutex_);
    log_.append(record.message);
    for (const auto& [name, value] : record.fields) {
        log_.append(" ").append(name).append("=").append(value.dump());
    }
    log_ += '\n';
}

std::vector<Witness::Seen> Witness::seen() const {
    const std::lock_guard guard(mutex_);
    return seen_;
}

std::string Witness::log() const {
    const std::lock_guard guard(mutex_);
    return log_;
}

HttpServerWorld::HttpServerWorld(const Change& change) {
    WorldOptions options;
    options.plan = plan;
    options.handle = [this](Request& request) { return handle(request, gate); };
    options.observe = [seen = witness](const http::Observation& o) { seen->observe(o); };
    options.log = Logger(witness);
    options.handler_threads = 2;
    if (change) {
        change(options);
    }
    application = std::make_unique<FunctionApplication>(options);
    server = std::move(http::Server::start(*application, std::move(options))).value();
}

HttpServerWorld::~HttpServerWorld() {
    gate.open();
}

HttpReply HttpServerWorld::ask(std::string_view target, std::string_view headers,
                               std::string_view method, std::string_view body) const {
    HttpConnection connection(port());
    connection.send(
        request_text(method, target, fmt::format("Connection: close\r\n{}", headers), body));
    return connection.receive();
}

std::string request_text(std::string_view method, std::string_view target, std::string_view headers,
                         std::string_view body) {
    const std::string length =
        body.empty() ? "" : fmt::format("Content-Length: {}\r\n", body.size());
    return fmt::format("{} {} HTTP/1.1\r\nHost: x\r\n{}{}\r\n{}", method, target, headers, length,
                       body);
}

std::string header_of(const HttpReply& reply, std::string_view name) {
    const std::size_t at = reply.header.find(fmt::format("\r\n{}: ", name));
    if (at == std::string::npos) {
        return "";
    }
    const std::size_t begin = at + name.size() + 4;
    return reply.header.substr(begin, reply.header.find("\r\n", begin) - begin);
}

std::string error_code_of(const HttpReply& reply) {
    const auto json = Json::parse(reply.body);
    const Json* error = json.ok() ? json->find("error") : nullptr;
    if (error == nullptr || error->as_object() == nullptr || error->as_object()->size() != 4 ||
        error->find("details") == nullptr || error->find("message") == nullptr ||
        error->find("correlation_id") == nullptr || error->find("code") == nullptr) {
        return "no envelope: " + reply.body;
    }
    if (*error->find("correlation_id")->as_string() != header_of(reply, "X-Correlation-Id")) {
        return "not the header's correlation id: " + reply.body;
    }
    return *error->find("code")->as_string();
}

}  // namespace jobforge::test
