// Reading JSON text: one pass, recursive descent with a bounded depth.
//
// Elements are collected on stacks shared by the whole document and moved into exactly sized
// vectors when their container closes: one allocation a container instead of log2(n), and no spare
// capacity in the result.
#include <jobforge/json.h>

#include <algorithm>

#include "core/json_keys.h"
#include "core/json_number.h"
#include "core/json_plain.h"
#include "core/utf8.h"

namespace jobforge {
namespace {

constexpr int kMaximumDepth = 128;

bool is_space(char c) noexcept {
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

}  // namespace

class Json::Parser final {
public:
    explicit Parser(std::string_view text) noexcept
        : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

    Result<Json> run() {
        Json document;
        skip_space();
        if (!value(document)) {
            return fault();
        }
        skip_space();
        if (at_ != end_) {
            fail("nothing may follow the document");
            return fault();
        }
        return document;
    }

private:
    [[nodiscard]] bool value(Json& out) {
        if (at_ == end_) {
            return fail("the text ends where a value is needed");
        }
        switch (*at_) {
            case '{':
                return object(out);
            case '[':
                return array(out);
            case '"':
                return string(out.value_.emplace<std::string>());
            case 't':
                out.value_ = true;
                return literal("true");
            case 'f':
                out.value_ = false;
                return literal("false");
            case 'n':
                return literal("null");
            default:
                return number(out);
        }
    }

    [[nodiscard]] bool literal(std::string_view word) {
        const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
        if (!rest.starts_with(word)) {
            return fail("this is no JSON value");
        }
        at_ += word.size();
        return true;
    }

    [[nodiscard]] bool number(Json& out) {
        if (*at_ != '-' && (*at_ < '0' || *at_ > '9')) {
            return fail("this is no JSON value");
        }
        const NumberScan scan = scan_number(at_, end_);
        if (scan.fault != nullptr) {
            at_ = scan.end;
            return fail(scan.fault);
        }
        out.value_.emplace<Number>().text.assign(at_, static_cast<std::size_t>(scan.end - at_));
        at_ = scan.end;
        return true;
    }

    [[nodiscard]] bool array(Json& out) {
        if (!enter()) {
            return false;
        }
        const std::size_t first = items_.size();
        if (!at_close(']')) {
            do {
                items_.emplace_back();
                if (!element(items_, [](Json& item) -> Json& { return item; })) {
                    return false;
                }
            } while (next_element());
            if (!close(']', "a comma or ] is needed here")) {
                return false;
            }
        }
        const auto from = items_.begin() + static_cast<std::ptrdiff_t>(first);
        out.value_.emplace<Array>(std::move_iterator(from), std::move_iterator(items_.end()));
        items_.erase(from, items_.end());
        --depth_;
        return true;
    }

    [[nodiscard]] bool object(Json& out) {
        if (!enter()) {
            return false;
        }
        const std::size_t first = members_.size();
        if (!at_close('}')) {
            do {
                if (!member()) {
                    return false;
                }
            } while (next_element());
            if (!close('}', "a comma or } is needed here")) {
                return false;
            }
        }
        const auto from = members_.begin() + static_cast<std::ptrdiff_t>(first);
        Object& object = out.value_.emplace<Object>(std::move_iterator(from),
                                                    std::move_iterator(members_.end()));
        members_.erase(from, members_.end());
        const bool distinct = keys_are_distinct(object, first);
        key_places_.resize(first);
        --depth_;
        return distinct;
    }

    [[nodiscard]] bool member() {
        if (at_ == end_ || *at_ != '"') {
            return fail("a key in quotes is needed here");
        }
        key_places_.push_back(offset());
        if (!string(members_.emplace_back().first)) {
            return false;
        }
        skip_space();
        if (at_ == end_ || *at_ != ':') {
            return fail("a colon is needed here");
        }
        ++at_;
        skip_space();
        return element(members_, [](Member& member) -> Json& { return member.second; });
    }

    // Reads a value into the top of a stack. Not in place if it is a container: its own elements
    // go onto the stacks meanwhile, which may move what is there.
    template <typename Stack, typename Slot>
    [[nodiscard]] bool element(Stack& stack, Slot slot_of) {
        if (at_ == end_ || (*at_ != '{' && *at_ != '[')) {
            return value(slot_of(stack.back()));
        }
        Json container;
        if (!value(container)) {
            return false;
        }
        slot_of(stack.back()) = std::move(container);
        return true;
    }

    [[nodiscard]] bool keys_are_distinct(const Object& object, std::size_t first) {
        const std::optional<std::size_t> repeated = first_repeated_key(object);
        if (!repeated) {
            return true;
        }
        at_ = begin_ + key_places_[first + *repeated];
        return fail("this key is already in the object: ", object[*repeated].first);
    }

    // Opens an array or an object and stops at its first element or its end.
    [[nodiscard]] bool enter() {
        if (depth_ == kMaximumDepth) {
            return fail("nested deeper than 128 levels");
        }
        ++depth_;
        ++at_;
        skip_space();
        return true;
    }

    [[nodiscard]] bool at_close(char bracket) noexcept {
        if (at_ == end_ || *at_ != bracket) {
            return false;
        }
        ++at_;
        return true;
    }

    // Behind an element: whether a comma announces another one, which is then next.
    [[nodiscard]] bool next_element() noexcept {
        skip_space();
        if (at_ == end_ || *at_ != ',') {
            return false;
        }
        ++at_;
        skip_space();
        return true;
    }

    [[nodiscard]] bool close(char bracket, const char* expectation) {
        return at_close(bracket) || fail(expectation);
    }

    // Reads a string literal into `out`, which is empty.
    [[nodiscard]] bool string(std::string& out) {
        ++at_;
        const char* plain = at_;  // start of the stretch that is copied as it is
        for (;;) {
            at_ = skip_plain(at_, end_);
            if (at_ == end_) {
                return fail("the text ends inside a string");
            }
            if (*at_ == '"') {
                // Most strings are one plain stretch: one copy of known size.
                out.append(plain, static_cast<std::size_t>(at_ - plain));
                ++at_;
                return true;
            }
            if (*at_ == '\\') {
                out.append(plain, static_cast<std::size_t>(at_ - plain));
                if (!escape(out)) {
                    return false;
                }
                plain = at_;
            } else if (!multi_byte()) {
                return false;
            }
        }
    }

    // Steps over UTF-8 sequences of several bytes.
    [[nodiscard]] bool multi_byte() {
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

    [[nodiscard]] bool escape(std::string& out) {
        if (end_ - at_ < 2) {
            at_ = end_;
            return fail("the text ends inside a string");
        }
        constexpr std::string_view kLetters = "\"\\/bfnrt";
        constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
        const char letter = at_[1];
        if (letter == 'u') {
            return unicode_escape(out);
        }
        const std::size_t known = kLetters.find(letter);
        if (known == std::string_view::npos) {
            return fail("this escape does not exist in JSON");
        }
        out += kMeanings[known];
        at_ += 2;
        return true;
    }

    [[nodiscard]] bool unicode_escape(std::string& out) {
        const char* const start = at_;
        char32_t code_point = 0;
        if (!code_unit(code_point)) {
            return false;
        }
        if (code_point >= 0xD800 && code_point <= 0xDBFF) {
            char32_t low = 0;
            const bool pair_follows = end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u';
            if (pair_follows && !code_unit(low)) {
                return false;
            }
            if (low < 0xDC00 || low > 0xDFFF) {
                at_ = start;
                return fail("a surrogate needs its other half");
            }
            code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
        } else if (code_point >= 0xDC00 && code_point <= 0xDFFF) {
            at_ = start;
            return fail("a surrogate needs its other half");
        } else if (code_point == 0) {
            at_ = start;
            return fail("U+0000 is refused: the database cannot hold it");
        }
        utf8_append(out, code_point);
        return true;
    }

    // Reads \uXXXX, of which "\u" has been seen.
    [[nodiscard]] bool code_unit(char32_t& out) {
        at_ += 2;
        for (int i = 0; i < 4; ++i, ++at_) {
            const char c = at_ == end_ ? '\0' : *at_;
            char32_t digit = 0;
            if (c >= '0' && c <= '9') {
                digit = static_cast<char32_t>(c - '0');
            } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
                digit = static_cast<char32_t>((c | 0x20) - 'a' + 10);
            } else {
                return fail("four hex digits must follow \\u");
            }
            out = out * 16 + digit;
        }
        return true;
    }

    void skip_space() noexcept {
        while (at_ != end_ && is_space(*at_)) {
            ++at_;
        }
    }

    [[nodiscard]] std::size_t offset() const noexcept {
        return static_cast<std::size_t>(at_ - begin_);
    }

    // Notes what is wrong at at_. Always false, so that callers can return it.
    bool fail(std::string_view message, std::string_view subject = {}) {
        message_ = message;
        if (!subject.empty()) {
            message_ += json_quote(subject.substr(0, 64));
        }
        return false;
    }

    // The noted fault with its place. Lines and columns are counted only now, from the start:
    // keeping them while parsing would cost every good document. Columns count code points.
    [[nodiscard]] Error fault() const {
        const std::string_view before(begin_, offset());
        const auto line = 1 + std::ranges::count(before, '\n');
        const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
        const auto column = 1 + std::ranges::count_if(before.substr(line_start), [](char c) {
                                return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
                            });
        const std::string line_text = std::to_string(line);
        const std::string column_text = std::to_string(column);
        Error error = Error::of(ErrorCode::VALIDATION_ERROR,
                                "line " + line_text + ", column " + column_text + ": " + message_);
        error.details = "{\"offset\":" + std::to_string(offset()) + ",\"line\":" + line_text +
                        ",\"column\":" + column_text + "}";
        return error;
    }

    const char* begin_;
    const char* at_;
    const char* end_;
    int depth_ = 0;
    std::string message_;
    Array items_;                          // elements of the arrays that are open
    Object members_;                       // members of the objects that are open
    std::vector<std::size_t> key_places_;  // offsets of the keys of members_
};

Result<Json> Json::parse(std::string_view text) {
    return Parser(text).run();
}

}  // namespace jobforge
