#include "api/api_request.h"

#include <sys/socket.h>

#include <exception>
#include <utility>

#include "api/answers.h"
#include "api/request_body.h"
#include "api/request_run.h"
#include "services/access/request_calls.h"

namespace jobforge::api {

namespace {

constexpr int kTries = 3;
// Of begin(): more would keep an I/O thread busy with parsing, and may not fit into the socket at
// once.
constexpr std::size_t kMostBody = std::size_t{16} * 1024;

// The transaction that was chosen to end a deadlock has changed nothing, and the others are through
// when it is tried again: two keys that revoke each other wait for each other's requests.
bool was_deadlocked(const Error& error) {
    return error.sqlstate == "40P01";
}

// Reads are tried again. A change is tried again only if it certainly did not commit.
bool worth_another_try(const Error& error, bool only_reads) {
    return error.code == ErrorCode::ACCESS_CHANGED || was_deadlocked(error) ||
           (error.connection_lost && (only_reads || !error.outcome_unknown));
}

}  // namespace

// The executor without a thread: the statement is on its way, and resume() has its rows.
class ApiRequest::Pending final : public http::PendingAnswer {
public:
    Pending(ApiRequest& request, pg::PooledConnection connection)
        : request_(request), connection_(std::move(connection)) {}

    // False: it cannot be asked, or not in this way, and nothing was done.
    [[nodiscard]] bool start() {
        auto call = request_.route().answer.ask(request_.context());
        if (!call.ok()) {
            return false;
        }
        const auto effect =
            request_.is_read() ? services::Effect::reads : services::Effect::changes;
        engine::TenantCall enter = services::enter_request_call(*request_.principal_, effect);
        connection_->queue(enter.statement, std::move(enter.params));
        connection_->queue(call->statement, std::move(call->params));
        return connection_->start_flush().ok();
    }

    [[nodiscard]] int descriptor() const override { return connection_->socket(); }

    [[nodiscard]] State resume(http::Response& response) override {
        auto rows = connection_->take_flushed();
        if (!rows) {
            return State::waiting;
        }
        // A failed statement has done nothing. Of a lost connection that is not known: a read may
        // be asked again.
        if (!rows->ok() && (request_.is_read() || !rows->error().outcome_unknown)) {
            return State::handle;
        }
        response = request_.answer(rows->ok() ? tell(rows->value().back())
                                              : Result<http::Response>(rows->error()));
        return State::ready;
    }

    // A hung server closes nothing: libpq finds the end of the connection at its next read.
    void give_up() noexcept override { (void)::shutdown(connection_->socket(), SHUT_RDWR); }

private:
    [[nodiscard]] Result<http::Response> tell(const pg::Rows& rows) const {
        RequestContext context = request_.context();
        return request_.route().answer.tell(context, rows);
    }

    ApiRequest& request_;
    pg::PooledConnection connection_;
};

ApiRequest::ApiRequest(RequestParts& parts, http::Request& request, RouteMatch match)
    : parts_(parts), request_(request), match_(std::move(match)) {}

RequestContext ApiRequest::context() const {
    return {request_, match_.parameters, parts_.tools, body_, principal_ ? &*principal_ : nullptr};
}

const services::Principal* ApiRequest::recognize() {
    if (request_.header_count("authorization") != 1) {
        return nullptr;
    }
    principal_ = parts_.authenticator.find_remembered(*request_.header("authorization"));
    authenticated_ = principal_.has_value();
    return authenticated_ ? &*principal_ : nullptr;
}

// A broker that is told of new jobs may block.
bool ApiRequest::may_begin(const Route& route, const ApiTools& tools) {
    const bool alone =
        route.work == Work::read || (route.work == Work::change_once && !tools.after_enqueue);
    return alone && route.answer.in_halves() && route.things == nullptr;
}

std::unique_ptr<http::PendingAnswer> ApiRequest::begin() {
    if (!authenticated_ || request_.body.size() > kMostBody ||
        (!is_read() && request_.header_count("idempotency-key") != 0)) {
        return nullptr;
    }
    if (parse() || !enter_at_once()) {
        return nullptr;
    }
    auto connection = parts_.pool.acquire_idle(parts_.other_connections);
    if (!connection) {
        return nullptr;
    }
    auto pending = std::make_unique<Pending>(*this, *std::move(connection));
    return pending->start() ? std::move(pending) : nullptr;
}

http::Response ApiRequest::handle() {
    try {
        if (auto refused = parse()) {
            return *std::move(refused);
        }
        return route().permission ? answer_after(&ApiRequest::try_request, is_read())
                                  : answer_open();
    } catch (const std::exception& thrown) {
        return refusal(Error::of(ErrorCode::INTERNAL_ERROR, thrown.what()));
    }
}

// What memory knows may be behind: it is entered like a request, only that nothing follows.
std::optional<http::Response> ApiRequest::admit() {
    http::Response answer = answer_after(&ApiRequest::try_admission, /*only_reads=*/true);
    has_entered_ = false;
    return answer.status >= 400 ? std::optional(std::move(answer)) : std::nullopt;
}

// A refusal, or nothing: then body_ is what handlers get. Parsed once.
std::optional<http::Response> ApiRequest::parse() {
    if (parsed_) {
        return std::nullopt;
    }
    if (!request_.body.empty() && !route().raw_body && !is_json(request_)) {
        return http::error_response(415, ErrorCode::VALIDATION_ERROR,
                                    "the body must be JSON: Content-Type: application/json",
                                    request_);
    }
    if (route().permission) {
        auto body = body_of(request_, route());
        if (!body.ok()) {
            return refusal(body.error());
        }
        body_ = *std::move(body);
    }
    parsed_ = true;
    return std::nullopt;
}

Status ApiRequest::authenticate() {
    if (!std::exchange(authenticated_, false)) {
        if (request_.header_count("authorization") > 1) {
            return Error::of(ErrorCode::UNAUTHORIZED, "Authorization is given twice");
        }
        auto principal =
            parts_.authenticator.log_in(request_, route(), has_entered_, parts_.clock(), rate_);
        if (!principal.ok()) {
            return std::move(principal).error();
        }
        principal_ = *std::move(principal);
    }
    // A request that has just logged in has a place of those who log in; the rest is its tenant's.
    if (request_.slot != nullptr && !request_.slot->move_to(principal_->tenant_id.to_string())) {
        return Error::of(ErrorCode::RATE_LIMITED, "too many of your requests are under way");
    }
    has_entered_ = true;
    return ok_status();
}

bool ApiRequest::take_rate() {
    if (parts_.key_limit.enabled() && !rate_) {
        rate_ = parts_.key_limit.take(principal_->key_id, parts_.clock());
    }
    return !rate_ || rate_->allowed;
}

Status ApiRequest::enter() {
    if (auto authenticated = authenticate(); !authenticated.ok()) {
        return authenticated;
    }
    if (!take_rate()) {
        return Error::of(ErrorCode::RATE_LIMITED, "this key asks too often");
    }
    return parts_.permissions.check(context(), route());
}

bool ApiRequest::enter_at_once() {
    return authenticated_ && take_rate() && PermissionCheck::is_allowed_at_once(context(), route());
}

Result<http::Response> ApiRequest::try_admission() {
    if (auto entered = enter(); !entered.ok()) {
        return std::move(entered).error();
    }
    auto connection = parts_.pool.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    auto calls = engine::TenantCalls::within(
        **connection, {services::enter_request_call(*principal_, services::Effect::reads)});
    if (auto entered = calls.run({}, engine::Repeat::always); !entered.ok()) {
        return std::move(entered).error();
    }
    authenticated_ = true;  // for the request itself
    return http::Response{};
}

Result<http::Response> ApiRequest::try_request() {
    if (auto entered = enter(); !entered.ok()) {
        return std::move(entered).error();
    }
    return run();
}

http::Response ApiRequest::answer_after(Try attempt, bool only_reads) {
    auto response = (this->*attempt)();
    for (int tries = 1;
         tries < kTries && !response.ok() && worth_another_try(response.error(), only_reads);
         ++tries) {
        if (response.error().code == ErrorCode::ACCESS_CHANGED && principal_) {
            parts_.authenticator.forget(principal_->key_id);
        }
        response = (this->*attempt)();
    }
    return answer(std::move(response));
}

Result<http::Response> ApiRequest::run() {
    RequestContext with = context();
    Result<http::Response> response =
        Error::of(ErrorCode::INTERNAL_ERROR, "the request was not run");
    {
        auto connection = parts_.pool.acquire();
        if (!connection.ok()) {
            return std::move(connection).error();
        }
        response = run_on_connection(**connection, route(), with);
    }
    if (!response.ok() && response.error().code == ErrorCode::NOT_FOUND) {
        parts_.permissions.note_not_found(with, route());
    }
    if (response.ok() && parts_.tools.after_enqueue && !with.enqueued.empty()) {
        parts_.tools.after_enqueue(with.enqueued);
    }
    return response;
}

// Without a key. What costs a look into the database has a rate for each address.
http::Response ApiRequest::answer_open() {
    if (route().work == Work::open_read && parts_.address_limit.enabled()) {
        rate_ = parts_.address_limit.take(request_.remote_address, parts_.clock());
        if (!rate_->allowed) {
            return answer(Error::of(ErrorCode::RATE_LIMITED, "this address asks too often"));
        }
    }
    return answer(run_open());
}

Result<http::Response> ApiRequest::run_open() {
    RequestContext with = context();
    if (route().work != Work::open_read) {
        return route().answer(with);
    }
    auto connection = parts_.pool.acquire();
    if (!connection.ok()) {
        return std::move(connection).error();
    }
    auto calls = engine::TenantCalls::within(**connection, {});
    with.calls = &calls;
    return route().answer(with);
}

http::Response ApiRequest::answer(Result<http::Response> result) const {
    http::Response response = result.ok() ? *std::move(result) : refusal(result.error());
    if (rate_) {
        if (!rate_->allowed) {
            parts_.metrics.count_rate_limited();
        }
        add_rate_headers(response, *rate_);
    }
    return response;
}

http::Response ApiRequest::refusal(const Error& error) const {
    http::Response response = http::error_response(error, request_);
    if (response.status >= 500) {
        parts_.log.error("request failed", {{"correlation_id", request_.correlation_id},
                                            {"method", request_.method},
                                            {"path", request_.path},
                                            {"error", error.describe()}});
    }
    return response;
}

void ApiRequest::observe(const http::Observation& observation) {
    observe_request(parts_, observation, principal_ ? &*principal_ : nullptr);
}

// The route's pattern and not the path, no header and no part of the query: they may hold what is
// secret or personal. The key is named only if it was the key's owner who asked.
void observe_request(RequestParts& parts, const http::Observation& observation,
                     const services::Principal* principal) {
    parts.metrics.observe(observation);
    if (!parts.access_log) {
        return;
    }
    parts.access_log->info(
        "request",
        {{"method", observation.method},
         {"route", observation.route_label},
         {"status", observation.status},
         {"duration_us", static_cast<std::int64_t>(observation.seconds * 1'000'000)},
         {"bytes", std::uint64_t{observation.body_bytes}},
         {"address", observation.address},
         {"key_id", principal != nullptr ? Json(principal->key_id) : Json()},
         {"tenant_id", principal != nullptr ? Json(principal->tenant_id.to_string()) : Json()},
         {"correlation_id", observation.correlation_id}});
}

}  // namespace jobforge::api
