#include "connect/http/redact_http.h"

#include <algorithm>
#include <array>

#include "base/text/redact.h"

namespace jobforge::connect {

namespace {

constexpr std::array<std::string_view, 6> kSecretHeaders = {
    "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token"};

// What stands before the host, if anything does.
void hide_user(std::string& url) {
    const std::size_t slashes = url.find("://");
    if (slashes == std::string::npos) {
        return;
    }
    const std::size_t start = slashes + 3;
    const std::size_t end = std::min(url.find_first_of("/?", start), url.size());
    const std::size_t at = url.rfind('@', end);
    if (at != std::string::npos && at >= start && at < end) {
        url.replace(start, at - start, kRedacted);
    }
}

// "a=b&c&d=": the b and the c, which may be a whole token, but not an empty value.
std::string hide_values(std::string_view query) {
    std::string out;
    while (true) {
        const std::size_t end = std::min(query.find_first_of("&;"), query.size());
        const std::string_view piece = query.substr(0, end);
        const std::size_t equals = piece.find('=');
        const std::size_t kept = equals == std::string_view::npos ? 0 : equals + 1;
        out += piece.substr(0, kept);
        out += kept == piece.size() ? std::string_view() : kRedacted;
        if (end == query.size()) {
            return out;
        }
        out += query[end];
        query.remove_prefix(end + 1);
    }
}

}  // namespace

bool is_secret_header(std::string_view name) noexcept {
    return std::any_of(kSecretHeaders.begin(), kSecretHeaders.end(),
                       [&](std::string_view secret) { return same_name(secret, name); });
}

HttpHeaders redacted_headers(const HttpHeaders& headers, std::span<const std::string> also) {
    HttpHeaders out;
    out.reserve(headers.size());
    for (const auto& header : headers) {
        const auto is_this = [&](std::string_view other) { return same_name(other, header.first); };
        const bool secret =
            is_secret_header(header.first) || std::any_of(also.begin(), also.end(), is_this);
        out.emplace_back(header.first, secret ? std::string(kRedacted) : header.second);
    }
    return out;
}

std::string redacted_url(std::string_view url) {
    // The core's first: it knows passwords that end the host early, as in "http://u:p/w@host/".
    std::string out = redact_url(url.substr(0, url.find('#')));
    hide_user(out);
    const std::size_t mark = out.find('?');
    if (mark != std::string::npos) {
        out.replace(mark + 1, std::string::npos,
                    hide_values(std::string_view(out).substr(mark + 1)));
    }
    return out;
}

}  // namespace jobforge::connect
