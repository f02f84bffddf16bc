#include "base/text/visible_text.h"

#include <cstddef>
#include <optional>

#include <fmt/format.h>

#include "base/text/utf8.h"

namespace jobforge {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_direction_mark(std::string_view character) noexcept {
    return (character >= "\xE2\x80\xAA" && character <= "\xE2\x80\xAE") ||
           (character >= "\xE2\x81\xA6" && character <= "\xE2\x81\xA9");
}

// The code point of a character that must not reach a terminal; nullopt of any other.
std::optional<unsigned> hidden_code_point(std::string_view character) noexcept {
    const auto byte = [character](std::size_t i) {
        return static_cast<unsigned char>(character[i]);
    };
    if (character.size() == 1) {
        return byte(0) < 0x20 || byte(0) == 0x7F ? std::optional<unsigned>(byte(0)) : std::nullopt;
    }
    if (character.size() == 2 && byte(0) == 0xC2 && byte(1) < 0xA0) {
        return byte(1);
    }
    if (character.size() == 3 && is_direction_mark(character)) {
        return (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
    }
    return std::nullopt;
}

std::string visible(std::string_view text, bool keep_line_feeds) {
    std::string out;
    out.reserve(text.size());
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        const std::size_t length = utf8_sequence_length(at, end);
        if (length == 0) {
            out += kReplacement;
            ++at;
            continue;
        }
        const std::string_view character(at, length);
        at += length;
        const auto hidden = hidden_code_point(character);
        if (!hidden) {
            out += character;
        } else if (hidden == '\n') {
            out += keep_line_feeds ? "\n" : "\\n";
        } else if (hidden == '\t') {
            out += "\\t";
        } else if (hidden == '\r') {
            out += "\\r";
        } else {
            out += fmt::format("\\u{:04x}", *hidden);
        }
    }
    return out;
}

}  // namespace

std::string visible_text(std::string_view text) {
    return visible(text, false);
}

std::string visible_lines(std::string_view text) {
    return visible(text, true);
}

}  // namespace jobforge
