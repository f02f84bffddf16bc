// A report, and the three forms people get it in. Pure.
//
// `data` is what the database answers (sql/functions/connectors/report_*.sql): sections that are
// objects of numbers, or arrays of flat objects. The forms are made from that shape; only the
// page's charts know sections by name.
#pragma once

#include <string>

#include <jobforge/json.h>

namespace jobforge::services {

struct Report {
    std::string type;   // job-analytics, tenant-usage, usage-summary
    std::string title;  // of the page
    Json metadata;      // period {from, to}, generated_at, rows
    Json data;
};

// RFC 4180 with the columns section, row, name, value: one line a number, so that sections of any
// shape fit one table (a spreadsheet pivots it). Texts that a spreadsheet would take for a formula
// begin with an apostrophe; numbers stay numbers.
[[nodiscard]] std::string report_csv(const Report& report);

// One page that needs nothing else: styles and SVG inside, no script, nothing loaded. It follows
// the reader's choice of light or dark, and is well-formed XML. Whatever stands in the data is
// escaped.
[[nodiscard]] std::string report_html(const Report& report);

}  // namespace jobforge::services
