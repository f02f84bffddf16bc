// What a job keeps of an answer: bounded, readable, without secrets. Pure.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include <jobforge/json.h>

#include "base/text/redact.h"
#include "connect/http/outgoing_message.h"

namespace jobforge::services {

// {"status","headers","body","body_encoding","truncated","duration_ms","attempts"}. Headers are an
// object by lower-case name, several of one name joined with ", "; those that carry credentials,
// and those of `redact_headers`, say [redacted]. The body is text ("utf8") or, where it is not
// UTF-8 or holds U+0000, base64.
[[nodiscard]] Json http_result(const connect::HttpResponse& response,
                               std::span<const std::string> redact_headers,
                               const Redactor& redactor, int attempts);

// The first 500 bytes of a body, for people: cut between characters, what is not UTF-8 replaced.
[[nodiscard]] std::string response_preview(std::string_view body, const Redactor& redactor);

[[nodiscard]] std::int64_t milliseconds_of(std::chrono::microseconds duration) noexcept;

}  // namespace jobforge::services
