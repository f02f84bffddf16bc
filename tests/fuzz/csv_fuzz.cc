// Any bytes into the CSV reader. What must hold: no crash, no bad memory, no endless work; all rows
// have the width of the first; what was read and written out again is read as the same cells; a
// fault has a place that is JSON; nothing comes after a fault. A violation aborts.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/json.h>

#include "base/text/csv.h"
#include "base/text/utf8.h"

namespace {

using jobforge::CsvCell;
using jobforge::CsvReader;

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }
}

struct Table {
    std::vector<std::vector<std::string>> rows;
    bool whole = false;  // read to its end
};

void check_row(const std::vector<CsvCell>& row, std::size_t width, std::size_t& line) {
    require(!row.empty() && row.size() <= CsvReader::kMaximumColumns, "a row has cells");
    require(row.size() == width, "all rows have the width of the first");
    for (const CsvCell& cell : row) {
        require(jobforge::utf8_first_fault(cell.text) == std::string::npos, "cells are UTF-8");
        require(cell.text.find('\0') == std::string::npos, "cells have no U+0000");
        require(cell.line >= line && cell.column >= 1, "places only grow");
        line = cell.line;
    }
}

Table read_table(std::string_view text) {
    Table table;
    CsvReader reader(text);
    std::vector<CsvCell> row;
    std::size_t line = 1;
    while (true) {
        const auto more = reader.next(row);
        if (!more.ok()) {
            require(jobforge::Json::parse(more.error().details).ok(), "the place is JSON");
            require(!reader.next(row).value(), "nothing comes after a fault");
            return table;
        }
        if (!*more) {
            table.whole = true;
            return table;
        }
        check_row(row, table.rows.empty() ? row.size() : table.rows[0].size(), line);
        auto& cells = table.rows.emplace_back();
        for (const CsvCell& cell : row) {
            cells.push_back(cell.text);
        }
    }
}

std::string written(const Table& table) {
    std::string text;
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += i == 0 ? "\"" : ",\"";
            for (const char c : row[i]) {
                text.append(c == '"' ? 2 : 1, c);
            }
            text += '"';
        }
        text += "\r\n";
    }
    return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const Table table = read_table({reinterpret_cast<const char*>(data), size});
    const Table again = read_table(written(table));
    require(again.whole && again.rows == table.rows, "what was read can be written and read");
    return 0;
}
