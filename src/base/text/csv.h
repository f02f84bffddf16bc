// Comma-separated values (RFC 4180), read strictly and with places, and cells written for
// spreadsheets.
//
// What is read: cells separated by commas, rows ended by CRLF or LF (the last one may have no end),
// cells in double quotes that hold commas, line ends and doubled quotes. UTF-8 only; one byte order
// mark at the start is passed over, because Excel's "CSV UTF-8" writes it. A cell is text and
// nothing else: `=1+1` is five characters, and spaces belong to the cell. Formulas are disarmed
// where CSV is written: csv_text_cell().
//
// What is refused, with line and column: a quote inside an unquoted cell, anything but a comma or a
// line end behind a closing quote, a quote that is never closed, a carriage return alone, U+0000,
// bytes that are not UTF-8, an empty line, a row with more or fewer cells than the first, and more
// columns than the limit.
//
// Memory: one row. Time: linear in the bytes. Threads: one reader, one thread. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>

namespace jobforge {

// Lines and columns count from 1, columns in code points, as in the faults of Json::parse.
struct CsvCell {
    std::string text;  // without quotes
    std::size_t line = 0;
    std::size_t column = 0;
};

class CsvReader final {
public:
    static constexpr std::size_t kMaximumColumns = 1'000;

    // `text` must outlive the reader.
    explicit CsvReader(std::string_view text) noexcept;

    // Reads the next row into `row` (its strings are reused); false at the end. VALIDATION_ERROR
    // "line L, column C: ..." with {"line","column"} in details; nothing can be read after it.
    [[nodiscard]] Result<bool> next(std::vector<CsvCell>& row);

private:
    [[nodiscard]] Status read_row(std::vector<CsvCell>& row);
    [[nodiscard]] Status read_cell(CsvCell& cell);
    [[nodiscard]] Status read_quoted(CsvCell& cell);
    [[nodiscard]] Status read_plain(CsvCell& cell);
    [[nodiscard]] Status take_character(std::string& out);
    [[nodiscard]] bool at_end() const noexcept { return offset_ == text_.size(); }
    [[nodiscard]] bool at_line_end() const noexcept;
    void pass_line_end() noexcept;

    std::string_view text_;
    std::size_t offset_ = 0;
    std::size_t line_ = 1;
    std::size_t column_ = 1;
    std::size_t width_ = 0;  // cells of the first row; 0 before it
    bool failed_ = false;
};

// A text as one cell: in double quotes if it holds a comma, a quote or a line end, and with an
// apostrophe before it if a spreadsheet would read it as a formula. Excel, LibreOffice and Google
// Sheets do so for a cell that begins with = + - or @ (OWASP, CSV injection), also for the
// full-width forms of these four where a locale reads them alike, and for a tab, CR or LF before
// them, which they drop. Any such first character is disarmed, whatever follows it.
// Numbers are not texts: write them without this function, so that -5 stays a number.
[[nodiscard]] std::string csv_text_cell(std::string_view text);

// "line L, column C: message" and {"line","column"}.
[[nodiscard]] Error csv_fault(std::size_t line, std::size_t column, std::string_view message);

}  // namespace jobforge
