// Moments as text: microseconds since 1970-01-01T00:00:00Z to RFC 3339 and back. Pure: no clock, no
// time zone database, no locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge {

// `YYYY-MM-DDTHH:MM:SS.ffffffZ`, always six fraction digits: what PostgreSQL keeps and what hashed
// JSON holds. Total: a year outside 0000..9999 gets a sign and as many digits as it needs (ISO 8601
// expanded form, which parse_time refuses).
[[nodiscard]] std::string format_time(std::int64_t unix_us);

// Microseconds from `YYYY-MM-DDTHH:MM:SS[.f](Z|+HH:MM|-HH:MM)` with 1 to 9 fraction digits,
// truncated to six. Also takes PostgreSQL's own text form: a space for the T, and +HH. Years 0001
// to 9999, no leap second. VALIDATION_ERROR otherwise, with the text and the reason: a day that the
// month does not have, a missing offset (the moment would be unknown), or the form.
[[nodiscard]] Result<std::int64_t> parse_time(std::string_view text);

}  // namespace jobforge
