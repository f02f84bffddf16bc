// Requests of one statement whose key is known already: sent by the thread that has read them,
// answered by the one that finds the rows. No thread waits in between, and none has to be woken,
// which was most of what such a request cost.
//
// Only the plain case is here. Whatever is not plain (a key that is not cached, a refusal, no idle
// connection, an error) is left to handle(), which begins again: until then nothing was done.
#include <sys/socket.h>

#include <any>
#include <utility>

#include "api/answers.h"
#include "api/api_service.h"
#include "api/request_body.h"
#include "services/access/request_calls.h"

namespace jobforge::api {

namespace {

// More would keep an I/O thread busy with parsing, and may not fit into the socket at once.
constexpr std::size_t kMostBody = std::size_t{16} * 1024;

}  // namespace

class ApiService::Pending final : public PendingAnswer {
public:
    Pending(ApiService& service, const Request& request, RouteMatch match, Json body,
            services::Principal principal, pg::PooledConnection connection)
        : service_(service),
          request_(request),
          match_(std::move(match)),
          body_(std::move(body)),
          principal_(std::move(principal)),
          connection_(std::move(connection)) {}

    // False: it cannot be asked, or not in this way, and nothing was done.
    [[nodiscard]] bool start() {
        auto call = match_.route->answer.ask(context());
        if (!call.ok()) {
            return false;
        }
        const auto effect = only_looks() ? services::Effect::reads : services::Effect::changes;
        engine::TenantCall enter = services::enter_request_call(principal_, effect);
        connection_->queue(enter.statement, std::move(enter.params));
        connection_->queue(call->statement, std::move(call->params));
        return connection_->start_flush().ok();
    }

    [[nodiscard]] int descriptor() const override { return connection_->socket(); }

    [[nodiscard]] State resume(Response& response) override {
        auto rows = connection_->take_flushed();
        if (!rows) {
            return State::waiting;
        }
        // A failed statement has done nothing. After a lost connection its outcome is
        // unknown: only reads are repeated.
        if (!rows->ok() && (only_looks() || !rows->error().outcome_unknown)) {
            return State::handle;
        }
        response =
            rows->ok() ? told(rows->value().back()) : service_.refusal(rows->error(), request_);
        if (const auto* known = std::any_cast<Admission>(&request_.admission);
            known != nullptr && known->rate) {
            add_rate_headers(response, *known->rate);
        }
        return State::ready;
    }

    // A hung server closes nothing: libpq finds the end of the connection at its next read.
    void give_up() noexcept override { (void)::shutdown(connection_->socket(), SHUT_RDWR); }

private:
    [[nodiscard]] bool only_looks() const { return match_.route->work == Work::read; }
    [[nodiscard]] RequestContext context() const {
        return {request_, match_.parameters, service_.tools_, body_, &principal_};
    }
    [[nodiscard]] Response told(const pg::Rows& rows) const {
        RequestContext with = context();
        auto response = match_.route->answer.tell(with, rows);
        return response.ok() ? *std::move(response) : service_.refusal(response.error(), request_);
    }

    ApiService& service_;
    const Request& request_;
    const RouteMatch match_;
    const Json body_;
    const services::Principal principal_;
    pg::PooledConnection connection_;
};

// Whether the request's kind allows it. A broker that is told of new jobs may block.
bool ApiService::may_begin(const Request& request, const Route& route) const {
    const bool alone =
        route.work == Work::read || (route.work == Work::change_once && !tools_.after_enqueue &&
                                     request.header_count("idempotency-key") == 0);
    return alone && route.answer.in_halves() && route.things == nullptr &&
           request.body.size() <= kMostBody && (request.body.empty() || is_json(request)) &&
           request.header_count("authorization") == 1;
}

std::unique_ptr<PendingAnswer> ApiService::begin(Request& request) {
    RouteMatch match = router_.match(request.method, request.path);
    if (match.route == nullptr || !may_begin(request, *match.route)) {
        return nullptr;
    }
    auto* const admission = std::any_cast<Admission>(&request.admission);
    if (admission == nullptr || !admission->principal) {
        return nullptr;
    }
    const services::Principal& principal = *admission->principal;
    if (rate_limit_.enabled() && !admission->rate) {
        // handle() takes no second one.
        admission->rate = rate_limit_.take(principal.key_id, options_.clock());
    }
    if (admission->rate && !admission->rate->allowed) {
        return nullptr;
    }
    auto body = body_of(request, *match.route);
    if (!body.ok() || !services::decide(principal.roles, *principal.policies,
                                        *match.route->permission, request.method, request.path)
                           .allowed) {
        return nullptr;
    }
    auto connection = pool_.acquire_idle(kOtherConnections);
    if (!connection) {
        return nullptr;
    }
    auto pending = std::make_unique<Pending>(*this, request, std::move(match), *std::move(body),
                                             principal, *std::move(connection));
    return pending->start() ? std::move(pending) : nullptr;
}

}  // namespace jobforge::api
