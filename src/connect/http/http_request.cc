#include "connect/http/http_request.h"

#include <mutex>

#include <curl/curl.h>

#include "connect/guard/address_guard.h"
#include "connect/guard/judged_addresses.h"
#include "connect/guard/url_check.h"
#include "connect/http/governor.h"
#include "connect/http/http_slot.h"
#include "connect/http/http_transfer.h"

namespace jobforge::connect {

namespace {

// Before the first handle, once in a process; never undone, because others may use libcurl too.
void prepare_libcurl() {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

HttpOptions with_resolver(HttpOptions options) {
    if (!options.resolver) {
        options.resolver = system_resolver();
    }
    return options;
}

}  // namespace

struct HttpClient::State {
    explicit State(HttpOptions given)
        : options(with_resolver(std::move(given))),
          guard(options.allowed_networks),
          slots(options.max_idle_connections) {}

    const HttpOptions options;
    const AddressGuard guard;
    HttpSlots slots;
};

HttpClient::HttpClient(HttpOptions options) {
    prepare_libcurl();
    state_ = std::make_unique<State>(std::move(options));
}

HttpClient::~HttpClient() = default;

Result<HttpResponse> HttpClient::send(const HttpRequest& request, const std::stop_token& stop) {
    const auto start = std::chrono::steady_clock::now();
    const Deadline deadline = start + request.timeout;
    const auto url = check_url(request.url);
    if (!url.ok()) {
        return url.error();
    }
    if (Status sendable = check_sendable(request); !sendable.ok()) {
        return std::move(sendable).error();
    }
    const auto addresses = judged_addresses(
        *url, state_->guard, state_->options.resolver,
        {.host = {}, .tenant = request.tenant, .deadline = deadline, .stop = stop});
    if (!addresses.ok()) {
        return addresses.error();
    }
    auto slot = state_->slots.take(url->origin());
    if (!slot->ready()) {
        return shortage("no memory for an HTTP request");
    }
    auto response = run_transfer(
        *slot, {request, state_->options, state_->guard, *url, *addresses, deadline}, stop);
    state_->slots.give_back(std::move(slot));
    if (response.ok()) {
        response->duration = std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - start);
    }
    return response;
}

}  // namespace jobforge::connect
