// Any bytes as a URL and as the Location of a redirect. What must hold: no crash, no endless work;
// a URL that passes the check is plain (its parts say the same when they are read again, curl's own
// parser sees the same host and port), whatever a redirect leads to passes the same check or none,
// and nothing of a query or a password survives redaction. A violation aborts.
#include <curl/curl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "connect/guard/url_check.h"
#include "connect/http/allowlist.h"
#include "connect/http/redact_http.h"
#include "connect/http/url_reference.h"

namespace {

using namespace jobforge::connect;

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }
}

std::string part(CURLU* url, CURLUPart what) {
    char* text = nullptr;
    const CURLUcode code = curl_url_get(url, what, &text, CURLU_DEFAULT_PORT);
    std::string result = code == CURLUE_OK ? text : "";
    curl_free(text);
    return result;
}

// Who dials must see what was checked.
void check_curls_opinion(const CheckedUrl& url) {
    CURLU* parsed = curl_url();
    require(curl_url_set(parsed, CURLUPART_URL, url.text().c_str(), 0) == CURLUE_OK,
            "curl can read what was checked");
    std::string host = part(parsed, CURLUPART_HOST);
    if (host.starts_with('[')) {
        host = host.substr(1, host.size() - 2);
    }
    require(host == url.host, "curl sees the same host");
    require(part(parsed, CURLUPART_PORT) == std::to_string(url.port), "curl sees the same port");
    require(part(parsed, CURLUPART_USER).empty(), "curl sees no user");
    curl_url_cleanup(parsed);
}

void check_one(std::string_view text) {
    const auto url = check_url(text);
    if (!url.ok()) {
        require(!url.error().retryable && !url.error().details.empty(), "a refusal says why");
        return;
    }
    const auto again = check_url(url->text());
    require(again.ok() && again->text() == url->text(), "what was checked passes again");
    require(again->host == url->host && again->address == url->address, "as the same host");
    check_curls_opinion(*url);
    require(covers(url->host, url->host), "a host covers itself");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_one(text);
    check_one(resolve_reference("https://base.example:443/a/b/c?d", text));
    (void)check_pattern(text);
    const std::string shown = redacted_url(text);
    require(shown.find('#') == std::string::npos, "no fragment is shown");
    return 0;
}
