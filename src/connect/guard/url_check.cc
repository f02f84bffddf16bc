#include "connect/guard/url_check.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <jobforge/json.h>

#include "connect/guard/idna.h"

namespace jobforge::connect {

namespace {

constexpr std::size_t kLongestUrl = 8192;
constexpr std::size_t kLongestName = 253;
constexpr std::size_t kLongestLabel = 63;

Error refused(std::string_view why) {
    Error error =
        Error::of(ErrorCode::SSRF_BLOCKED, fmt::format("the URL may not be reached: {}", why));
    error.hint = "write http://host/path or https://host/path, with a plain host name or address";
    error.details = Json::object({{"reason", std::string(why)}}).dump();
    return error;
}

bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}

bool is_hex_digit(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

bool is_name_character(char c) noexcept {
    return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_';
}

char to_lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// What no part of a URL may hold; nullopt if all is well.
std::optional<std::string_view> odd_character(std::string_view url) {
    for (const char c : url) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) {
            return "it holds a control character";
        }
        if (byte == ' ') {
            return "it holds a blank (write %20)";
        }
        if (byte == '\\') {
            return "it holds a backslash";
        }
    }
    return std::nullopt;
}

// Whether resolvers would read the last label as a number, which makes the whole host an IPv4
// address to them, in one of many spellings (the rule of the WHATWG's URL standard).
bool ends_in_number(std::string_view host) {
    const std::string_view label = host.substr(host.rfind('.') + 1);
    if (label.starts_with("0x")) {
        return std::all_of(label.begin() + 2, label.end(), is_hex_digit);
    }
    return !label.empty() && std::all_of(label.begin(), label.end(), is_digit);
}

Status check_name(std::string_view name) {
    if (name.size() > kLongestName) {
        return refused("the host's name is longer than 253 characters");
    }
    while (true) {
        const std::size_t dot = std::min(name.find('.'), name.size());
        if (dot == 0 || dot > kLongestLabel) {
            return refused("a part of the host's name is empty or longer than 63 characters");
        }
        const std::string_view label = name.substr(0, dot);
        if (!std::all_of(label.begin(), label.end(), is_name_character)) {
            return refused("the host's name holds a character that names do not have");
        }
        if (label.starts_with('-') || label.ends_with('-')) {
            return refused("a part of the host's name starts or ends with a hyphen");
        }
        if (dot == name.size()) {
            return ok_status();
        }
        name.remove_prefix(dot + 1);
    }
}

Status read_bracketed(std::string_view text, CheckedUrl& url) {
    url.address = IpAddress::parse(text);
    if (!url.address || url.address->is_v4()) {
        return refused(text.find('%') != std::string_view::npos
                           ? "the address in brackets has a zone"
                           : "what stands in brackets is not an IPv6 address");
    }
    url.host = url.address->text();
    return ok_status();
}

// The host in lower-case ASCII. From here on nothing looks at the text that was given: guard,
// allowlist, breaker, Host header and certificate all judge this form.
Result<std::string> ascii_host(std::string_view text) {
    std::string host(text);
    std::transform(host.begin(), host.end(), host.begin(), to_lower);
    if (!has_non_ascii(host)) {
        return host;
    }
    const auto name = idna_ascii(host);
    if (!name) {
        return refused("the host's name is not a valid international name (IDNA 2008)");
    }
    // Full-width digits that become 127.0.0.1, circled letters that become localhost: ordinary
    // names have no need of them.
    if (!has_idna_label(*name) || ends_in_number(*name)) {
        return refused("the host's name is spelt with look-alikes of plain letters or digits");
    }
    return *name;
}

Status read_host(std::string_view text, CheckedUrl& url) {
    if (text.empty()) {
        return refused("the host is empty");
    }
    if (text.find('%') != std::string_view::npos) {
        return refused("the host is percent-encoded");
    }
    const auto ascii = ascii_host(text);
    if (!ascii.ok()) {
        return ascii.error();
    }
    const std::string& host = *ascii;
    // A dot at the end says "complete name": resolvers know it, numbers do not have it.
    const bool complete = host.size() > 1 && host.ends_with('.');
    const std::string_view bare(host.data(), host.size() - (complete ? 1 : 0));
    if (ends_in_number(bare)) {
        url.address = IpAddress::parse(host);
        if (!url.address) {
            return refused("the host is a number in an odd form: write 192.0.2.1");
        }
    } else if (Status status = check_name(bare); !status.ok()) {
        return status;
    }
    url.host = bare;
    return ok_status();
}

Status read_port(std::string_view text, CheckedUrl& url) {
    const char* end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, url.port);
    const bool plain = !text.empty() && text.size() <= 5 && is_digit(text.front());
    if (!plain || fault != std::errc{} || stop != end || url.port < 1 || url.port > 65535) {
        return refused("the port is not a number from 1 to 65535");
    }
    return ok_status();
}

Status read_authority(std::string_view text, CheckedUrl& url) {
    if (text.find('@') != std::string_view::npos) {
        return refused("it holds a user name or password (send a header instead)");
    }
    std::size_t host_end = std::min(text.find(':'), text.size());
    Status status = ok_status();
    if (text.starts_with('[')) {
        const std::size_t bracket = text.find(']');
        if (bracket == std::string_view::npos) {
            return refused("the bracket of the address is never closed");
        }
        host_end = bracket + 1;
        status = read_bracketed(text.substr(1, bracket - 1), url);
    } else {
        status = read_host(text.substr(0, host_end), url);
    }
    if (!status.ok() || host_end == text.size()) {
        return status;
    }
    if (text[host_end] != ':') {
        return refused("there is unexpected text between the host and the port");
    }
    return read_port(text.substr(host_end + 1), url);
}

// Cuts the scheme off; false for another one.
bool read_scheme(std::string_view& text, CheckedUrl& url) {
    const std::size_t colon = text.find("://");
    if (colon == std::string_view::npos) {
        return false;
    }
    url.scheme = text.substr(0, colon);
    std::transform(url.scheme.begin(), url.scheme.end(), url.scheme.begin(), to_lower);
    url.port = url.scheme == "https" ? 443 : 80;
    text.remove_prefix(colon + 3);
    return url.scheme == "http" || url.scheme == "https";
}

}  // namespace

std::string CheckedUrl::origin() const {
    const bool brackets = address && !address->is_v4();
    return fmt::format("{}://{}{}{}:{}", scheme, brackets ? "[" : "", host, brackets ? "]" : "",
                       port);
}

std::string CheckedUrl::text() const {
    return origin() + target;
}

Result<CheckedUrl> check_url(std::string_view text) {
    if (text.size() > kLongestUrl) {
        return refused(fmt::format("it is longer than {} bytes", kLongestUrl));
    }
    if (const auto why = odd_character(text)) {
        return refused(*why);
    }
    CheckedUrl url;
    if (!read_scheme(text, url)) {
        return refused("it does not start with http:// or https://");
    }
    const std::size_t authority = std::min(text.find_first_of("/?#"), text.size());
    if (Status status = read_authority(text.substr(0, authority), url); !status.ok()) {
        return std::move(status).error();
    }
    text.remove_prefix(authority);
    if (has_non_ascii(text)) {
        return refused("it holds a character outside ASCII behind the host (write it as %XX)");
    }
    url.target = text.substr(0, text.find('#'));
    if (!url.target.starts_with('/')) {
        url.target.insert(0, 1, '/');
    }
    return url;
}

}  // namespace jobforge::connect
