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

http::Response json_response(std::string body, int status) {
    http::Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
}

http::Response created_response(std::string location, std::string body) {
    http::Response response = json_response(std::move(body), 201);
    http::set_header(response, "Location", std::move(location));
    return response;
}

http::Response empty_response() {
    http::Response response;
    response.status = 204;
    return response;
}

http::Response tagged_response(const http::RequestHead& head, std::string bytes,
                               std::string content_type, std::string cache_control) {
    const std::string tag = '"' + sha256_hex(bytes) + '"';
    const std::string* known = head.header("if-none-match");
    http::Response response;
    response.content_type = std::move(content_type);
    http::set_header(response, "ETag", tag);
    http::set_header(response, "Cache-Control", std::move(cache_control));
    if (known != nullptr && names_entity(*known, tag)) {
        response.status = 304;
    } else {
        response.body = std::move(bytes);
    }
    return response;
}

http::Response immutable_response(const http::RequestHead& head, std::string bytes,
                                  std::string content_type) {
    return tagged_response(head, std::move(bytes), std::move(content_type), "private, max-age=60");
}

Result<http::Response> answer_object(const Result<Json>& value) {
    return value.ok() ? Result<http::Response>(json_response(value->dump()))
                      : Result<http::Response>(value.error());
}

Result<http::Response> answer_done(const Status& done) {
    return done.ok() ? Result<http::Response>(empty_response())
                     : Result<http::Response>(done.error());
}

Result<http::Response> answer_page(const Result<std::vector<Json>>& rows, const PageQuery& page,
                                   std::string_view id) {
    return rows.ok() ? Result<http::Response>(json_response(page_text(*rows, page, id)))
                     : Result<http::Response>(rows.error());
}

Result<http::Response> answer_list(const Result<std::vector<Json>>& rows) {
    return rows.ok() ? Result<http::Response>(json_response(whole_list(*rows)))
                     : Result<http::Response>(rows.error());
}

void add_rate_headers(http::Response& response, const RateDecision& rate) {
    const auto seconds = [](std::chrono::milliseconds span) {
        return std::to_string((span.count() + 999) / 1000);
    };
    http::set_header(response, "RateLimit-Limit", std::to_string(rate.limit));
    http::set_header(response, "RateLimit-Remaining", std::to_string(rate.remaining));
    http::set_header(response, "RateLimit-Reset", seconds(rate.reset));
    if (!rate.allowed) {
        http::set_header(response, "Retry-After", seconds(rate.retry));
    }
}

}  // namespace jobforge::api
