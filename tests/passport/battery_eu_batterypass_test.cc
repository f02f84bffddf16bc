// A document in the BatteryPass data model under the rules of battery-eu: what the mapping makes of
// it has the shape that the rules declare, and says what it should.
#include <gtest/gtest.h>

#include "battery_eu_support.h"
#include "passport/documents/document_facts.h"

namespace jobforge::passport::battery_eu {
namespace {

TEST(BatteryEu, judges_a_document_of_the_battery_pass_data_model) {
    const auto facts = facts_of_document("BATTERY_DATA", "application/json",
                                         read_text(folder() / "documents" / "ev.batterypass.json"));
    ASSERT_TRUE(facts.ok());
    const std::string sku = "09524000001016";
    rules::Fact fact = battery_eu::fact("BatteryData", "data:" + sku, (*facts)[0].payload);
    fact.numbers = (*facts)[0].numbers;
    Outcome outcome;
    for (const auto& [name, package] : packages()) {
        auto set = rules::FactSet::make({fact});
        ASSERT_TRUE(set.ok());
        add_outcome(*package, {std::move(*set), sku, "Traction 55", *Date::make(2027, 2, 18)},
                    outcome);
    }
    EXPECT_EQ(outcome.fields["duty.category"], "\"ev\"");
    EXPECT_EQ(outcome.fields["identity.gtin"], "\"09524000001016\"");
    EXPECT_EQ(outcome.fields["identity.manufactured_on"], "\"2026-11-09\"");
    EXPECT_EQ(outcome.fields["recycled.cobalt_percent"], "\"16.250\"");
    EXPECT_EQ(outcome.fields["electrical.rated_energy"], R"({"unit":"kWh","value":"55.200000"})");
    EXPECT_EQ(outcome.fields["state.status"], "\"Original\"");
    EXPECT_EQ(outcome.fields["state.full_cycles"], "12");
}

}  // namespace
}  // namespace jobforge::passport::battery_eu
