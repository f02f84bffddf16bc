#include "connect/http/tracing.h"

#include <algorithm>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "base/crypto/hash.h"

namespace jobforge::connect {

namespace {

constexpr std::size_t kDigits = 32;
constexpr std::string_view kHeader = "traceparent";

// The 32 hex digits in lower case, hyphens of a UUID left out; empty if it is neither.
std::string as_hex(std::string_view text) {
    const bool uuid = text.size() == 36 && text[8] == '-' && text[13] == '-' && text[18] == '-' &&
                      text[23] == '-';
    std::string digits;
    for (const char c : text) {
        const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
        if ((lower >= '0' && lower <= '9') || (lower >= 'a' && lower <= 'f')) {
            digits += lower;
        } else if (!uuid || c != '-') {
            return {};
        }
    }
    return digits.size() == kDigits ? digits : std::string();
}

}  // namespace

std::string w3c_trace_id(std::string_view trace_id) {
    std::string digits = as_hex(trace_id);
    const bool usable = digits.find_first_not_of('0') != std::string::npos;  // zeros mean "none"
    return usable ? digits : sha256_hex(trace_id).substr(0, kDigits);
}

std::string traceparent(std::string_view trace_id, std::uint64_t span_id) {
    return fmt::format("00-{}-{:016x}-01", trace_id, std::max<std::uint64_t>(span_id, 1));
}

SpanIds random_span_ids() {
    return [] {
        // Sixty-four bits of seed: with thirty-two, two workers out of 77,000 would share a row.
        thread_local std::mt19937_64 generator = [] {
            std::random_device device;
            std::seed_seq seed{device(), device(), device(), device()};
            return std::mt19937_64(seed);
        }();
        return generator();
    };
}

Traced::Traced(Transport& inner, std::string_view trace_id, SpanIds span_ids)
    : inner_(inner),
      trace_id_(trace_id.empty() ? std::string() : w3c_trace_id(trace_id)),
      span_ids_(std::move(span_ids)) {}

Result<HttpResponse> Traced::send(const HttpRequest& request, const std::stop_token& stop) {
    if (trace_id_.empty()) {
        return inner_.send(request, stop);
    }
    HttpRequest traced = request;
    std::erase_if(traced.headers, [](const auto& header) {
        return same_name(header.first, kHeader) || same_name(header.first, "tracestate");
    });
    traced.headers.emplace_back(kHeader, traceparent(trace_id_, span_ids_()));
    return inner_.send(traced, stop);
}

}  // namespace jobforge::connect
