// Where a request's head ends, found as its bytes arrive. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace jobforge::http {

struct HeadLimits {
    std::size_t bytes = 16384;        // request line, headers and the empty line
    std::size_t count = 100;          // headers
    std::size_t target_bytes = 8192;  // the request target
};

struct HeadRefusal {
    int status = 0;            // 400, 414, 417, 431 or 505; 0: nothing to refuse
    std::string_view message;  // for the client; names no byte it sent
};

// Looks for the end of a head in what has arrived, without interpreting it. Bare line breaks and
// NUL are found as they arrive: "GET / HTTP/1.1\n\n" must not wait for an end that never comes.
class HeadScan final {
public:
    explicit HeadScan(HeadLimits limits) : limits_(limits) {}

    // `buffer` begins with the head and has grown at its end only since the last call. The head's
    // length including its empty line, 0 if more must arrive or refusal() is set.
    [[nodiscard]] std::size_t find_end(std::string_view buffer);
    [[nodiscard]] const HeadRefusal& refusal() const noexcept { return refusal_; }

private:
    HeadLimits limits_;
    std::size_t seen_ = 0;
    std::size_t line_ = 0;   // where the current line begins
    std::size_t lines_ = 0;  // complete ones
    HeadRefusal refusal_;
};

}  // namespace jobforge::http
