#include "connect/amqp/amqp_url.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/text/hex_digit.h"

namespace jobforge::connect {

namespace {

constexpr std::string_view kScheme = "amqp://";
// AMQP writes these names as short strings: one byte of length.
constexpr std::size_t kLongestName = 255;

Error refused(std::string_view why) {
    Error error = Error::of(ErrorCode::VALIDATION_ERROR,
                            fmt::format("the RabbitMQ URL is not usable: {}", why));
    error.hint = "write amqp://user:password@host:port/vhost, special characters as %XX";
    return error;
}

bool is_control(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// nullopt for a broken escape, a control character (a NUL would cut the C string short) or a name
// that does not fit the protocol.
std::optional<std::string> decode(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            const int high = i + 2 < text.size() ? hex_digit_value(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_digit_value(text[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return std::nullopt;
            }
            c = static_cast<char>(high * 16 + low);
            i += 2;
        }
        if (is_control(c)) {
            return std::nullopt;
        }
        result.push_back(c);
    }
    if (result.size() > kLongestName) {
        return std::nullopt;
    }
    return result;
}

Status read_login(std::string_view text, AmqpUrl& url) {
    const std::size_t colon = text.find(':');
    const auto user = decode(text.substr(0, colon));
    if (!user || user->empty()) {
        return refused("the user name is empty or badly escaped");
    }
    url.user = *user;
    if (colon != std::string_view::npos) {
        const auto password = decode(text.substr(colon + 1));
        if (!password) {
            return refused("the password is badly escaped");
        }
        url.password = *password;
    }
    return ok_status();
}

Status read_port(std::string_view text, AmqpUrl& url) {
    const char* end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, url.port);
    if (fault != std::errc{} || stop != end || url.port < 1 || url.port > 65535) {
        return refused("the port is not a number from 1 to 65535");
    }
    return ok_status();
}

Status read_address(std::string_view text, AmqpUrl& url) {
    std::size_t end = 0;
    if (text.starts_with('[')) {
        end = text.find(']');
        if (end == std::string_view::npos) {
            return refused("the bracket of the IPv6 address is never closed");
        }
        url.host = text.substr(1, end - 1);
        ++end;
    } else {
        end = std::min(text.find(':'), text.size());
        url.host = text.substr(0, end);
    }
    for (const char c : url.host) {
        if (is_control(c) || c == ' ') {
            return refused("the host holds a blank or a control character");
        }
    }
    if (url.host.empty() || url.host.size() > kLongestName) {
        return refused("the host is empty or too long");
    }
    if (end == text.size()) {
        return ok_status();
    }
    if (text[end] != ':') {
        return refused("there is unexpected text between the host and the port");
    }
    return read_port(text.substr(end + 1), url);
}

}  // namespace

Result<AmqpUrl> AmqpUrl::parse(std::string_view text) {
    if (text.starts_with("amqps://")) {
        return refused("amqps is not supported");
    }
    if (!text.starts_with(kScheme)) {
        return refused("it does not start with amqp://");
    }
    text.remove_prefix(kScheme.size());
    if (text.find_first_of("?#") != std::string_view::npos) {
        return refused("it has a query or a fragment");
    }
    AmqpUrl url;
    const std::size_t slash = std::min(text.find('/'), text.size());
    std::string_view authority = text.substr(0, slash);
    const std::string_view path = text.substr(std::min(slash + 1, text.size()));
    if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
        if (Status status = read_login(authority.substr(0, at), url); !status.ok()) {
            return std::move(status).error();
        }
        authority.remove_prefix(at + 1);
    }
    if (Status status = read_address(authority, url); !status.ok()) {
        return std::move(status).error();
    }
    if (!path.empty()) {
        const auto vhost = path.find('/') == std::string_view::npos ? decode(path) : std::nullopt;
        if (!vhost) {
            return refused("the vhost is badly escaped (a slash in its name is written %2F)");
        }
        url.vhost = *vhost;
    }
    return url;
}

std::string AmqpUrl::without_password() const {
    const bool brackets = host.find(':') != std::string::npos;
    return fmt::format("amqp://{}@{}{}{}:{}/{}", user, brackets ? "[" : "", host,
                       brackets ? "]" : "", port, vhost == "/" ? "" : vhost);
}

}  // namespace jobforge::connect
