#include "values/unicode.h"

#include <algorithm>
#include <iterator>

#include "base/text/utf8.h"
#include "values/unicode_table.h"

namespace jobforge::unicode {

namespace {

constexpr char32_t kReplacement = 0xFFFD;

// The range that may hold the code point: the last one that begins at or before it.
template <typename Range, std::size_t Count>
const Range* range_of(const Range (&ranges)[Count], char32_t code_point) noexcept {
    const auto* const after =
        std::upper_bound(std::begin(ranges), std::end(ranges), code_point,
                         [](char32_t value, const Range& range) { return value < range.first; });
    if (after == std::begin(ranges) || code_point > std::prev(after)->last) {
        return nullptr;
    }
    return std::prev(after);
}

char32_t decoded(std::string_view sequence) noexcept {
    const auto byte = [sequence](std::size_t i) {
        return static_cast<char32_t>(static_cast<unsigned char>(sequence[i]));
    };
    switch (sequence.size()) {
        case 1:
            return byte(0);
        case 2:
            return (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
        case 3:
            return (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
        default:
            return (byte(0) & 0x07U) << 18U | (byte(1) & 0x3FU) << 12U | (byte(2) & 0x3FU) << 6U |
                   (byte(3) & 0x3FU);
    }
}

}  // namespace

char32_t take(std::string_view& text) noexcept {
    const std::size_t length = utf8_sequence_length(text.data(), text.data() + text.size());
    const char32_t code_point = length == 0 ? kReplacement : decoded(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
    return code_point;
}

char32_t lower(char32_t code_point) noexcept {
    if (code_point < 0x80) {
        return code_point >= U'A' && code_point <= U'Z' ? code_point + (U'a' - U'A') : code_point;
    }
    const LowerRange* const range = range_of(kLowerRanges, code_point);
    if (range == nullptr || (code_point - range->first) % range->step != 0) {
        return code_point;
    }
    return static_cast<char32_t>(static_cast<std::int32_t>(code_point) + range->difference);
}

bool is_word(char32_t code_point) noexcept {
    if (code_point < 0x80) {
        const char32_t small = lower(code_point);
        return (small >= U'a' && small <= U'z') || (code_point >= U'0' && code_point <= U'9');
    }
    return range_of(kWordRanges, code_point) != nullptr;
}

bool is_blank(char32_t code_point) noexcept {
    return code_point == U' ' || (code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x85 ||
           code_point == 0xA0 || code_point == 0x1680 ||
           (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x2028 ||
           code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F ||
           code_point == 0x3000;
}

std::string lower_case(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        utf8_append(out, lower(take(text)));
    }
    return out;
}

std::string_view trimmed(std::string_view text) noexcept {
    std::string_view rest = text;
    std::size_t end = 0;  // of the last character that is not a blank
    std::size_t begin = text.size();
    while (!rest.empty()) {
        const std::size_t at = text.size() - rest.size();
        if (!is_blank(take(rest))) {
            begin = std::min(begin, at);
            end = text.size() - rest.size();
        }
    }
    return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

std::string collapsed(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    bool blank = false;
    while (!text.empty()) {
        const char32_t code_point = take(text);
        if (is_blank(code_point)) {
            blank = true;
            continue;
        }
        if (blank && !out.empty()) {
            out += ' ';
        }
        blank = false;
        utf8_append(out, code_point);
    }
    return out;
}

}  // namespace jobforge::unicode
