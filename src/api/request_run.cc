#include "api/request_run.h"

#include "services/access/request_calls.h"
#include "statements/session.h"

namespace jobforge::api {

namespace {

void queue(pg::Connection& connection, const engine::TenantCall& call) {
    connection.queue(call.statement, call.params);
}

// A key that an answer was stored under, and the request it is bound to.
struct Remembered {
    std::string key;
    Sha256 hash;
};

std::string headers_json(const http::Response& response) {
    Json headers = Json::object();
    headers.set("Content-Type", response.content_type);
    for (const http::Header& header : response.headers) {
        headers.set(header.name, header.value);
    }
    return headers.dump();
}

// The database must not keep what is shown once.
std::string body_to_keep(const http::Response& response, std::string_view secret_member) {
    if (secret_member.empty()) {
        return response.body;
    }
    auto body = Json::parse(response.body);
    if (!body.ok() || !body->is_object()) {
        return {};
    }
    body->set(std::string(secret_member), nullptr);
    return body->dump();
}

Result<http::Response> replayed(const services::StoredResponse& stored) {
    const auto headers = Json::parse(stored.headers_json);
    if (!headers.ok() || !headers->is_object()) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "a stored answer has unreadable headers");
    }
    http::Response response;
    response.status = stored.status;
    response.body = stored.body;
    for (const Json::Member& header : *headers->as_object()) {
        const std::string* value = header.second.as_string();
        if (value == nullptr) {
            continue;
        }
        if (header.first == "Content-Type") {
            response.content_type = *value;
        } else {
            http::set_header(response, header.first, *value);
        }
    }
    http::set_header(response, "Idempotency-Replayed", "true");
    return response;
}

Status commit(pg::Connection& connection, const Route& route, const RequestContext& context,
              const std::optional<Remembered>& remembered, const http::Response& response) {
    if (remembered) {
        services::StoredResponse stored;
        stored.status = response.status;
        stored.headers_json = headers_json(response);
        stored.body = body_to_keep(response, route.secret_member);
        queue(connection, services::store_api_response_call(*context.principal, remembered->key,
                                                            remembered->hash, stored));
    }
    connection.queue(statements::session::kCommit, {});
    auto rows = connection.flush();
    if (!rows.ok()) {
        return std::move(rows).error();
    }
    if (rows->back().command_tag() != "COMMIT") {
        return Error::of(ErrorCode::INTERNAL_ERROR, "the request's transaction was rolled back");
    }
    return ok_status();
}

Result<http::Response> run_transaction(pg::Connection& connection, const Route& route,
                                       RequestContext& context,
                                       const std::optional<Remembered>& remembered) {
    connection.queue(statements::session::kBegin, {});
    queue(connection, services::enter_request_call(*context.principal, services::Effect::changes));
    if (remembered) {
        queue(connection, services::begin_api_request_call(*context.principal, remembered->key,
                                                           remembered->hash));
    }
    auto begun = connection.flush();
    if (!begun.ok()) {
        return std::move(begun).error();
    }
    if (remembered) {
        if (const auto stored = services::stored_response(begun->back())) {
            return replayed(*stored);
        }
    }
    auto calls = engine::TenantCalls::within(connection, {});
    context.calls = &calls;
    context.connection = &connection;
    auto response = route.answer(context);
    if (!response.ok() || response->status >= 400) {
        return response;
    }
    if (auto committed = commit(connection, route, context, remembered, *response);
        !committed.ok()) {
        return std::move(committed).error();
    }
    return response;
}

}  // namespace

Result<std::optional<std::string>> idempotency_key_of(const http::RequestHead& head) {
    const std::size_t count = head.header_count("idempotency-key");
    if (count == 0) {
        return std::optional<std::string>();
    }
    if (count > 1) {
        return Error::of(ErrorCode::VALIDATION_ERROR, "Idempotency-Key is given twice");
    }
    return std::optional(*head.header("idempotency-key"));
}

Result<http::Response> run_on_connection(pg::Connection& connection, const Route& route,
                                         RequestContext& context) {
    std::optional<Remembered> remembered;
    if (route.work == Work::change || route.work == Work::change_once) {
        auto key = idempotency_key_of(context.request);
        if (!key.ok()) {
            return std::move(key).error();
        }
        if (*key) {
            remembered = Remembered{**std::move(key), services::request_hash(context.request.method,
                                                                             context.request.target,
                                                                             context.request.body)};
        }
        if (route.work == Work::change || remembered) {
            return run_transaction(connection, route, context, remembered);
        }
    }
    const auto effect =
        route.work == Work::read ? services::Effect::reads : services::Effect::changes;
    auto calls = engine::TenantCalls::within(
        connection, {services::enter_request_call(*context.principal, effect)});
    context.calls = &calls;
    context.connection = &connection;
    return route.answer(context);
}

}  // namespace jobforge::api
