#include "base/text/csv.h"

#include <algorithm>
#include <array>

#include <jobforge/try.h>

#include "base/json/json_fault.h"
#include "base/text/utf8.h"

namespace jobforge {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Another encoding would otherwise be an invalid byte somewhere, which does not say what to do.
bool is_wide_encoding(std::string_view text) noexcept {
    return !text.starts_with(kByteOrderMark) && !foreign_encoding(text).empty();
}

// The last four are U+FF1D, U+FF0B, U+FF0D and U+FF20: full-width = + - @.
constexpr std::array<std::string_view, 11> kFormulaStarts = {
    "=",           "+", "-", "@", "\t", "\r", "\n", "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D",
    "\xEF\xBC\xA0"};

bool looks_like_formula(std::string_view text) noexcept {
    return std::any_of(kFormulaStarts.begin(), kFormulaStarts.end(),
                       [&](std::string_view start) { return text.starts_with(start); });
}

}  // namespace

std::string csv_text_cell(std::string_view text) {
    std::string cell = looks_like_formula(text) ? "'" : "";
    cell += text;
    // Programs that take ";" or a tab for the separator (Excel in much of Europe) would find a
    // formula behind it.
    if (cell.find_first_of(",;\t\"\r\n") == std::string::npos) {
        return cell;
    }
    std::string quoted = "\"";
    for (const char c : cell) {
        quoted.append(c == '"' ? 2 : 1, c);
    }
    return quoted + "\"";
}

Error csv_fault(std::size_t line, std::size_t column, std::string_view message) {
    const std::string line_text = std::to_string(line);
    const std::string column_text = std::to_string(column);
    Error error =
        Error::of(ErrorCode::VALIDATION_ERROR,
                  "line " + line_text + ", column " + column_text + ": " + std::string(message));
    error.details = "{\"line\":" + line_text + ",\"column\":" + column_text + "}";
    return error;
}

CsvReader::CsvReader(std::string_view text) noexcept : text_(text) {
    if (text.starts_with(kByteOrderMark)) {
        text_.remove_prefix(kByteOrderMark.size());
    }
}

bool CsvReader::at_line_end() const noexcept {
    return text_[offset_] == '\n' || text_.substr(offset_, 2) == "\r\n";
}

void CsvReader::pass_line_end() noexcept {
    offset_ += text_[offset_] == '\r' ? 2U : 1U;
    ++line_;
    column_ = 1;
}

Result<bool> CsvReader::next(std::vector<CsvCell>& row) {
    if (failed_ || at_end()) {
        return false;
    }
    if (offset_ == 0 && is_wide_encoding(text_)) {
        failed_ = true;
        return csv_fault(1, 1,
                         "this is UTF-16 or UTF-32; save the file as UTF-8 (\"CSV UTF-8\" in "
                         "Excel)");
    }
    if (auto read = read_row(row); !read.ok()) {
        failed_ = true;
        return std::move(read).error();
    }
    return true;
}

Status CsvReader::read_row(std::vector<CsvCell>& row) {
    if (at_line_end()) {
        return csv_fault(line_, column_, "this line is empty; delete it");
    }
    const std::size_t line = line_;
    std::size_t cells = 0;
    bool more = true;
    while (more) {
        if (cells == kMaximumColumns) {
            return csv_fault(line_, column_,
                             "a row has at most " + std::to_string(kMaximumColumns) + " cells");
        }
        if (width_ != 0 && cells == width_) {
            return csv_fault(
                line_, column_,
                "this row has more cells than the header, which has " + std::to_string(width_));
        }
        if (cells == row.size()) {
            row.emplace_back();
        }
        JOBFORGE_TRY(read_cell(row[cells]));
        ++cells;
        more = !at_end() && text_[offset_] == ',';
        if (more) {
            ++offset_;
            ++column_;
        }
    }
    if (width_ != 0 && cells < width_) {
        return csv_fault(line, 1,
                         "this row has " + std::to_string(cells) + " cells, and the header has " +
                             std::to_string(width_));
    }
    width_ = cells;
    row.resize(cells);
    if (!at_end()) {
        pass_line_end();
    }
    return ok_status();
}

Status CsvReader::read_cell(CsvCell& cell) {
    cell.text.clear();
    cell.line = line_;
    cell.column = column_;
    const bool quoted = !at_end() && text_[offset_] == '"';
    return quoted ? read_quoted(cell) : read_plain(cell);
}

Status CsvReader::read_quoted(CsvCell& cell) {
    ++offset_;
    ++column_;
    while (!at_end()) {
        if (text_[offset_] == '"') {
            ++offset_;
            ++column_;
            if (at_end() || text_[offset_] == ',' || at_line_end()) {
                return ok_status();
            }
            if (text_[offset_] != '"') {
                return csv_fault(line_, column_,
                                 "a comma or the end of the line must follow a closing quote; a "
                                 "quote inside a quoted cell is written twice");
            }
        }
        if (at_line_end()) {
            cell.text.append(text_, offset_, text_[offset_] == '\r' ? 2U : 1U);
            pass_line_end();
        } else if (auto taken = take_character(cell.text); !taken.ok()) {
            return taken;
        }
    }
    return csv_fault(cell.line, cell.column, "the quote that opens here is never closed");
}

Status CsvReader::read_plain(CsvCell& cell) {
    while (!at_end() && text_[offset_] != ',' && !at_line_end()) {
        if (text_[offset_] == '"') {
            return csv_fault(line_, column_,
                             "a cell with a quote in it must stand in quotes, with its own quotes "
                             "written twice");
        }
        JOBFORGE_TRY(take_character(cell.text));
    }
    return ok_status();
}

Status CsvReader::take_character(std::string& out) {
    const char* at = text_.data() + offset_;
    if (*at == '\0') {
        return csv_fault(line_, column_, "the character U+0000 is not allowed");
    }
    if (*at == '\r') {
        return csv_fault(line_, column_, "a carriage return stands alone; lines end in CRLF or LF");
    }
    const std::size_t length = utf8_sequence_length(at, text_.data() + text_.size());
    if (length == 0) {
        return csv_fault(line_, column_,
                         "this byte is not UTF-8; save the file as UTF-8 (\"CSV UTF-8\" in Excel)");
    }
    out.append(at, length);
    offset_ += length;
    ++column_;
    return ok_status();
}

}  // namespace jobforge
