#include "connect/http/http_transfer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "connect/guard/socket_guard.h"
#include "connect/http/governor.h"
#include "connect/http/http_answer.h"

namespace jobforge::connect {

namespace {

struct FreeList {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
// Texts for libcurl, in order.
class TextList final {
public:
    void add(const std::string& text) {
        list_.reset(curl_slist_append(list_.release(), text.c_str()));
    }
    [[nodiscard]] curl_slist* get() const noexcept { return list_.get(); }

private:
    std::unique_ptr<curl_slist, FreeList> list_;
};

bool is_token(std::string_view text) noexcept {
    constexpr std::string_view kAlso = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               kAlso.find(c) != std::string_view::npos;
    });
}

bool has_header(const HttpRequest& request, std::string_view name) noexcept {
    return std::any_of(request.headers.begin(), request.headers.end(),
                       [&](const auto& header) { return same_name(header.first, name); });
}

Error unsendable(std::string message) {
    return Error::of(ErrorCode::VALIDATION_ERROR, std::move(message));
}

// What frames the message or names the server follows from the request itself; a second opinion
// about it is how requests are smuggled.
constexpr std::array<std::string_view, 8> kOurs = {
    "Host",    "Content-Length", "Transfer-Encoding",   "Connection",
    "Upgrade", "Expect",         "Proxy-Authorization", "TE"};

TextList header_list(const HttpRequest& request) {
    TextList list;
    for (const auto& [name, value] : request.headers) {
        // libcurl's spelling of an empty value; "Name:" would mean "do not send".
        list.add(value.empty() ? name + ";" : fmt::format("{}: {}", name, value));
    }
    // What libcurl would add by itself.
    for (const char* name : {"Accept", "Content-Type"}) {
        if (!has_header(request, name)) {
            list.add(fmt::format("{}:", name));
        }
    }
    list.add("Expect:");
    return list;
}

// "host:port:address,address": libcurl asks no name server. '+': forgotten after a minute, so that
// a slot that talks to many hosts does not collect them.
TextList pinned(const HttpTransfer& transfer) {
    TextList list;
    std::string entry = fmt::format("+{}:{}:", transfer.url.host, transfer.url.port);
    for (const IpAddress& address : transfer.addresses) {
        entry += entry.ends_with(':') ? "" : ",";
        entry += address.is_v4() ? address.text() : fmt::format("[{}]", address.text());
    }
    list.add(entry);
    return list;
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* answer) {
    const bool goes_on = static_cast<HttpAnswer*>(answer)->take_line({data, size * count});
    return goes_on ? size * count : 0;
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* answer) {
    const bool goes_on = static_cast<HttpAnswer*>(answer)->take_body({data, size * count});
    return goes_on ? size * count : 0;
}

void set_method(CURL* easy, const HttpRequest& request) {
    const bool with_body = !request.body.empty() || request.method == "POST" ||
                           request.method == "PUT" || request.method == "PATCH";
    if (with_body) {
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                         static_cast<curl_off_t>(request.body.size()));
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.data());
    }
    if (request.method == "HEAD") {
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    }
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
}

// Everything libcurl would otherwise take from the environment, from the answer or from its own
// opinion.
void set_limits(CURL* easy, const HttpOptions& options) {
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");  // not even http_proxy, ALL_PROXY ...
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_HTTP09_ALLOWED, 0L);
    curl_easy_setopt(easy, CURLOPT_HTTP_CONTENT_DECODING, 0L);  // no gzip bombs
    curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    if (!options.ca_file.empty()) {
        curl_easy_setopt(easy, CURLOPT_CAINFO, options.ca_file.c_str());
    }
    curl_easy_setopt(easy, CURLOPT_USERAGENT, options.user_agent.c_str());
}

long milliseconds_until(Deadline deadline) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    // 0 would mean "no limit" to libcurl.
    return static_cast<long>(std::max<std::chrono::milliseconds::rep>(left.count(), 1));
}

// Sockets, libcurl's own timers and a stop end the waiting earlier.
constexpr int kLongestPoll = 60'000;

// nullopt if it was stopped from outside.
std::optional<CURLcode> perform(const HttpSlot& slot, const std::stop_token& stop) {
    if (curl_multi_add_handle(slot.multi(), slot.easy()) != CURLM_OK) {
        return CURLE_FAILED_INIT;
    }
    std::optional<CURLcode> result;
    {
        const std::stop_callback wake(stop, [&slot] { curl_multi_wakeup(slot.multi()); });
        int running = 1;
        CURLMcode state = CURLM_OK;
        while (running != 0 && state == CURLM_OK && !stop.stop_requested()) {
            state = curl_multi_perform(slot.multi(), &running);
            if (state == CURLM_OK && running != 0) {
                state = curl_multi_poll(slot.multi(), nullptr, 0, kLongestPoll, nullptr);
            }
        }
        if (state != CURLM_OK) {
            result = CURLE_FAILED_INIT;
        }
    }
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(slot.multi(), &left)) {
        if (message->msg == CURLMSG_DONE) {
            result = message->data.result;
        }
    }
    curl_multi_remove_handle(slot.multi(), slot.easy());
    return result;
}

bool is_about_certificate(CURLcode code) noexcept {
    return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
           code == CURLE_SSL_ISSUER_ERROR || code == CURLE_SSL_INVALIDCERTSTATUS;
}

Error blocked(const HttpTransfer& transfer, const SocketGuard::Refusal& refusal) {
    if (refusal.address) {
        return blocked_address(transfer.url.host, *refusal.address, refusal.reason);
    }
    return Error::of(ErrorCode::SSRF_BLOCKED,
                     fmt::format("{} may not be reached: {}", transfer.url.host, refusal.reason));
}

std::string_view reason(const HttpAnswer& answer, std::optional<CURLcode> code, const char* told) {
    if (!answer.fault().empty()) {
        return answer.fault();
    }
    if (code == CURLE_OK) {
        return "the connection was lost within the headers of the answer";
    }
    return *told != '\0' ? told : curl_easy_strerror(code.value_or(CURLE_OK));
}

Error ended(const HttpTransfer& transfer, std::optional<CURLcode> code, std::string_view why) {
    const std::string origin = transfer.url.origin();
    if (!code) {
        return Error::of(ErrorCode::TIMEOUT, fmt::format("the request to {} was stopped", origin));
    }
    if (*code == CURLE_OPERATION_TIMEDOUT) {
        return Error::of(ErrorCode::TIMEOUT, fmt::format("{} gave no complete answer within {} ms",
                                                         origin, transfer.request.timeout.count()));
    }
    Error error = Error::of(ErrorCode::CONNECTION_FAILED, fmt::format("{}: {}", origin, why));
    if (is_about_certificate(*code)) {
        error.retryable = false;
        error.hint =
            "the server needs a certificate for this name from an authority that is "
            "trusted here";
    }
    return error;
}

}  // namespace

Status check_sendable(const HttpRequest& request) {
    if (!is_token(request.method) || request.method == "CONNECT" || request.method == "TRACE") {
        return unsendable(fmt::format("\"{}\" is not a method that can be sent", request.method));
    }
    for (const auto& [name, value] : request.headers) {
        if (!is_token(name)) {
            return unsendable("a header's name is empty or holds a character names do not have");
        }
        const bool ours = std::any_of(kOurs.begin(), kOurs.end(),
                                      [&](std::string_view own) { return same_name(own, name); });
        if (ours) {
            return unsendable(fmt::format("the header {} is set by Jobforge itself", name));
        }
        const bool control = std::any_of(value.begin(), value.end(), [](char c) {
            return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
        });
        if (control) {
            return unsendable(
                fmt::format("the value of header {} holds a control character", name));
        }
    }
    return ok_status();
}

Result<HttpResponse> run_transfer(HttpSlot& slot, const HttpTransfer& transfer,
                                  const std::stop_token& stop) {
    CURL* easy = slot.easy();
    HttpAnswer answer(transfer.request);
    SocketGuard socket_guard(transfer.guard);
    const TextList headers = header_list(transfer.request);
    const TextList resolve = pinned(transfer);
    std::array<char, CURL_ERROR_SIZE> why{};
    set_limits(easy, transfer.options);  // on a handle as new: the last call was reset at its end
    set_method(easy, transfer.request);
    socket_guard.watch(easy);
    curl_easy_setopt(easy, CURLOPT_URL, transfer.url.text().c_str());
    if (!transfer.url.address) {
        curl_easy_setopt(easy, CURLOPT_RESOLVE, resolve.get());
    }
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, milliseconds_until(transfer.deadline));
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, why.data());
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, &answer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &answer);

    const std::optional<CURLcode> code = perform(slot, stop);
    long status = 0;
    long sent = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &sent);
    curl_easy_reset(easy);  // nothing of this call stays behind but the connection
    if (socket_guard.refusal()) {
        return blocked(transfer, *socket_guard.refusal());
    }
    const bool complete = code == CURLE_OK && answer.headers_complete();
    if (complete || (code && answer.response().truncated)) {
        answer.response().status = static_cast<int>(status);
        return std::move(answer.response());
    }
    const bool ours = code == CURLE_OUT_OF_MEMORY || code == CURLE_FAILED_INIT ||
                      (code == CURLE_COULDNT_CONNECT && socket_guard.short_of_sockets());
    if (ours && sent == 0) {
        return shortage("no memory or file descriptor for an HTTP request");
    }
    Error error = ended(transfer, code, reason(answer, code, why.data()));
    error.outcome_unknown = sent > 0;
    error.connection_lost = sent > 0 && code && error.code == ErrorCode::CONNECTION_FAILED;
    return error;
}

}  // namespace jobforge::connect
