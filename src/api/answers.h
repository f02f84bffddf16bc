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

[[nodiscard]] Response json_response(std::string body, int status = 200);
// 201 with the new thing's path.
[[nodiscard]] Response created_response(std::string location, std::string body);
// 204.
[[nodiscard]] Response empty_response();
// An ETag of the bytes' SHA-256, and 304 for a client that has them.
[[nodiscard]] Response tagged_response(const RequestHead& head, std::string bytes,
                                       std::string content_type, std::string cache_control);
// Bytes that never change under this path. Private: they are behind a key.
[[nodiscard]] Response immutable_response(const RequestHead& head, std::string bytes,
                                          std::string content_type);

// Results of use cases as answers.
[[nodiscard]] Result<Response> answer_object(const Result<Json>& value);
[[nodiscard]] Result<Response> answer_done(const Status& done);
[[nodiscard]] Result<Response> answer_page(const Result<std::vector<Json>>& rows,
                                           const PageQuery& page, std::string_view id);
[[nodiscard]] Result<Response> answer_list(const Result<std::vector<Json>>& rows);

// RateLimit-Limit, -Remaining and -Reset; Retry-After after a refusal.
void add_rate_headers(Response& response, const RateDecision& rate);

}  // namespace jobforge::api
