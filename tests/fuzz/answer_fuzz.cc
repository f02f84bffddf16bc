// Any bytes as gzip, as a Retry-After header and as the lines of an answer's head. What must hold:
// no crash, no bad memory, no endless work, never more than the limits, the same result twice. A
// violation aborts.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "connect/http/classify.h"
#include "connect/http/decompress.h"
#include "connect/http/http_answer.h"
#include "connect/http/retry_after.h"

namespace {

using namespace jobforge::connect;

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }
}

void check_gzip(std::string_view bytes) {
    constexpr std::size_t kLimit = 100'000;
    const auto whole = gunzip(bytes, kLimit);
    const auto part = gunzip(bytes, kLimit, true);
    if (whole.ok()) {
        require(whole->bytes.size() <= kLimit, "never more than the limit");
        require(part.ok() && part->bytes == whole->bytes, "a whole is also a part");
        const auto less = gunzip(bytes, whole->bytes.size() / 2);
        require(less.ok() && whole->bytes.starts_with(less->bytes), "less is a prefix");
        require(less->truncated == !whole->bytes.empty(), "and says that it is less");
    }
}

void check_retry_after(std::string_view header) {
    const std::chrono::sys_seconds now{std::chrono::seconds(1'800'000'000)};
    const auto wait = retry_after(header, now);
    require(!wait || (*wait >= std::chrono::seconds(0) && *wait <= kLongestRetryAfter),
            "a wait is between nothing and the longest");
}

void check_head(std::string_view bytes) {
    HttpRequest request;
    request.max_header_bytes = 4096;
    request.max_headers = 50;
    request.max_response_bytes = 1000;
    HttpAnswer answer(request);
    bool going = true;
    while (going && !bytes.empty()) {
        const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
        going = answer.take_line(bytes.substr(0, end));
        bytes.remove_prefix(end);
    }
    require(going || !answer.fault().empty(), "an end says why");
    require(answer.response().headers.size() <= request.max_headers, "headers are bounded");
    (void)answer.take_body(bytes);
    require(answer.response().body.size() <= request.max_response_bytes, "bodies are bounded");
    (void)classify(answer.response(), {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check_gzip(bytes);
    check_retry_after(bytes);
    check_head(bytes);
    return 0;
}
