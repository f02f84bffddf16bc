#include "api/pages/html_text.h"

#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "base/text/base64.h"

namespace jobforge::api {

namespace {

bool has_no_place(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t' && c != '\n') || byte == 0x7f;
}

}  // namespace

std::string html_escaped(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                if (has_no_place(c)) {
                    out += "\xef\xbf\xbd";
                } else {
                    out += c;
                }
        }
    }
    return out;
}

std::string page_policy(std::string_view style) {
    return fmt::format(
        "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'",
        base64_encode(hex_decode(sha256_hex(style)).value()));
}

}  // namespace jobforge::api
