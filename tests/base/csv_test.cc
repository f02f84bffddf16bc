#include "base/text/csv.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <jobforge/json.h>

namespace jobforge {
namespace {

using Rows = std::vector<std::vector<std::string>>;

Result<Rows> read_all(std::string_view text) {
    CsvReader reader(text);
    Rows rows;
    std::vector<CsvCell> row;
    while (true) {
        const auto more = reader.next(row);
        if (!more.ok()) {
            return more.error();
        }
        if (!*more) {
            return rows;
        }
        auto& cells = rows.emplace_back();
        for (const CsvCell& cell : row) {
            cells.push_back(cell.text);
        }
    }
}

struct Refusal {
    std::string text;
    std::string place;  // the details
    std::string words;  // in the message
};

void expect_refused(const Refusal& refusal) {
    const auto rows = read_all(refusal.text);
    ASSERT_FALSE(rows.ok()) << refusal.text;
    EXPECT_EQ(rows.error().code, ErrorCode::VALIDATION_ERROR);
    EXPECT_EQ(rows.error().details, refusal.place) << refusal.text;
    EXPECT_NE(rows.error().message.find(refusal.words), std::string::npos) << rows.error().message;
}

TEST(Csv, reads_the_examples_of_rfc_4180) {
    const Rows two = {{"aaa", "bbb", "ccc"}, {"zzz", "yyy", "xxx"}};
    EXPECT_EQ(read_all("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n").value(), two);
    EXPECT_EQ(read_all("aaa,bbb,ccc\r\nzzz,yyy,xxx").value(), two);
    EXPECT_EQ(read_all("aaa,bbb,ccc\nzzz,yyy,xxx\n").value(), two);
    EXPECT_EQ(read_all("\"aaa\",\"bbb\",\"ccc\"\r\nzzz,yyy,xxx").value(), two);
    EXPECT_EQ(read_all("\"aaa\",\"b\r\nbb\",\"ccc\"\r\nzzz,yyy,xxx").value(),
              (Rows{{"aaa", "b\r\nbb", "ccc"}, {"zzz", "yyy", "xxx"}}));
    EXPECT_EQ(read_all("\"aaa\",\"b\"\"bb\",\"ccc\"").value(), (Rows{{"aaa", "b\"bb", "ccc"}}));
}

TEST(Csv, keeps_cells_as_they_are) {
    EXPECT_EQ(read_all(" a , b\t,\"\"\n,,\n").value(), (Rows{{" a ", " b\t", ""}, {"", "", ""}}));
    EXPECT_EQ(read_all("=1+1,@SUM(A1),-2,+3\n").value(), (Rows{{"=1+1", "@SUM(A1)", "-2", "+3"}}));
    EXPECT_EQ(read_all("größe,日本,🔋").value(), (Rows{{"größe", "日本", "🔋"}}));
    EXPECT_EQ(read_all("\",\",\"\"\"\",\"\n\"").value(), (Rows{{",", "\"", "\n"}}));
    EXPECT_EQ(read_all("").value(), Rows{});
    EXPECT_EQ(read_all("\"\"").value(), (Rows{{""}}));
}

TEST(Csv, passes_over_one_byte_order_mark) {
    EXPECT_EQ(read_all("\xEF\xBB\xBFsku\nA\n").value(), (Rows{{"sku"}, {"A"}}));
    EXPECT_EQ(read_all("\xEF\xBB\xBF\"sku\"\nA\n").value(), (Rows{{"sku"}, {"A"}}));
    EXPECT_EQ(read_all("\xEF\xBB\xBF").value(), Rows{});
}

TEST(Csv, says_where_each_cell_begins) {
    CsvReader reader("é,\"x\r\ny\",z\nu,v,w\n");
    std::vector<CsvCell> row;
    ASSERT_TRUE(reader.next(row).value());
    EXPECT_EQ(row[1].line, 1U);
    EXPECT_EQ(row[1].column, 3U);
    EXPECT_EQ(row[2].line, 2U);
    EXPECT_EQ(row[2].column, 4U);
    ASSERT_TRUE(reader.next(row).value());
    EXPECT_EQ(row[2].line, 3U);
    EXPECT_EQ(row[2].column, 5U);
    EXPECT_FALSE(reader.next(row).value());
    EXPECT_FALSE(reader.next(row).value());
}

TEST(Csv, refuses_what_rfc_4180_does_not_say_with_its_place) {
    const Refusal refusals[] = {
        {"a,b\n1,2\"3\n", R"({"line":2,"column":4})", "must stand in quotes"},
        {"a,b\n1,\"2\"3\n", R"({"line":2,"column":6})", "must follow a closing quote"},
        {"a,b\n1,\"2\" \n", R"({"line":2,"column":6})", "must follow a closing quote"},
        {"a,b\n1,\"2\n3,4\n", R"({"line":2,"column":3})", "never closed"},
        {"a,\"", R"({"line":1,"column":3})", "never closed"},
        {"a\rb\n", R"({"line":1,"column":2})", "carriage return"},
        {"a,b\r", R"({"line":1,"column":4})", "carriage return"},
        {"\"a\rb\"\n", R"({"line":1,"column":3})", "carriage return"},
        {std::string("a,b\0\n", 5), R"({"line":1,"column":4})", "U+0000"},
        {std::string("a,\"b\0\"\n", 7), R"({"line":1,"column":5})", "U+0000"},
        {"é,b\xE9\n", R"({"line":1,"column":4})", "not UTF-8"},
        {"a\n\xED\xA0\x80\n", R"({"line":2,"column":1})", "not UTF-8"},
        {"a,b\n\n1,2\n", R"({"line":2,"column":1})", "empty"},
        {"\na,b\n", R"({"line":1,"column":1})", "empty"},
        {"a,b\n1,2\n\r\n", R"({"line":3,"column":1})", "empty"},
        {"a,b\n1,2,3\n", R"({"line":2,"column":5})", "more cells than the header, which has 2"},
        {"a,b\n1\n", R"({"line":2,"column":1})", "has 1 cells, and the header has 2"},
        {"\xEF\xBB\xBF\xEF\xBB\xBF\"a\"", R"({"line":1,"column":2})", "must stand in quotes"},
    };
    for (const Refusal& refusal : refusals) {
        expect_refused(refusal);
    }
}

TEST(Csv, names_the_other_encodings) {
    using namespace std::string_literals;
    for (const std::string& text :
         {"\xFF\xFE"
          "a\0,\0"s,
          "\xFE\xFF\0a\0,"s, "a\0,\0b\0"s, "\0a\0,"s, "\xFF\xFE\0\0a\0\0\0"s}) {
        expect_refused({text, R"({"line":1,"column":1})", "UTF-16 or UTF-32"});
    }
}

TEST(Csv, says_nothing_more_after_a_fault) {
    CsvReader reader("a\n\"\n");
    std::vector<CsvCell> row;
    ASSERT_TRUE(reader.next(row).value());
    ASSERT_FALSE(reader.next(row).ok());
    EXPECT_FALSE(reader.next(row).value());
}

TEST(Csv, has_a_limit_of_columns) {
    std::string line(CsvReader::kMaximumColumns - 1, ',');
    EXPECT_EQ(read_all(line).value()[0].size(), CsvReader::kMaximumColumns);
    expect_refused({line + ",", R"({"line":1,"column":1001})", "at most 1000 cells"});
}

TEST(Hole13CsvFormulas, texts_that_a_spreadsheet_would_run_begin_with_an_apostrophe) {
    for (const std::string start : {"=", "+", "-", "@", "\t", "\r", "\n", "\uFF1D", "\uFF0B",
                                    "\uFF0D", "\uFF20", "\r\n", "\t\uFF1D"}) {
        SCOPED_TRACE(testing::PrintToString(start));
        const std::string text = start + "cmd|' /C calc'!A0";
        const std::string cell = csv_text_cell(text);
        const bool quoted = start.find_first_of("\t\r\n") != std::string::npos;
        EXPECT_EQ(cell, quoted ? "\"'" + text + "\"" : "'" + text);
        EXPECT_EQ(csv_text_cell(start).find('\''), quoted ? 1U : 0U) << "also when it stands alone";
    }
}

TEST(Hole13CsvFormulas, other_texts_stay_as_they_are) {
    // U+FF1C and U+FF1E are neighbours of the full-width equals sign; U+2212 is a minus sign that
    // no spreadsheet calculates with.
    for (const std::string text : {"", "plain", "a=1", "1-2", " =1", "'=1", "größe", "日本",
                                   "\uFF1C", "\uFF1E", "\uFF21", "\u22125", "\xEF\xBC"}) {
        EXPECT_EQ(csv_text_cell(text), text);
    }
    EXPECT_EQ(csv_text_cell("a,b"), "\"a,b\"");
    EXPECT_EQ(csv_text_cell("a;=1+1"), "\"a;=1+1\"");
    EXPECT_EQ(csv_text_cell("a\t=1+1"), "\"a\t=1+1\"");
    EXPECT_EQ(csv_text_cell("say \"hi\""), "\"say \"\"hi\"\"\"");
    EXPECT_EQ(csv_text_cell("two\nlines"), "\"two\nlines\"");
}

// What any program writes who follows RFC 4180.
std::string written(const Rows& rows, const std::string& line_end) {
    std::string text;
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += i == 0 ? "\"" : ",\"";
            for (const char c : row[i]) {
                text += c == '"' ? "\"\"" : std::string(1, c);
            }
            text += '"';
        }
        text += line_end;
    }
    return text;
}

RC_GTEST_PROP(CsvProperty, what_is_written_is_read_back, ()) {
    const auto cell = rc::gen::container<std::string>(
        rc::gen::element('a', 'b', '"', ',', '\n', ' ', '=', ';', '\t'));
    const auto width = *rc::gen::inRange<std::size_t>(1, 6);
    const auto rows =
        *rc::gen::container<Rows>(rc::gen::container<std::vector<std::string>>(width, cell));
    RC_ASSERT(read_all(written(rows, "\n")).value() == rows);
    RC_ASSERT(read_all(written(rows, "\r\n")).value() == rows);
}

}  // namespace
}  // namespace jobforge
