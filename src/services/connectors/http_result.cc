#include "services/connectors/http_result.h"

#include "base/text/base64.h"
#include "base/text/utf8.h"
#include "connect/http/redact_http.h"

namespace jobforge::services {

namespace {

constexpr std::size_t kPreviewBytes = 500;

Json headers_json(const connect::HttpHeaders& headers, const Redactor& redactor) {
    Json out = Json::object();
    for (const auto& [name, value] : headers) {
        const Json* earlier = out.find(name);
        const std::string text = redactor.apply(value);
        out.set(name, earlier == nullptr ? text : *earlier->as_string() + ", " + text);
    }
    return out;
}

bool is_text(std::string_view body) {
    return utf8_first_fault(body) == std::string_view::npos &&
           body.find('\0') == std::string_view::npos;
}

}  // namespace

Json http_result(const connect::HttpResponse& response, std::span<const std::string> redact_headers,
                 const Redactor& redactor, int attempts) {
    std::string body = redactor.apply(response.body);
    const bool text = is_text(body);
    return Json::object(
        {{"status", response.status},
         {"headers",
          headers_json(connect::redacted_headers(response.headers, redact_headers), redactor)},
         {"body", text ? std::move(body) : base64_encode(body)},
         {"body_encoding", text ? "utf8" : "base64"},
         {"truncated", response.truncated},
         {"duration_ms", milliseconds_of(response.duration)},
         {"attempts", attempts}});
}

std::string response_preview(std::string_view body, const Redactor& redactor) {
    // Blanked before it is cut: half a secret at the edge would not be found.
    const std::string clean = redactor.apply(body.substr(0, 2 * kPreviewBytes));
    std::string_view shown = std::string_view(clean).substr(0, kPreviewBytes);
    std::string preview;
    while (!shown.empty()) {
        const std::size_t size = utf8_sequence_length(shown.data(), shown.data() + shown.size());
        const bool cut_off = size == 0 && shown.size() < 4 && clean.size() > kPreviewBytes;
        if (cut_off) {
            break;
        }
        const bool good = size != 0 && shown.front() != '\0';
        if (good) {
            preview += shown.substr(0, size);
        } else {
            utf8_append(preview, U'\uFFFD');
        }
        shown.remove_prefix(size == 0 ? 1 : size);
    }
    return preview;
}

std::int64_t milliseconds_of(std::chrono::microseconds duration) noexcept {
    return std::chrono::ceil<std::chrono::milliseconds>(duration).count();
}

}  // namespace jobforge::services
