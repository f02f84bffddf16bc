// W3C Trace Context: the receiver of a call can name the job that made it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "connect/http/transport.h"

namespace jobforge::connect {

// 32 lower-case hex digits, not all zero, for the trace id of a job: itself when it has that form
// (either case, a UUID's hyphens left out), else the start of its SHA-256, so that the same text is
// the same trace everywhere. Pure.
[[nodiscard]] std::string w3c_trace_id(std::string_view trace_id);

// "00-<trace id>-<span id>-01", trace_id as w3c_trace_id() makes it; 0 is not a span id and
// becomes 1. Pure.
[[nodiscard]] std::string traceparent(std::string_view trace_id, std::uint64_t span_id);

// Sixty-four random bits, one request after the other.
using SpanIds = std::function<std::uint64_t()>;
[[nodiscard]] SpanIds random_span_ids();

// Sets the header traceparent on every request, with a span of its own; one that the caller has set
// is replaced, because the job is what made the call. Threads: any number.
class Traced final : public Transport {
public:
    // `inner` must outlive it. `trace_id`: the job's, any text; empty: nothing is added.
    Traced(Transport& inner, std::string_view trace_id, SpanIds span_ids = random_span_ids());

    [[nodiscard]] Result<HttpResponse> send(const HttpRequest& request,
                                            const std::stop_token& stop = {}) override;

private:
    Transport& inner_;
    std::string trace_id_;
    SpanIds span_ids_;
};

}  // namespace jobforge::connect
