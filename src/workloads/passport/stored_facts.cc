#include "workloads/passport/stored_facts.h"

#include <fmt/format.h>

#include "core/hash.h"

namespace jobforge::workloads {

Result<std::vector<passport::rules::Fact>> read_snapshot_facts(const pg::Rows& rows) {
    std::vector<passport::rules::Fact> facts;
    for (int row = 0; row < rows.size(); ++row) {
        passport::rules::Fact& fact = facts.emplace_back();
        fact.fact_type = rows.text(row, 0);
        fact.fact_key = rows.text(row, 1);
        auto payload = Json::parse(rows.text(row, 2));
        if (!payload.ok()) {
            return Error::of(ErrorCode::INTERNAL_ERROR,
                             fmt::format("the stored fact {} {} is damaged: {}", fact.fact_type,
                                         fact.fact_key, payload.error().message));
        }
        fact.payload = *std::move(payload);
        fact.source_sha256 = hex_encode(rows.text(row, 3));
        fact.source_name = rows.opt_text(row, 4).value_or("");
    }
    return facts;
}

}  // namespace jobforge::workloads
