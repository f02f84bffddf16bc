// A stream of words, breaks and groups, laid out in lines: used by format.cc only.
//
// The idea is Oppen's: a group is written on one line if it fits, else its breaks become new lines.
// Widths are computed in one pass from the end, so layout is linear in the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jobforge::rules {

class Layout final {
public:
    static constexpr std::size_t kWidth = 100;
    static constexpr std::size_t kIndent = 2;

    void word(std::string_view text);
    void space() { add(Kind::word, " "); }
    // A blank (or nothing) if the group is on one line, else a new line.
    void soft_break(bool blank = true) { add(Kind::soft_break, blank ? " " : ""); }
    void hard_break() { add(Kind::hard_break, {}); }
    void blank_line() { add(Kind::blank_line, {}); }
    void open() { add(Kind::open, {}); }
    void close() { add_before_comment(Kind::close); }
    void indent() { add(Kind::indent, {}); }
    void dedent() { add_before_comment(Kind::dedent); }
    // At the end of the line that is being written; the line ends behind it.
    void trailing_comment(std::string_view text) { add(Kind::trailing_comment, text); }
    // On a line of its own.
    void own_comment(std::string_view text) { add(Kind::own_comment, text); }

    // Everything as text, with a line feed at the end of every line. The words must outlive this.
    [[nodiscard]] std::string text();

private:
    enum class Kind : std::uint8_t {
        word,
        soft_break,
        hard_break,
        blank_line,
        open,
        close,
        indent,
        dedent,
        trailing_comment,
        own_comment,
    };
    struct Item {
        Kind kind;
        std::string_view text;
        std::size_t width = 0;  // of an open group: up to the first place behind it where a line
                                // may end; kNever if it cannot be one line
    };
    static constexpr std::size_t kNever = static_cast<std::size_t>(-1) / 2;

    void add(Kind kind, std::string_view text) { items_.push_back({kind, text}); }
    // A comment behind the last word of a group is not part of it, and must not break it.
    void add_before_comment(Kind kind);
    void measure();

    std::vector<Item> items_;
};

}  // namespace jobforge::rules
