#include "base/json/json_reader.h"

#include <jobforge/json.h>

#include "base/json/json_fault.h"
#include "base/text/hex_digit.h"
#include "base/text/utf8.h"

namespace jobforge {

bool JsonReader::begin() {
    const std::string_view text(begin_, static_cast<std::size_t>(end_ - begin_));
    if (const std::string_view encoding = foreign_encoding(text); !encoding.empty()) {
        return fail(encoding);
    }
    skip_space();
    return true;
}

bool JsonReader::end() {
    skip_space();
    return at_ == end_ || fail("nothing may follow the document");
}

bool JsonReader::unescaped() {
    for (;;) {
        at_ = skip_plain(at_, end_);
        if (at_ == end_) {
            return fail("the text ends inside a string");
        }
        if (*at_ == '"' || *at_ == '\\') {
            return true;
        }
        if (!multi_byte()) {
            return false;
        }
    }
}

// Steps over UTF-8 sequences of several bytes.
bool JsonReader::multi_byte() {
    do {
        const std::size_t length = utf8_sequence_length(at_, end_);
        if (length == 0) {
            return fail("this is not valid UTF-8");
        }
        if (length == 1) {  // neither plain, quote nor backslash: a control character
            return fail("a control character in a string must be escaped");
        }
        at_ += length;
    } while (at_ != end_ && static_cast<unsigned char>(*at_) >= 0x80);
    return true;
}

bool JsonReader::escape(char32_t& unit) {
    if (end_ - at_ < 2) {
        at_ = end_;
        return fail("the text ends inside a string");
    }
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    if (at_[1] == 'u') {
        return hex_digits(unit);
    }
    const std::size_t known = kLetters.find(at_[1]);
    if (known == std::string_view::npos) {
        return fail("this escape does not exist in JSON");
    }
    unit = static_cast<char32_t>(kMeanings[known]);
    at_ += 2;
    return true;
}

// Reads \uXXXX, of which "\u" has been seen.
bool JsonReader::hex_digits(char32_t& unit) {
    at_ += 2;
    unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
        const char c = at_ == end_ ? '\0' : *at_;
        const int digit = hex_digit_value(c);
        if (digit < 0) {
            return fail("four hex digits must follow \\u");
        }
        unit = unit * 16 + static_cast<char32_t>(digit);
    }
    return true;
}

bool JsonReader::fail(std::string_view message, std::string_view subject) {
    message_ = message;
    if (!subject.empty()) {
        message_ += json_quote(subject.substr(0, 64));
    }
    return false;
}

Error JsonReader::fault() const {
    return json_fault({begin_, static_cast<std::size_t>(end_ - begin_)},
                      static_cast<std::size_t>(at_ - begin_), message_);
}

}  // namespace jobforge
