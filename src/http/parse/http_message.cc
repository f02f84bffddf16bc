#include "http/parse/http_message.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <chrono>

#include <jobforge/json.h>
#include <jobforge/uuid.h>

#include "http/parse/http_text.h"

namespace jobforge::http {

namespace {

// What a client may know about a failure of ours: whether to come back, and how to ask for help.
std::string_view general_sentence(int status) noexcept {
    switch (status) {
        case 502:
            return "a system that this request needs did not answer; try again later";
        case 503:
            return "the service cannot answer at the moment; try again after Retry-After seconds";
        case 504:
            return "the request took too long and was given up; it may be tried again";
        default:
            return "the service failed to answer; its operator finds the reason in the log by the "
                   "correlation_id";
    }
}

Json shown_details(const Error& error) {
    Json details = Json::object();
    if (!error.details.empty()) {
        if (auto parsed = Json::parse(error.details); parsed.ok() && parsed->is_object()) {
            details = std::move(*parsed);
        }
    }
    if (!error.hint.empty() && details.find("hint") == nullptr) {
        details.set("hint", error.hint);
    }
    return details;
}

Response envelope(int status, ErrorCode code, std::string_view message, Json details,
                  const RequestHead& head) {
    Response response;
    response.status = status;
    Json error = Json::object({{"code", to_string(code)},
                               {"message", message},
                               {"correlation_id", head.correlation_id},
                               {"details", std::move(details)}});
    response.body = Json::object({{"error", std::move(error)}}).dump();
    if (status == 401) {
        set_header(response, "WWW-Authenticate", "Bearer");
    } else if (status == 429 || status == 503) {
        set_header(response, "Retry-After", "1");
    }
    return response;
}

}  // namespace

const std::string* RequestHead::header(std::string_view lower_name) const noexcept {
    const auto found = std::find_if(headers.begin(), headers.end(), [&](const Header& header) {
        return header.name == lower_name;
    });
    return found == headers.end() ? nullptr : &found->value;
}

std::size_t RequestHead::header_count(std::string_view lower_name) const noexcept {
    return static_cast<std::size_t>(
        std::count_if(headers.begin(), headers.end(),
                      [&](const Header& header) { return header.name == lower_name; }));
}

std::optional<std::string> RequestHead::query_value(std::string_view name) const {
    const auto found = std::find_if(query.begin(), query.end(),
                                    [&](const auto& parameter) { return parameter.first == name; });
    return found == query.end() ? std::nullopt : std::optional(found->second);
}

std::string new_correlation_id() {
    // 25 at a time: every request needs one, and few need the system for it. (Up to 256 bytes come
    // whole, whatever interrupts it.)
    thread_local std::array<std::uint8_t, 250> pool{};
    thread_local std::size_t used = pool.size();
    std::array<std::uint8_t, 10> random{};
    if (used == pool.size()) {
        (void)!::getrandom(pool.data(), pool.size(), 0);
        used = 0;
    }
    std::copy_n(pool.begin() + static_cast<std::ptrdiff_t>(used), random.size(), random.begin());
    used += random.size();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return Uuid::v7(std::chrono::duration_cast<std::chrono::milliseconds>(now).count(), random)
        .to_string();
}

Response error_response(const Error& error, const RequestHead& head) {
    const int known = http_status_of(error.code);
    const int status = known == 0 ? 500 : known;
    if (status >= 500) {
        return envelope(status, error.code, general_sentence(status), Json::object(), head);
    }
    return envelope(status, error.code, error.message, shown_details(error), head);
}

Response error_response(int status, ErrorCode code, std::string_view message,
                        const RequestHead& head) {
    return envelope(status, code, message, Json::object(), head);
}

void set_header(Response& response, std::string_view name, std::string value) {
    for (Header& header : response.headers) {
        if (equal_ignoring_case(header.name, name)) {
            header.value = std::move(value);
            return;
        }
    }
    response.headers.push_back({std::string(name), std::move(value)});
}

const std::string* find_header(const Response& response, std::string_view name) noexcept {
    for (const Header& header : response.headers) {
        if (equal_ignoring_case(header.name, name)) {
            return &header.value;
        }
    }
    return nullptr;
}

}  // namespace jobforge::http
