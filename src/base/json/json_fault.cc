#include "base/json/json_fault.h"

#include <algorithm>

namespace jobforge {

Error json_fault(std::string_view text, std::size_t offset, std::string_view message) {
    const std::string_view before = text.substr(0, offset);
    const auto line = 1 + std::ranges::count(before, '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    const auto column = 1 + std::ranges::count_if(before.substr(line_start), [](char c) {
                            return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
                        });
    const std::string line_text = std::to_string(line);
    const std::string column_text = std::to_string(column);
    Error error =
        Error::of(ErrorCode::VALIDATION_ERROR,
                  "line " + line_text + ", column " + column_text + ": " + std::string(message));
    error.details = "{\"offset\":" + std::to_string(offset) + ",\"line\":" + line_text +
                    ",\"column\":" + column_text + "}";
    return error;
}

std::string_view foreign_encoding(std::string_view text) noexcept {
    using namespace std::string_view_literals;
    if (text.starts_with("\xEF\xBB\xBF"sv)) {
        return "the text begins with a byte order mark (EF BB BF); save it as "
               "UTF-8 without one";
    }
    if (text.starts_with("\xFF\xFE\0\0"sv) || text.starts_with("\0\0\xFE\xFF"sv)) {
        return "this is UTF-32 (it begins with a byte order mark); JSON is UTF-8: "
               "convert it";
    }
    if (text.starts_with("\xFF\xFE"sv) || text.starts_with("\xFE\xFF"sv)) {
        return "this is UTF-16 (it begins with a byte order mark); JSON is UTF-8: "
               "convert it";
    }
    // The first character of JSON is ASCII: in UTF-16 and UTF-32 it has NUL bytes beside it.
    if (text.size() >= 2 && (text[0] == '\0') != (text[1] == '\0')) {
        return "a NUL byte at the start: this looks like UTF-16 or UTF-32; JSON is "
               "UTF-8: "
               "convert it";
    }
    if (text.starts_with("\0\0\0"sv) && text.size() >= 4 && text[3] != '\0') {
        return "NUL bytes at the start: this looks like UTF-32; JSON is UTF-8: "
               "convert it";
    }
    return {};
}

}  // namespace jobforge
