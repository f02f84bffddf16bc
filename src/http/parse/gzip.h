// Compressing answers: whether the client wants it, whether it is worth it, and doing it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "http/parse/http_message.h"

namespace jobforge::http {

// Below this, the headers outweigh what is saved.
inline constexpr std::size_t kMinGzipBytes = 1024;

// Whether an Accept-Encoding value allows gzip (RFC 9110, 12.5.3): named with q above 0, or covered
// by "*" and not named. q-values that are none count as 0: a client that cannot say what it wants
// gets plain text.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding) noexcept;
// Text, JSON, YAML, XML, SVG: what shrinks. Images and archives are compressed already.
[[nodiscard]] bool is_compressible(std::string_view content_type) noexcept;
// `text` in gzip's format. Throws std::bad_alloc only.
[[nodiscard]] std::string gzip(std::string_view text);

// Compresses the body of an answer to `head` if that is allowed and worth it. Every answer that
// might have been compressed says Vary: Accept-Encoding. A strong ETag becomes weak: it promised
// the bytes of the body, which are now others. Answers with a Content-Encoding, a stream or a
// status without body stay as they are.
void compress_answer(Response& response, const RequestHead& head);

}  // namespace jobforge::http
