#include "api/request_body.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/json/json_bounds.h"

namespace jobforge::api {

namespace {

std::string_view without_parameters(std::string_view media_type) {
    media_type = media_type.substr(0, media_type.find(';'));
    const std::size_t end = media_type.find_last_not_of(' ');
    return media_type.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

}  // namespace

bool is_json(const http::RequestHead& head) {
    const std::string* type = head.header("content-type");
    if (type == nullptr) {
        return false;
    }
    std::string name(without_parameters(*type));
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return name == "application/json" || name.ends_with("+json");
}

Result<Json> body_of(const http::Request& request, const Route& route) {
    if (route.raw_body || request.body.empty()) {
        return Json::object();
    }
    auto body = Json::parse(request.body);
    if (body.ok() && !body->is_object()) {
        return Error::of(ErrorCode::VALIDATION_ERROR, "the body must be a JSON object");
    }
    if (!body.ok()) {
        Error error = std::move(body).error();
        error.message = "the body is not JSON: " + error.message;
        return error;
    }
    if (const auto place = find_long_number(*body)) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         "the body has a number of more than 400 digits at " + *place);
    }
    return body;
}

}  // namespace jobforge::api
