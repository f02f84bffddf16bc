#include "api/answers.h"

#include "base/crypto/hash.h"

namespace jobforge::api {

namespace {

// Whether an If-None-Match names this entity: a list of tags, weak ones count too, or "*".
bool names_entity(std::string_view list, std::string_view tag) {
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        std::string_view one = list.substr(0, comma);
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
        const std::size_t from = one.find_first_not_of(" \t");
        const std::size_t to = one.find_last_not_of(" \t");
        one = from == std::string_view::npos ? std::string_view() : one.substr(from, to - from + 1);
        if (one.starts_with("W/")) {
            one.remove_prefix(2);
        }
        if (one == tag || one == "*") {
            return true;
        }
    }
    return false;
}

}  // namespace

Response json_response(std::string body, int status) {
    Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
}

Response created_response(std::string location, std::string body) {
    Response response = json_response(std::move(body), 201);
    set_header(response, "Location", std::move(location));
    return response;
}

Response empty_response() {
    Response response;
    response.status = 204;
    return response;
}

Response tagged_response(const RequestHead& head, std::string bytes, std::string content_type,
                         std::string cache_control) {
    const std::string tag = '"' + sha256_hex(bytes) + '"';
    const std::string* known = head.header("if-none-match");
    Response response;
    response.content_type = std::move(content_type);
    set_header(response, "ETag", tag);
    set_header(response, "Cache-Control", std::move(cache_control));
    if (known != nullptr && names_entity(*known, tag)) {
        response.status = 304;
    } else {
        response.body = std::move(bytes);
    }
    return response;
}

Response immutable_response(const RequestHead& head, std::string bytes, std::string content_type) {
    return tagged_response(head, std::move(bytes), std::move(content_type), "private, max-age=60");
}

Result<Response> answer_object(const Result<Json>& value) {
    return value.ok() ? Result<Response>(json_response(value->dump()))
                      : Result<Response>(value.error());
}

Result<Response> answer_done(const Status& done) {
    return done.ok() ? Result<Response>(empty_response()) : Result<Response>(done.error());
}

Result<Response> answer_page(const Result<std::vector<Json>>& rows, const PageQuery& page,
                             std::string_view id) {
    return rows.ok() ? Result<Response>(json_response(page_text(*rows, page, id)))
                     : Result<Response>(rows.error());
}

Result<Response> answer_list(const Result<std::vector<Json>>& rows) {
    return rows.ok() ? Result<Response>(json_response(whole_list(*rows)))
                     : Result<Response>(rows.error());
}

void add_rate_headers(Response& response, const RateDecision& rate) {
    const auto seconds = [](std::chrono::milliseconds span) {
        return std::to_string((span.count() + 999) / 1000);
    };
    set_header(response, "RateLimit-Limit", std::to_string(rate.limit));
    set_header(response, "RateLimit-Remaining", std::to_string(rate.remaining));
    set_header(response, "RateLimit-Reset", seconds(rate.reset));
    if (!rate.allowed) {
        set_header(response, "Retry-After", seconds(rate.retry));
    }
}

}  // namespace jobforge::api
