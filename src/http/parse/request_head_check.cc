#include "http/parse/request_head_check.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/text/trimmed.h"
#include "http/parse/http_text.h"
#include "http/parse/request_target.h"

namespace jobforge::http {

namespace {

constexpr std::size_t kMaxMethodBytes = 32;

bool is_visible(char c) noexcept {
    return c > 0x20 && c < 0x7f;
}

// The next line without its CRLF; `text` moves behind it.
std::string_view take_line(std::string_view& text) noexcept {
    const std::string_view line = text.substr(0, text.find("\r\n"));
    text.remove_prefix(std::min(text.size(), line.size() + 2));
    return line;
}

// Host: a name or an address literal, with or without a port. Nothing that could be read as a path,
// a user or a second host.
bool is_host(std::string_view text) noexcept {
    return !text.empty() && text.size() <= 255 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-._~:[]%").find(c) != std::string_view::npos;
    });
}

class HeadReader final {
public:
    HeadReader(std::string_view text, const HeadLimits& limits) : text_(text), limits_(limits) {}

    [[nodiscard]] bool read() {
        return read_request_line(take_line(text_)) && read_headers() && check_host() &&
               check_framing() && check_connection() && check_expectation() && read_target();
    }
    CheckedHead checked;
    HeadRefusal refusal;

private:
    bool refuse(int status, std::string_view message) noexcept {
        refusal = {status, message};
        return false;
    }

    bool read_request_line(std::string_view line) {
        const std::size_t first = line.find(' ');
        const std::size_t last = line.rfind(' ');
        if (first == std::string_view::npos || first == last) {
            return refuse(400, "the request line is not METHOD target HTTP/1.1");
        }
        const std::string_view method = line.substr(0, first);
        const std::string_view target = line.substr(first + 1, last - first - 1);
        if (!is_token(method) || method.size() > kMaxMethodBytes) {
            return refuse(400, "the request's method is not a token");
        }
        if (target.size() > limits_.target_bytes) {
            return refuse(414, "the request's target is too long");
        }
        if (target.empty() || !std::all_of(target.begin(), target.end(), is_visible)) {
            return refuse(400, "the request's target holds a blank or a control character");
        }
        checked.head.method = method;
        checked.head.target = target;
        return read_version(line.substr(last + 1));
    }

    bool read_version(std::string_view version) {
        if (version == "HTTP/1.1" || version == "HTTP/1.0") {
            checked.minor_version = version.back() - '0';
            return true;
        }
        const bool other = version.size() == 8 && version.starts_with("HTTP/") &&
                           version[6] == '.' && version[5] >= '0' && version[5] <= '9' &&
                           version[7] >= '0' && version[7] <= '9';
        return other ? refuse(505, "this server speaks HTTP/1.1")
                     : refuse(400, "the request line does not end with HTTP/1.1");
    }

    bool read_headers() {
        for (;;) {
            const std::string_view line = take_line(text_);
            if (line.empty()) {
                return text_.empty() || refuse(400, "something follows the head's empty line");
            }
            if (checked.head.headers.size() == limits_.count) {
                return refuse(431, "the request has too many headers");
            }
            if (!read_header(line)) {
                return false;
            }
        }
    }

    bool read_header(std::string_view line) {
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) {
            return refuse(400, "a header has no colon");
        }
        if (!is_token(line.substr(0, colon))) {
            return refuse(400,
                          "a header's name is not a token (is there a blank before or in it?)");
        }
        const std::string_view value = trimmed(line.substr(colon + 1), kLineBlanks);
        if (!is_field_value(value)) {
            return refuse(400, "a header's value holds a control character");
        }
        checked.head.headers.push_back({lower_case(line.substr(0, colon)), std::string(value)});
        return true;
    }

    bool check_host() {
        const std::size_t hosts = checked.head.header_count("host");
        if (hosts > 1 || (hosts == 0 && checked.minor_version == 1)) {
            return refuse(400, "the request must have exactly one Host");
        }
        return hosts == 0 || is_host(*checked.head.header("host")) ||
               refuse(400, "the request's Host is not a host");
    }

    // RFC 9112, 6.1 to 6.3, without any of the repairs that it permits.
    bool check_framing() {
        const std::size_t lengths = checked.head.header_count("content-length");
        const std::size_t codings = checked.head.header_count("transfer-encoding");
        if (lengths + codings > 1) {
            return refuse(400, "the request has more than one Content-Length or Transfer-Encoding");
        }
        if (codings == 1) {
            if (checked.minor_version == 0) {
                return refuse(400, "HTTP/1.0 has no Transfer-Encoding");
            }
            checked.framing = BodyFraming::chunked;
            return equal_ignoring_case(*checked.head.header("transfer-encoding"), "chunked") ||
                   refuse(400, "the only Transfer-Encoding of a request is chunked");
        }
        return lengths == 0 || read_length(*checked.head.header("content-length"));
    }

    bool read_length(std::string_view text) {
        checked.framing = BodyFraming::length;
        std::uint64_t length = 0;
        for (const char c : text) {
            const auto digit = static_cast<std::uint64_t>(c - '0');
            if (c < '0' || c > '9' ||
                length > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) {
                return refuse(400, "the Content-Length is not a number");
            }
            length = length * 10 + digit;
        }
        checked.content_length = length;
        return !text.empty() || refuse(400, "the Content-Length is not a number");
    }

    bool check_connection() {
        bool close = false;
        bool keep = false;
        for (const Header& header : checked.head.headers) {
            std::string_view rest = header.value;
            if (header.name != "connection") {
                continue;
            }
            while (!rest.empty()) {
                const std::string option = lower_case(take_part(rest, ','));
                if (!option.empty() && !is_token(option)) {
                    return refuse(400, "the Connection header is not a list of tokens");
                }
                close = close || option == "close";
                keep = keep || option == "keep-alive";
            }
        }
        checked.keep_alive = !close && (checked.minor_version == 1 || keep);
        return true;
    }

    bool check_expectation() {
        const std::string* expect = checked.head.header("expect");
        if (expect == nullptr || checked.minor_version == 0) {
            return true;
        }
        checked.expects_continue = true;
        return (equal_ignoring_case(*expect, "100-continue") &&
                checked.head.header_count("expect") == 1) ||
               refuse(417, "the only expectation that can be met is 100-continue");
    }

    bool read_target() {
        std::string_view target = checked.head.target;
        if (target == "*" && checked.head.method == "OPTIONS") {
            checked.head.path = "*";
            return true;
        }
        if (!target.starts_with('/') && !strip_authority(target)) {
            return false;
        }
        DecodedTarget decoded = decode_target(target);
        if (!decoded.fault.empty()) {
            return refuse(400, decoded.fault);
        }
        checked.head.path = std::move(decoded.path);
        checked.head.query = std::move(decoded.query);
        return true;
    }

    // absolute-form. Its host must be the Host header's: we look at neither, others might.
    bool strip_authority(std::string_view& target) {
        const std::string start = lower_case(target.substr(0, 8));
        const std::size_t scheme = start == "https://" ? 8 : start.starts_with("http://") ? 7 : 0;
        if (scheme == 0) {
            return refuse(400, "the request's target is neither a path nor an http URL");
        }
        target.remove_prefix(scheme);
        const std::string_view authority = target.substr(0, target.find_first_of("/?"));
        const std::string* host = checked.head.header("host");
        if (host == nullptr || !equal_ignoring_case(authority, *host)) {
            return refuse(400, "the request's target names another host than its Host");
        }
        target.remove_prefix(authority.size());
        target = target.empty() ? std::string_view("/") : target;
        return true;
    }

    std::string_view text_;
    const HeadLimits& limits_;
};

}  // namespace

std::optional<CheckedHead> check_request_head(std::string_view text, const HeadLimits& limits,
                                              HeadRefusal& refusal) {
    HeadReader reader(text, limits);
    if (!reader.read()) {
        refusal = reader.refusal;
        return std::nullopt;
    }
    return std::move(reader.checked);
}

}  // namespace jobforge::http
