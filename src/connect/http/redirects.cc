#include "connect/http/redirects.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <jobforge/json.h>

#include "connect/guard/url_check.h"
#include "connect/http/url_reference.h"

namespace jobforge::connect {

namespace {

using Clock = std::chrono::steady_clock;

// What describes a body (WHATWG fetch, "request-body-header name").
constexpr std::array<std::string_view, 4> kAboutBody = {"content-encoding", "content-language",
                                                        "content-location", "content-type"};
// What another origin gets: how to read the body, what answer is wanted, and the trace. A list of
// what is dropped instead would miss every header that an API invents for its keys.
constexpr std::array<std::string_view, 9> kForAnyOrigin = {
    "accept",       "accept-encoding", "accept-language", "content-encoding", "content-language",
    "content-type", "traceparent",     "tracestate",      "user-agent"};

template <typename Names>
bool is_one_of(const Names& names, std::string_view header) {
    return std::any_of(std::begin(names), std::end(names),
                       [&](const auto& name) { return same_name(name, header); });
}

// On the way to another origin. A header that carries a secret is dropped also if its name is on
// the safelist: a tenant may have an API that takes its key as User-Agent.
void keep_safelisted(HttpHeaders& headers, const std::vector<std::string>& credentials) {
    std::erase_if(headers, [&](const auto& header) {
        return !is_one_of(kForAnyOrigin, header.first) || is_one_of(credentials, header.first);
    });
}

// Where it leads; nullopt for an answer like any other.
std::optional<std::string_view> target_of(const HttpResponse& response) {
    constexpr std::array kStatuses = {301, 302, 303, 307, 308};
    const bool redirect =
        std::find(kStatuses.begin(), kStatuses.end(), response.status) != kStatuses.end();
    const auto location = redirect ? response.header("location") : std::nullopt;
    return location && !location->empty() ? location : std::nullopt;
}

void change_method(HttpRequest& request, int status) {
    const bool see_other = status == 303 && request.method != "GET" && request.method != "HEAD";
    const bool moved_post = (status == 301 || status == 302) && request.method == "POST";
    if (see_other || moved_post) {
        request.method = "GET";
        request.body.clear();
        std::erase_if(request.headers,
                      [](const auto& header) { return is_one_of(kAboutBody, header.first); });
    }
}

Error gone_astray(std::string message) {
    Error error = Error::of(ErrorCode::CONNECTION_FAILED, std::move(message));
    error.retryable = false;
    error.hint = "call the address where the redirects should have ended";
    return error;
}

Error downgrade(const CheckedUrl& from, const CheckedUrl& to) {
    Error error = Error::of(
        ErrorCode::SSRF_BLOCKED,
        fmt::format("{} redirects to {}, which is not encrypted", from.origin(), to.origin()));
    error.hint = "call an address whose redirects stay with https";
    error.details =
        Json::object({{"host", to.host}, {"reason", "a redirect from https to http"}}).dump();
    return error;
}

// One chain of hops.
class Chain final {
public:
    Chain(const HttpRequest& first, const std::vector<std::string>& credentials)
        : first_(first), credentials_(credentials), deadline_(Clock::now() + first.timeout) {}

    // The request to send now.
    [[nodiscard]] const HttpRequest& request() const noexcept { return hop_ ? *hop_ : first_; }

    // Makes request() the next one.
    [[nodiscard]] Status go_to(std::string_view location, int status) {
        const auto from = check_url(request().url);
        if (!from.ok()) {
            return from.error();  // not reached: this URL has just been answered
        }
        const auto to = check_url(resolve_reference(from->text(), location));
        if (!to.ok()) {
            return to.error();
        }
        if (from->scheme == "https" && to->scheme != "https") {
            return downgrade(*from, *to);
        }
        been_.insert(fmt::format("{} {}", request().method, from->text()));
        if (++hops_ > first_.follow_redirects) {
            return gone_astray(fmt::format("{} redirects more than {} times", from->origin(),
                                           first_.follow_redirects));
        }
        if (!hop_) {
            hop_ = first_;
        }
        change_method(*hop_, status);
        hop_->url = to->text();
        if (to->origin() != from->origin()) {
            keep_safelisted(hop_->headers, credentials_);
        }
        if (been_.contains(fmt::format("{} {}", hop_->method, hop_->url))) {
            return gone_astray(
                fmt::format("the redirects of {} go round in a circle", to->origin()));
        }
        return within_deadline();
    }

private:
    [[nodiscard]] Status within_deadline() {
        hop_->timeout = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
        if (hop_->timeout.count() <= 0) {
            return Error::of(
                ErrorCode::TIMEOUT,
                fmt::format("the redirects did not end within {} ms", first_.timeout.count()));
        }
        return ok_status();
    }

    const HttpRequest& first_;
    const std::vector<std::string>& credentials_;
    const Clock::time_point deadline_;
    std::optional<HttpRequest> hop_;  // from the first redirect on
    std::set<std::string> been_;      // "METHOD url"
    int hops_ = 0;
};

// Earlier hops did their work: a repeated request repeats it.
Error after_earlier_hops(Error error) {
    error.outcome_unknown = true;
    return error;
}

}  // namespace

Redirects::Redirects(Transport& inner, std::vector<std::string> credentials)
    : inner_(inner), credentials_(std::move(credentials)) {}

Result<HttpResponse> Redirects::send(const HttpRequest& request, const std::stop_token& stop) {
    if (request.follow_redirects < 0 || request.follow_redirects > kMostRedirects) {
        return Error::of(ErrorCode::VALIDATION_ERROR,
                         fmt::format("follow_redirects must be 0 to {}", kMostRedirects));
    }
    const auto start = Clock::now();
    Chain chain(request, credentials_);
    auto response = inner_.send(request, stop);
    if (request.follow_redirects == 0) {
        return response;
    }
    while (response.ok()) {
        const auto location = target_of(*response);
        if (!location) {
            response->duration =
                std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start);
            return response;
        }
        if (Status next = chain.go_to(*location, response->status); !next.ok()) {
            return after_earlier_hops(std::move(next).error());
        }
        response = inner_.send(chain.request(), stop);
        if (!response.ok()) {
            return after_earlier_hops(std::move(response).error());
        }
    }
    return response;
}

}  // namespace jobforge::connect
