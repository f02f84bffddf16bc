// What all readers of JSON text need: the place, the words of the grammar, the faults.
// The parser (json_parse.cc) makes values of it, the checker (json_check.cc) only says yes or no.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>

#include "base/json/json_number.h"
#include "base/json/json_plain.h"

namespace jobforge {

// Functions that read return whether the grammar was met and leave at_ behind what they read, or at
// the fault that fail() noted. Nothing reads past end_: a text is any piece of memory.
class JsonReader {
public:
    JsonReader(const JsonReader&) = delete;
    JsonReader& operator=(const JsonReader&) = delete;

protected:
    explicit JsonReader(std::string_view text) noexcept
        : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}
    ~JsonReader() = default;

    [[nodiscard]] bool next_is(char c) const noexcept { return at_ != end_ && *at_ == c; }

    // Steps over `c` if it is next.
    [[nodiscard]] bool pass(char c) noexcept {
        if (!next_is(c)) {
            return false;
        }
        ++at_;
        return true;
    }

    void skip_space() noexcept { at_ = skip_json_space(at_, end_); }

    // Stops at the first value. Fails on a text that is not UTF-8 to begin with.
    [[nodiscard]] bool begin();
    // Fails unless only white space is left.
    [[nodiscard]] bool end();

    [[nodiscard]] bool literal(std::string_view word) {
        const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
        if (!rest.starts_with(word)) {
            return fail("this is not a JSON value");
        }
        at_ += word.size();
        return true;
    }

    // Precondition: not at the end.
    [[nodiscard]] bool number() {
        if (*at_ != '-' && (*at_ < '0' || *at_ > '9')) {
            return fail("this is not a JSON value");
        }
        const NumberScan scan = scan_number(at_, end_);
        at_ = scan.end;
        return scan.fault == nullptr || fail(scan.fault);
    }

    // Steps over what a string may hold as it is: up to its quote or the next backslash.
    [[nodiscard]] bool unescaped();
    // Reads an escape, from its backslash, and gives the UTF-16 code unit it stands for.
    [[nodiscard]] bool escape(char32_t& unit);

    // Notes what is wrong at at_. Always false, so that callers can return it.
    bool fail(std::string_view message, std::string_view subject = {});
    // The noted fault with its place.
    [[nodiscard]] Error fault() const;

    const char* begin_;
    const char* at_;
    const char* end_;

private:
    [[nodiscard]] bool multi_byte();
    [[nodiscard]] bool hex_digits(char32_t& unit);

    std::string message_;
};

}  // namespace jobforge
