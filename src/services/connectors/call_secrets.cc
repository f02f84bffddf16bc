#include "services/connectors/call_secrets.h"

#include "base/text/base64.h"
#include "services/connectors/connector_config.h"

namespace jobforge::services {

namespace {

Error misplaced(std::string message) {
    return Error::of(ErrorCode::JOB_PAYLOAD_INVALID, std::move(message));
}

}  // namespace

Result<std::pair<std::string, std::string>> auth_header(const Json& auth, std::string_view secret) {
    const std::string type = text_of(auth, "type");
    const std::string header = text_of(auth, "header");
    const std::string username = text_of(auth, "username");
    if ((type == "header") != !header.empty()) {
        return misplaced(type == "header" ? "/auth/header is required"
                                          : "/auth/header belongs to type header");
    }
    if (type != "basic" && !username.empty()) {
        return misplaced("/auth/username belongs to type basic");
    }
    if (type == "header") {
        return std::pair(header, std::string(secret));
    }
    if (type == "bearer") {
        return std::pair(std::string("Authorization"), "Bearer " + std::string(secret));
    }
    const std::string login =
        username.empty() ? std::string(secret) : username + ":" + std::string(secret);
    return std::pair(std::string("Authorization"), "Basic " + base64_encode(login));
}

void replace_header(connect::HttpHeaders& headers, std::pair<std::string, std::string> header) {
    std::erase_if(headers,
                  [&](const auto& other) { return connect::same_name(other.first, header.first); });
    headers.push_back(std::move(header));
}

Redactor redactor_of(std::string_view secret, std::string_view header_value) {
    Redactor redactor;
    redactor.add(secret);
    redactor.add(base64_encode(secret));
    // "Basic dXNlcjpw...": the second word alone tells everything.
    if (const auto blank = header_value.rfind(' '); blank != std::string_view::npos) {
        redactor.add(header_value.substr(blank + 1));
    }
    return redactor;
}

}  // namespace jobforge::services
