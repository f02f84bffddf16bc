#include "prices/intake.h"

#include <fmt/format.h>

#include "prices/price_members.h"

namespace jobforge::services {

Result<Intake> Intake::from_json(const Json& row) {
    Intake out;
    Members members(row);
    members.text("denomination", out.denomination)
        .text("mintmark", out.mintmark)
        .text("series", out.series)
        .text("title", out.title)
        .text("grade", out.grade)
        .integer("year", out.year)
        .boolean("cleaned", out.cleaned)
        .boolean("scratches", out.scratches)
        .boolean("rim_damage", out.rim_damage)
        .boolean("details_damaged", out.details_damaged)
        .boolean("harsh_cleaning", out.harsh_cleaning)
        .texts("keywords_include", out.keywords_include)
        .texts("keywords_exclude", out.keywords_exclude);
    auto read = members.end();
    return read.ok() ? Result<Intake>(std::move(out)) : std::move(read).error();
}

int Intake::condition_flags() const noexcept {
    return static_cast<int>(cleaned) + static_cast<int>(scratches) + static_cast<int>(rim_damage) +
           static_cast<int>(details_damaged) + static_cast<int>(harsh_cleaning);
}

}  // namespace jobforge::services
