// Rule sources and places in them.
//
// A package has one source or two (rules, then tests). A Span names a stretch of bytes of one of
// them; lines and columns are computed only when they are shown. Columns count code
// points from 1, as editors do. A line ends with LF, CR LF or CR alone: editors show a new line for
// each of them, so a comment must not go on behind a CR and hide what looks like code, or show as
// code what is not. Pure values; any thread may read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jobforge::rules {

// Bytes [begin, end) of source number `source`. Never takes part in the equality of syntax trees.
struct Span {
    std::uint32_t source = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

// From the start of `first` to the end of `last`, which stand in one source in this order.
[[nodiscard]] constexpr Span join(const Span& first, const Span& last) noexcept {
    return {first.source, first.begin, last.end};
}

inline constexpr std::string_view kLineEnds = "\r\n";

struct Position {
    std::size_t line = 1;
    std::size_t column = 1;  // in code points
};

class SourceText final {
public:
    // More is refused by the lexer with one error: 4 MiB are some 80,000 lines.
    static constexpr std::size_t kMaximumBytes = std::size_t{4} << 20;

    // `name` is how messages call the source: a file's path, or "rules".
    SourceText(std::string name, std::string text);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::string_view text() const noexcept { return text_; }
    // Precondition: begin <= end <= text().size(). The span's source is not looked at.
    [[nodiscard]] std::string_view slice(const Span& span) const noexcept;
    // An offset behind the text counts as its end.
    [[nodiscard]] Position position(std::size_t offset) const noexcept;
    // Line `line` (from 1) without its line ending; empty if there is none.
    [[nodiscard]] std::string_view line(std::size_t line) const noexcept;

private:
    std::string name_;
    std::string text_;
    std::vector<std::uint32_t> line_starts_;
};

}  // namespace jobforge::rules
