// The forms of a report: what stands in the data can neither break out of the page nor become a
// formula of a spreadsheet.
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/csv.h"
#include "child_process.h"
#include "services/connectors/report.h"
#include "services/connectors/report_text.h"
#include "temp_dir.h"

namespace jobforge::services {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Names and texts that mean harm to HTML, SVG, CSS, attributes or XML.
const std::vector<std::string>& hostile() {
    static const std::vector<std::string> kHostile{
        "<script>alert(1)</script>",
        R"("><img src=x onerror=alert(1)>)",
        "</title></svg></style><script>alert(2)</script>",
        "' onmouseover='alert(3)",
        "&lt;b&gt; &amp; &#0; <!-- ]]>",
        "={cmd|' /C calc'!A0}",
        std::string(5000, 'w'),
    };
    return kHostile;
}

Report analytics(const std::vector<std::string>& texts, int days = 3) {
    Json by_day = Json::array();
    for (int i = 0; i < days; ++i) {
        by_day.push_back(
            Json::object({{"day", fmt::format("2026-{:02}-{:02}", 1 + i / 28 % 12, 1 + i % 28)},
                          {"jobs", 3},
                          {"succeeded", 2},
                          {"failed", 1}}));
    }
    Json types = Json::array();
    Json slowest = Json::array();
    Json errors = Json::array();
    for (const std::string& text : texts) {
        types.push_back(Json::object({{"type", text}, {"jobs", 7}}));
        slowest.push_back(Json::object(
            {{"type", text}, {"jobs", 7}, {"p50_ms", 1}, {"p95_ms", 20}, {"p99_ms", 300}}));
        errors.push_back(Json::object({{"code", text}, {"jobs", 7}, {"message", text}}));
    }
    const Json spread = Json::object({{"jobs", 7}, {"p50", 1}, {"p95", 20}, {"p99", 300}});
    const Json period = Json::object(
        {{"from", "2026-01-01T00:00:00.000000Z"}, {"to", "2026-01-04T00:00:00.000000Z"}});
    return {"job-analytics", texts.empty() ? "Title" : texts.front(),
            Json::object({{"period", period}, {"rows", 7}}),
            Json::object({{"totals", Json::object({{"jobs", 7}, {"success_rate", nullptr}})},
                          {"duration_ms", spread},
                          {"wait_ms", spread},
                          {"by_day", std::move(by_day)},
                          {"by_type", std::move(types)},
                          {"slowest_types", std::move(slowest)},
                          {"top_errors", std::move(errors)},
                          {"dead_letters", Json::array()}})};
}

// What a strict parser reads: every cell's text on a line of its own; "REFUSED ..." for a page that
// could run or load something.
std::string cells(const std::string& html) {
    const test::TempDir directory;
    std::ofstream(directory.path() + "/page.html", std::ios::binary) << html;
    std::ofstream(directory.path() + "/check.py") << R"(
import html.parser, sys
import xml.etree.ElementTree as tree

class Parser(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        if tag in ("script", "img", "link", "iframe", "object", "embed", "form", "a", "base"):
            print("REFUSED", tag)
        if any(n.startswith("on") or n in ("src", "href", "style", "xlink:href") for n in names):
            print("REFUSED", tag, names)

text = open(sys.argv[1], encoding="utf-8").read()
Parser().feed(text)
for cell in tree.fromstring(text).iter("td"):
    print("".join(cell.itertext()))
)";
    test::ChildProcess python(
        {"python3", directory.path() + "/check.py", directory.path() + "/page.html"});
    EXPECT_EQ(python.wait(), 0) << python.error_output();
    return python.output();
}

TEST(ReportPage, is_well_formed_loads_nothing_and_shows_hostile_texts_as_texts) {
    const std::string html = report_html(analytics(hostile()));
    const std::string read = cells(html);
    EXPECT_THAT(read, Not(HasSubstr("REFUSED")));
    for (const std::string& text : hostile()) {
        EXPECT_THAT(read, HasSubstr(text + "\n"));
    }
    EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
    EXPECT_THAT(html, HasSubstr("default-src 'none'"));
    EXPECT_THAT(html, Not(HasSubstr("http://www.w3.org/1999/xlink")));
}

TEST(ReportPage, has_a_form_for_characters_that_xml_has_none_for) {
    const std::string read =
        cells(report_html(analytics({"a\x01\x1b[31m\x7f"
                                     "b\xEF\xBF\xBF\xFF"})));
    EXPECT_THAT(read, HasSubstr("a\uFFFD\uFFFD[31m\uFFFD"
                                "b\uFFFD\uFFFD\n"));
}

TEST(ReportPage, of_nothing_says_so) {
    const std::string html = report_html(analytics({}));
    EXPECT_THAT(cells(html), Not(HasSubstr("REFUSED")));
    EXPECT_THAT(html, HasSubstr("None in this period."));
    for (const char* type : {"tenant-usage", "usage-summary"}) {
        EXPECT_EQ(cells(report_html({type, "Empty", Json::object(), Json::object()})), "") << type;
    }
}

TEST(ReportPage, puts_days_together_when_they_are_many) {
    const auto columns = [](int days) {
        const std::string html = report_html(analytics({}, days));
        std::size_t found = 0;
        for (auto at = html.find("class=\"catch\""); at != std::string::npos;
             at = html.find("class=\"catch\"", at + 1)) {
            ++found;
        }
        return found;
    };
    EXPECT_EQ(columns(62), 62U);
    EXPECT_EQ(columns(63), 32U);    // two days each
    EXPECT_EQ(columns(3660), 61U);  // sixty days each
}

std::vector<std::vector<std::string>> read_csv(const std::string& csv) {
    CsvReader reader(csv);
    std::vector<std::vector<std::string>> rows;
    std::vector<CsvCell> row;
    for (;;) {
        const auto more = reader.next(row);
        EXPECT_TRUE(more.ok()) << (more.ok() ? "" : more.error().message);
        if (!more.ok() || !*more) {
            return rows;
        }
        std::vector<std::string> texts;
        for (const CsvCell& cell : row) {
            texts.push_back(cell.text);
        }
        rows.push_back(std::move(texts));
    }
}

TEST(ReportCsv, has_one_line_for_every_number) {
    const Report report{"tenant-usage", "", Json::object(),
                        Json::object({{"totals", Json::object({{"jobs", 17}, {"rate", nullptr}})},
                                      {"by_type", Json::array({Json::object({{"type", "a"}}),
                                                               Json::object({{"type", "b"}})})}})};
    EXPECT_EQ(report_csv(report),
              "section,row,name,value\r\ntotals,,jobs,17\r\ntotals,,rate,\r\n"
              "by_type,1,type,a\r\nby_type,2,type,b\r\n");
}

TEST(Hole13ReportCsv, disarms_formulas_and_leaves_numbers_alone) {
    for (const std::string text :
         {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\n=1", "\r\n=1", "=\"a\",b\n", "\uFF1D1+1",
          "\uFF0B1", "\uFF0D1", "\uFF20SUM(A1)"}) {
        const Report report{"job-analytics", "", Json::object(),
                            Json::object({{"s", Json::object({{text, text}})}})};
        EXPECT_THAT(read_csv(report_csv(report)).at(1),
                    ElementsAre("s", "", "'" + text, "'" + text));
    }
    // Our own reader refuses a carriage return alone; a spreadsheet does not.
    const Report carriage{"job-analytics", "", Json::object(),
                          Json::object({{"s", Json::object({{"n", "\r=1"}})}})};
    EXPECT_THAT(report_csv(carriage), HasSubstr("s,,n,\"'\r=1\"\r\n"));
    const Report numbers{"job-analytics", "", Json::object(),
                         Json::object({{"s", Json::object({{"n", -5}})}})};
    EXPECT_THAT(read_csv(report_csv(numbers)).at(1), ElementsAre("s", "", "n", "-5"));
}

TEST(ReportCsv, gives_back_what_went_in) {
    for (const std::string text : {"a,b", "say \"hi\"", "two\nlines", "", "plain", "ünï ✓"}) {
        const Report report{"job-analytics", "", Json::object(),
                            Json::object({{"s", Json::object({{"n", text}})}})};
        EXPECT_THAT(read_csv(report_csv(report)).at(1), ElementsAre("s", "", "n", text));
    }
}

TEST(ReportText, has_the_unit_that_a_name_says) {
    const auto text = [](std::string_view name, std::string_view number) {
        return value_text(name, Json::number(number).value());
    };
    EXPECT_EQ(text("jobs", "1234567"), "1,234,567");
    EXPECT_EQ(text("jobs", "999"), "999");
    EXPECT_EQ(text("mean", "1.130"), "1.13");
    EXPECT_EQ(text("success_rate", "0.8571"), "85.71 %");
    EXPECT_EQ(text("p50_ms", "0.417"), "0.42 ms");
    EXPECT_EQ(text("p50_ms", "131.4"), "131 ms");
    EXPECT_EQ(text("p50_ms", "1314"), "1.31 s");
    EXPECT_EQ(text("p50_ms", "90000"), "1.5 min");
    EXPECT_EQ(text("run_ms", "26917128"), "7.5 h");
    EXPECT_EQ(text("document_bytes", "1258291"), "1.2 MiB");
    EXPECT_EQ(value_text("last_at", Json("2026-03-01T12:34:56.000000Z")), "2026-03-01 12:34 UTC");
    EXPECT_EQ(value_text("success_rate", Json()), "–");
    EXPECT_EQ(heading("dead_letter"), "Dead letter");
    EXPECT_EQ(shortened("äöüß", 4), "äöüß");
    EXPECT_EQ(shortened("äöüßx", 4), "äöü…");
}

}  // namespace
}  // namespace jobforge::services
