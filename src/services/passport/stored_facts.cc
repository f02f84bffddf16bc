#include "services/passport/stored_facts.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/crypto/hash.h"

namespace jobforge::services {
namespace {

// NULL, or what handle_parse_facts.cc wrote: an array of texts, sorted.
std::vector<std::string> numbers_of(const pg::Rows& rows, int row) {
    std::vector<std::string> numbers;
    const auto stored = Json::parse(rows.opt_json(row, 5).value_or("[]"));
    if (stored.ok() && stored->is_array()) {
        for (const Json& pointer : *stored->as_array()) {
            if (const std::string* text = pointer.as_string()) {
                numbers.push_back(*text);
            }
        }
    }
    std::ranges::sort(numbers);
    return numbers;
}

}  // namespace

Result<std::vector<rules::Fact>> read_snapshot_facts(const pg::Rows& rows) {
    std::vector<rules::Fact> facts;
    for (int row = 0; row < rows.size(); ++row) {
        rules::Fact& fact = facts.emplace_back();
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
        fact.numbers = numbers_of(rows, row);
    }
    return facts;
}

}  // namespace jobforge::services
