#include "http/parse/response_text.h"

#include <algorithm>
#include <iterator>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "http/parse/http_text.h"

namespace jobforge::http {

namespace {

struct Reason {
    int status;
    std::string_view text;
};
constexpr Reason kReasons[] = {{200, "OK"},
                               {201, "Created"},
                               {202, "Accepted"},
                               {204, "No Content"},
                               {301, "Moved Permanently"},
                               {302, "Found"},
                               {303, "See Other"},
                               {304, "Not Modified"},
                               {307, "Temporary Redirect"},
                               {308, "Permanent Redirect"},
                               {400, "Bad Request"},
                               {401, "Unauthorized"},
                               {403, "Forbidden"},
                               {404, "Not Found"},
                               {405, "Method Not Allowed"},
                               {406, "Not Acceptable"},
                               {409, "Conflict"},
                               {410, "Gone"},
                               {412, "Precondition Failed"},
                               {413, "Content Too Large"},
                               {414, "URI Too Long"},
                               {415, "Unsupported Media Type"},
                               {417, "Expectation Failed"},
                               {422, "Unprocessable Content"},
                               {429, "Too Many Requests"},
                               {431, "Request Header Fields Too Large"},
                               {500, "Internal Server Error"},
                               {502, "Bad Gateway"},
                               {503, "Service Unavailable"},
                               {504, "Gateway Timeout"},
                               {505, "HTTP Version Not Supported"}};

std::string_view reason(int status) noexcept {
    const auto* found = std::find_if(std::begin(kReasons), std::end(kReasons),
                                     [status](const Reason& r) { return r.status == status; });
    return found == std::end(kReasons) ? "Status" : found->text;
}

// The server's own: a handler that sets one would contradict it.
bool is_servers_own(std::string_view name) noexcept {
    constexpr std::string_view kOwn[] = {
        "Content-Length",   "Transfer-Encoding",      "Connection",   "Date",
        "X-Correlation-Id", "X-Content-Type-Options", "Content-Type", "Strict-Transport-Security"};
    return std::any_of(std::begin(kOwn), std::end(kOwn),
                       [name](std::string_view own) { return equal_ignoring_case(own, name); });
}

void append(std::string& text, std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
}

void append_framing(std::string& text, const Response& response, const WireForm& form) {
    if (form.chunked) {
        append(text, "Transfer-Encoding", "chunked");
    } else if (!response.stream && !has_no_body(response.status)) {
        append(text, "Content-Length", fmt::format_int(response.body.size()).c_str());
    }
    if (!form.keep_alive) {
        append(text, "Connection", "close");
    } else if (form.http_1_0) {
        append(text, "Connection", "keep-alive");
    }
}

// "Sun, 06 Nov 1994 08:49:37 GMT", written once a second and thread, not once an answer.
const std::string& date_text(std::time_t now) {
    thread_local std::time_t written = -1;
    thread_local std::string text;
    if (written != now) {
        text = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(now));
        written = now;
    }
    return text;
}

}  // namespace

bool has_no_body(int status) noexcept {
    return status == 204 || status == 304;
}

bool is_sendable(const Response& response) noexcept {
    return response.status >= 200 && response.status <= 599 &&
           is_field_value(response.content_type) &&
           std::all_of(response.headers.begin(), response.headers.end(), [](const Header& header) {
               return is_token(header.name) && is_field_value(header.value);
           });
}

std::string response_head(const Response& response, std::string_view correlation_id,
                          const WireForm& form) {
    std::string text;
    text.reserve(512);
    text.append("HTTP/1.1 ")
        .append(fmt::format_int(response.status).c_str())
        .append(" ")
        .append(reason(response.status))
        .append("\r\n");
    append(text, "Date", date_text(form.now));
    if (!has_no_body(response.status) && !response.content_type.empty()) {
        append(text, "Content-Type", response.content_type);
    }
    append_framing(text, response, form);
    append(text, "X-Correlation-Id", correlation_id);
    append(text, "X-Content-Type-Options", "nosniff");
    if (form.tls) {
        append(text, "Strict-Transport-Security", "max-age=31536000");
    }
    if (find_header(response, "Cache-Control") == nullptr) {
        append(text, "Cache-Control", "no-store");
    }
    for (const Header& header : response.headers) {
        if (!is_servers_own(header.name)) {
            append(text, header.name, header.value);
        }
    }
    return text += "\r\n";
}

}  // namespace jobforge::http
