#include "cli/commands/price_commands.h"

#include <fmt/format.h>

#include "base/text/counted.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"
#include "prices/money.h"

namespace jobforge::cli {

namespace {

std::string money_cell(const Json& row, std::string_view member) {
    const Json* const cents = row.find(member);
    const auto number = cents == nullptr ? std::nullopt : cents->as_int64();
    return number ? services::format_cents(*number) : std::string("-");
}

std::string confidence_table(const Json& valuation) {
    const Json* const explanation = valuation.find("explanation");
    const Json* const parts = explanation == nullptr ? nullptr : explanation->find("confidence");
    if (parts == nullptr || !parts->is_array()) {
        return {};
    }
    Table table({"PART", "POINTS", "REASON"});
    for (const Json& part : *parts->as_array()) {
        table.add({cell_of(part, "name"), cell_of(part, "points"), cell_of(part, "reason")});
    }
    return table.text();
}

}  // namespace

std::string valuation_text(const Json& valuation) {
    std::string out = fmt::format(
        "valuation of {}, {}, {}, confidence {}/10\n", cell_of(valuation, "computed_at"),
        counted(integer_of(valuation, "comparables"), "comparable"),
        counted(integer_of(valuation, "outliers"), "outlier"), cell_of(valuation, "confidence"));
    Table table({"CURRENCY", "P10", "P20", "P40", "MEDIAN", "P60", "P80", "P90", "MEAN"});
    table.add({cell_of(valuation, "currency"), money_cell(valuation, "p10"),
               money_cell(valuation, "p20"), money_cell(valuation, "p40"),
               money_cell(valuation, "p50"), money_cell(valuation, "p60"),
               money_cell(valuation, "p80"), money_cell(valuation, "p90"),
               money_cell(valuation, "mean_cents")});
    return out + table.text() + "\n" + confidence_table(valuation);
}

Json with_price(const Json& point) {
    Json out = point;
    out.set("price", money_cell(point, "price_cents"));
    return out;
}

}  // namespace jobforge::cli
