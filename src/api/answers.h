// The shapes that answers have. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/json.h>

#include "api/access/rate_limit.h"
#include "api/page.h"
#include "http/parse/http_message.h"

namespace jobforge::api {

[[nodiscard]] http::Response json_response(std::string body, int status = 200);
// 201 with the new thing's path.
[[nodiscard]] http::Response created_response(std::string location, std::string body);
// 204.
[[nodiscard]] http::Response empty_response();
// An ETag of the bytes' SHA-256, and 304 for a client that has them.
[[nodiscard]] http::Response tagged_response(const http::RequestHead& head, std::string bytes,
                                             std::string content_type, std::string cache_control);
// Bytes that never change under this path. Private: they are behind a key.
[[nodiscard]] http::Response immutable_response(const http::RequestHead& head, std::string bytes,
                                                std::string content_type);

// Results of use cases as answers.
[[nodiscard]] Result<http::Response> answer_object(const Result<Json>& value);
[[nodiscard]] Result<http::Response> answer_done(const Status& done);
[[nodiscard]] Result<http::Response> answer_page(const Result<std::vector<Json>>& rows,
                                                 const PageQuery& page, std::string_view id);
[[nodiscard]] Result<http::Response> answer_list(const Result<std::vector<Json>>& rows);

// RateLimit-Limit, -Remaining and -Reset; Retry-After for who was refused.
void add_rate_headers(http::Response& response, const RateDecision& rate);

}  // namespace jobforge::api
