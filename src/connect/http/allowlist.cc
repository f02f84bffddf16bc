#include "connect/http/allowlist.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <jobforge/json.h>

#include "connect/guard/url_check.h"

namespace jobforge::connect {

namespace {

constexpr std::string_view kBelow = "*.";

bool on_list(const std::vector<std::string>& list, std::string_view host) {
    return list.empty() || std::any_of(list.begin(), list.end(), [&](const std::string& pattern) {
               return covers(pattern, host);
           });
}

Error not_listed(std::string_view host) {
    Error error =
        Error::of(ErrorCode::SSRF_BLOCKED, fmt::format("{} is not on the allowlist", host));
    error.hint = "add the host to the allowlist, or call one that is on it";
    error.details =
        Json::object({{"host", std::string(host)}, {"reason", "not on the allowlist"}}).dump();
    return error;
}

}  // namespace

bool covers(std::string_view pattern, std::string_view host) noexcept {
    if (pattern.starts_with(kBelow)) {
        pattern.remove_prefix(1);  // the dot stays: "*.example.com" does not cover "badexample.com"
        return host.size() > pattern.size() &&
               same_name(host.substr(host.size() - pattern.size()), pattern);
    }
    if (const auto address = IpAddress::parse(pattern)) {
        return address == IpAddress::parse(host);
    }
    return same_name(pattern, host);
}

Status check_pattern(std::string_view pattern) {
    if (IpAddress::parse(pattern)) {
        return ok_status();
    }
    const bool below = pattern.starts_with(kBelow);
    const std::string_view name = pattern.substr(below ? kBelow.size() : 0);
    const auto url = check_url(fmt::format("http://{}/", name));
    // The rest of a URL ("a.example:80", "a.example/x") would be read as something else than host.
    const bool plain = url.ok() && same_name(url->host, name) && !url->address;
    if (!plain || (below && name.find('.') == std::string_view::npos)) {
        Error error = Error::of(ErrorCode::VALIDATION_ERROR,
                                fmt::format("\"{}\" is not a host for an allowlist", pattern));
        error.hint = "write api.example.com, *.example.com or an address, without scheme and port";
        return error;
    }
    return ok_status();
}

Allowlisted::Allowlisted(Transport& inner, std::vector<std::vector<std::string>> lists)
    : inner_(inner), lists_(std::move(lists)) {}

Result<HttpResponse> Allowlisted::send(const HttpRequest& request, const std::stop_token& stop) {
    const auto url = check_url(request.url);
    if (!url.ok()) {
        return url.error();
    }
    const bool listed = std::all_of(lists_.begin(), lists_.end(),
                                    [&](const auto& list) { return on_list(list, url->host); });
    return listed ? inner_.send(request, stop) : Result<HttpResponse>(not_listed(url->host));
}

}  // namespace jobforge::connect
