// examples/battery-eu: its own tests, the law's table, every input, every contradiction.
#include <algorithm>
#include <functional>
#include <iostream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "battery_eu_support.h"
#include "rules/format/format.h"
#include "rules/test/test_runner.h"

namespace jobforge::passport::battery_eu {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kFirstDay = "2027-02-18";
constexpr const char* kFarDay = "2036-09-01";  // everything is due, Article 8 too

struct Example {
    std::string name;  // of the document, and the battery's category
    std::string sku;
};

const std::vector<Example>& clean_examples() {
    static const std::vector<Example> examples{
        {"ev", "09524000001016"}, {"lmt", "09524000002020"}, {"industrial", "09524000003034"}};
    return examples;
}

Json document(const std::string& name) {
    return read_document(folder() / "documents" / (name + ".json"));
}

std::vector<rules::Fact> all_facts(const Example& example, Json payload) {
    auto facts = facts_of(example.sku, example.name, std::move(payload));
    if (example.name == "ev") {
        facts.push_back(fact("PCF", "pcf:" + example.sku, document("ev-pcf")));
    }
    return facts;
}

TEST(BatteryEu, passes_its_own_tests_with_at_least_500_cases) {
    for (const auto& [name, package] : packages()) {
        const auto report = rules::run_tests(*package);
        EXPECT_TRUE(report.passed()) << name << "\n" << report.render(*package);
        EXPECT_GE(report.total_cases(), 500U) << name;
    }
}

TEST(BatteryEu, says_no_status_outside_of_the_closed_set) {
    const std::set<std::string> closed{"PASS", "FAIL", "WARN", "PENDING", "NOT_APPLICABLE"};
    for (const Example& example : clean_examples()) {
        for (const char* day : {"2026-12-01", kFirstDay, kFarDay}) {
            const auto outcome =
                evaluate(all_facts(example, document(example.name)), example.sku, day);
            for (const auto& [id, status] : outcome.status) {
                EXPECT_TRUE(closed.contains(status)) << id << " " << status;
            }
        }
    }
}

// Given as the law asks, given but impossible, and absent: for each data point, behind its reading.
TEST(BatteryEu, tests_each_data_point_in_three_cases_beside_its_legal_reading) {
    const std::string tests = read_text(folder() / "battery-eu.tests");
    for (const DataPoint& point : data_points()) {
        const std::string number = point.id.substr(3);
        const auto heading = tests.find("\n-- " + point.id + ", ");
        ASSERT_NE(heading, std::string::npos) << point.id;
        const auto end = tests.find("\n-- ", tests.find("\nexample ", heading));
        const std::string section = tests.substr(heading, end - heading);
        const std::string reading = section.substr(0, section.find("\nexample "));
        EXPECT_THAT(reading, testing::ContainsRegex(": [a-z][a-z ]+")) << point.id;
        for (const char* kind : {"(ev|lmt|industrial): \\{", "(ev|lmt|industrial)_impossible: \\{",
                                 "(ev|lmt|industrial)_missing: \\{"}) {
            EXPECT_THAT(section, testing::ContainsRegex("example dp_" + number + "_" + kind));
        }
    }
}

TEST(BatteryEu, is_laid_out_as_fmt_does) {
    for (const char* name :
         {"battery-eu.rules", "battery-eu.tests", "battery-checks.rules", "battery-checks.tests"}) {
        const rules::SourceText source(name, read_text(folder() / name));
        rules::Diagnostics diagnostics;
        const auto laid_out = rules::format(source, diagnostics);
        ASSERT_TRUE(laid_out.has_value());
        EXPECT_TRUE(*laid_out == source.text()) << "run jobforge rules fmt " << name;
    }
}

TEST(BatteryEu, has_one_entry_for_each_of_the_71_data_points) {
    const auto points = data_points();
    ASSERT_EQ(points.size(), 71U);
    const auto outcome = evaluate(all_facts(clean_examples()[0], document("ev")),
                                  clean_examples()[0].sku, kFirstDay);
    for (const DataPoint& point : points) {
        EXPECT_TRUE(outcome.status.contains(point.id)) << point.id << " " << point.name;
    }
    const auto is_data_point = [](const auto& entry) { return entry.first.starts_with("DP-"); };
    EXPECT_EQ(std::ranges::count_if(outcome.status, is_data_point), 71);
}

std::string listed(const std::vector<std::string>& names) {
    std::string text = names.front();
    for (std::size_t i = 1; i < names.size(); ++i) {
        text += (i + 1 == names.size() ? " and " : ", ") + names[i];
    }
    return text;
}

// "mandatory for ev and lmt", "conditional for industrial": the guidance's row in words.
std::vector<std::string> obligations_of(const DataPoint& point) {
    std::map<std::string, std::vector<std::string>> categories;
    for (const char* category : {"ev", "lmt", "industrial"}) {
        categories[point.obligation.at(category)].emplace_back(category);
    }
    std::vector<std::string> phrases;
    for (const auto& [obligation, names] : categories) {
        phrases.push_back(obligation == "pending" ? obligation + " for "
                                                  : obligation + " for " + listed(names));
    }
    return phrases;
}

TEST(BatteryEu, names_article_category_obligation_and_date_of_each_data_point) {
    for (const Example& example : clean_examples()) {
        const auto outcome =
            evaluate(all_facts(example, document(example.name)), example.sku, kFirstDay);
        for (const DataPoint& point : data_points()) {
            const std::string& evidence = outcome.evidence.at(point.id);
            SCOPED_TRACE(example.name + " " + point.id + ": " + evidence);
            EXPECT_THAT(evidence, HasSubstr(point.source));
            for (const std::string& phrase : obligations_of(point)) {
                EXPECT_THAT(evidence, HasSubstr(phrase));
            }
            for (const char* category : {"ev", "lmt", "industrial"}) {
                EXPECT_THAT(evidence, HasSubstr(category));
            }
            EXPECT_THAT(evidence, testing::ContainsRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]|"
                                                         "no date is named|guidance 1.0"));
        }
    }
}

TEST(BatteryEu, says_which_category_and_day_count_for_this_battery) {
    const std::map<std::string, std::string> phases{{"2026-12-01", "before on 2026-12-01"},
                                                    {kFirstDay, "in force on 2027-02-18"}};
    for (const Example& example : clean_examples()) {
        for (const auto& [day, phase] : phases) {
            const auto outcome =
                evaluate(all_facts(example, document(example.name)), example.sku, day);
            EXPECT_EQ(outcome.evidence.at("SCOPE"),
                      "Article 77(1), " + example.name +
                          " batteries from 2027-02-18, industrial ones above 2 kWh: " + phase);
        }
    }
}

TEST(BatteryEu, gives_each_data_point_the_access_of_its_annex) {
    // The field whose rule emits the entry carries the data point.
    const std::string text = read_text(folder() / "battery-eu.rules");
    const auto tier = [&text](const std::string& id) -> std::string {
        const auto entry = text.find("\"" + id + "\"");
        const auto field = text.rfind("\nfield ", entry);
        const auto access = text.find("access(", field);
        if (access == std::string::npos || access > entry) return "";
        return text.substr(access + 7, text.find(')', access) - access - 7);
    };
    for (const DataPoint& point : data_points()) {
        const bool never_filled = std::ranges::all_of(
            point.obligation, [](const auto& each) { return each.second == "not to be filled"; });
        EXPECT_EQ(tier(point.id), never_filled ? "" : point.access) << point.id;
    }
}

TEST(BatteryEu, finds_nothing_wrong_with_the_clean_examples) {
    for (const Example& example : clean_examples()) {
        for (const char* day : {"2026-12-01", kFirstDay}) {
            const auto outcome =
                evaluate(all_facts(example, document(example.name)), example.sku, day);
            EXPECT_THAT(outcome.with_status("FAIL"), IsEmpty()) << example.name << " " << day;
            EXPECT_THAT(outcome.with_status("WARN"), IsEmpty()) << example.name << " " << day;
        }
    }
}

TEST(BatteryEu, asks_for_nothing_before_the_first_day) {
    for (const Example& example : clean_examples()) {
        const Json nothing = Json::object({{"category", *document(example.name).find("category")}});
        const std::vector facts{fact("BatteryData", "data:" + example.sku, nothing)};
        EXPECT_THAT(evaluate(facts, example.sku, "2027-02-17").with_status("FAIL"), IsEmpty());
        EXPECT_GE(evaluate(facts, example.sku, kFirstDay).with_status("FAIL").size(), 30U);
    }
}

// --- removing inputs
// ------------------------------------------------------------------------------

// Calls use(pointer, document without that part) for every part of `whole`: members and elements,
// leaves and groups.
using Use = std::function<void(const std::string& pointer, Json part)>;

void without_each(const Json& whole, const std::string& pointer, const Use& use) {
    if (const auto* members = whole.as_object()) {
        for (std::size_t i = 0; i < members->size(); ++i) {
            const auto& [name, value] = (*members)[i];
            Json::Object rest = *members;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
            use(pointer + "/" + name, Json(std::move(rest)));
            without_each(value, pointer + "/" + name, [&](const std::string& at, Json part) {
                Json::Object changed = *members;
                changed[i].second = std::move(part);
                use(at, Json(std::move(changed)));
            });
        }
    } else if (const auto* items = whole.as_array()) {
        for (std::size_t i = 0; i < items->size(); ++i) {
            const std::string place = pointer + "/" + std::to_string(i);
            Json::Array rest = *items;
            rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
            use(place, Json(std::move(rest)));
            without_each((*items)[i], place, [&](const std::string& at, Json part) {
                Json::Array changed = *items;
                changed[i] = std::move(part);
                use(at, Json(std::move(changed)));
            });
        }
    }
}

TEST(BatteryEu, changes_a_named_entry_or_field_when_any_one_input_is_removed) {
    for (const Example& example : clean_examples()) {
        const Json whole = document(example.name);
        const auto before = evaluate(all_facts(example, whole), example.sku, kFarDay);
        std::set<std::string> changed_entries;
        std::size_t inputs = 0;
        without_each(whole, "", [&](const std::string& pointer, Json part) {
            ++inputs;
            const auto after = evaluate(all_facts(example, std::move(part)), example.sku, kFarDay);
            const auto changed = after.changed_from(before);
            EXPECT_FALSE(changed.empty()) << example.name << pointer << " leaves no trace";
            changed_entries.insert(changed.begin(), changed.end());
        });
        EXPECT_GE(inputs, 250U) << example.name;
        for (const DataPoint& point : data_points()) {
            if (point.obligation.at(example.name) == "not to be filled") continue;
            if (point.id == "DP-041") continue;  // no cadmium, no lead: there is nothing to remove
            EXPECT_TRUE(changed_entries.contains(point.id))
                << example.name << ": no input of the example moves " << point.id;
        }
    }
}

TEST(BatteryEu, changes_a_named_entry_or_field_when_any_other_fact_is_removed) {
    const Example& ev = clean_examples()[0];
    const auto facts = all_facts(ev, document("ev"));
    for (std::size_t i = 1; i < facts.size(); ++i) {
        auto rest = facts;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
        // Without the act that postpones it, DP-019 is due before that act's day, not behind it.
        const std::string day = facts[i].fact_key == "act:DP-019:ev" ? "2028-06-01" : kFarDay;
        const auto before = evaluate(facts, ev.sku, day);
        EXPECT_FALSE(evaluate(rest, ev.sku, day).changed_from(before).empty()) << facts[i].fact_key;
    }
}

// --- contradictions
// -------------------------------------------------------------------------------

std::set<std::string> checks_only(std::set<std::string> ids) {
    std::erase_if(ids, [](const std::string& id) { return id.starts_with("DP-"); });
    return ids;
}

TEST(BatteryEu, finds_every_contradiction_of_the_contradictory_example) {
    const std::string sku = "09524000004048";
    const std::vector facts{fact("BatteryData", "data:" + sku, document("contradictions"))};
    const auto outcome = evaluate(facts, sku, kFirstDay);
    EXPECT_EQ(checks_only(outcome.with_status("FAIL")),
              (std::set<std::string>{"CHECK-CAPACITY-THROUGHPUT",
                                     "CHECK-CARBON-STAGES",
                                     "CHECK-CATEGORY",
                                     "CHECK-CATHODE",
                                     "CHECK-CELLS",
                                     "CHECK-CHARGING-POWER",
                                     "CHECK-CHEMISTRY",
                                     "CHECK-CLAIM",
                                     "CHECK-CRITICAL-MATERIALS",
                                     "CHECK-DATES",
                                     "CHECK-DISCHARGING-POWER",
                                     "CHECK-EFFICIENCY",
                                     "CHECK-ENERGY",
                                     "CHECK-ENERGY-THROUGHPUT",
                                     "CHECK-FADE",
                                     "CHECK-GLN",
                                     "CHECK-GTIN",
                                     "CHECK-IDENTIFIER",
                                     "CHECK-MATERIALS",
                                     "CHECK-OPERATOR",
                                     "CHECK-ORIGINAL-POWER",
                                     "CHECK-RATED-POWER",
                                     "CHECK-RECYCLED-COBALT",
                                     "CHECK-RECYCLED-LEAD",
                                     "CHECK-RECYCLED-LITHIUM",
                                     "CHECK-RECYCLED-NICKEL",
                                     "CHECK-RESISTANCE",
                                     "CHECK-SUBSTANCES",
                                     "CHECK-TEMPERATURES",
                                     "CHECK-VOLTAGE",
                                     "CHECK-WEIGHT"}));
    EXPECT_EQ(outcome.with_status("WARN"),
              (std::set<std::string>{"CHECK-C-RATE", "CHECK-CARBON-UNIT", "CHECK-CYCLES",
                                     "CHECK-POWER-RATIO", "CHECK-SCHEMA-YEAR", "CHECK-SERIAL-YEAR",
                                     "CHECK-STATUS", "CHECK-THRESHOLDS", "CHECK-TRANSPORT",
                                     "CHECK-WARRANTY", "DP-041"}));
}

// The passport itself, without battery-checks, names the contradictions that matter most.
std::set<std::string> broken_in_the_passport(const Json& source, const std::string& sku) {
    return checks_only(
        evaluate({fact("BatteryData", "data:" + sku, source)}, sku, kFirstDay, {"battery-eu"})
            .with_status("FAIL"));
}

TEST(BatteryEu, finds_the_main_contradictions_in_the_passport_alone) {
    EXPECT_EQ(broken_in_the_passport(document("contradictions"), "09524000004048"),
              (std::set<std::string>{"CHECK-CATEGORY", "CHECK-CHEMISTRY", "CHECK-GTIN",
                                     "CHECK-MATERIALS", "CHECK-VOLTAGE"}));
    for (const Example& example : clean_examples()) {
        EXPECT_THAT(broken_in_the_passport(document(example.name), example.sku), IsEmpty());
    }
}

struct Findings {
    std::set<std::string> broken;  // CHECK- entries that are FAIL
    std::set<std::string> doubtful;
    std::set<std::string> missing;  // data points that are FAIL
};

Findings findings(const Json& source, const std::string& sku) {
    const auto outcome = evaluate({fact("BatteryData", "data:" + sku, source)}, sku, kFirstDay);
    Findings found{checks_only(outcome.with_status("FAIL")), outcome.with_status("WARN"), {}};
    for (const std::string& id : outcome.with_status("FAIL")) {
        if (id.starts_with("DP-")) found.missing.insert(id);
    }
    return found;
}

// Found by reading the two documents: both call themselves industrial and are not; 53.8 % of
// materials, of iron phosphate, under a nickel manganese cobalt cathode; recycled shares and
// life-cycle stages that do not add up; 2.1 ohm; figures of one product in the other.
void expect_contradictions_of_outside_documents(const std::filesystem::path& from) {
    const std::set<std::string> in_both{"CHECK-CAPACITY-THROUGHPUT",
                                        "CHECK-CARBON-STAGES",
                                        "CHECK-CATEGORY",
                                        "CHECK-CATHODE",
                                        "CHECK-CELLS",
                                        "CHECK-CHEMISTRY",
                                        "CHECK-CLAIM",
                                        "CHECK-OPERATOR",
                                        "CHECK-ORIGINAL-POWER",
                                        "CHECK-RECYCLED-COBALT",
                                        "CHECK-RECYCLED-LITHIUM",
                                        "CHECK-RECYCLED-NICKEL",
                                        "CHECK-RESISTANCE"};
    const std::set<std::string> doubtful_in_both{
        "CHECK-CARBON-UNIT", "CHECK-MATERIALS",  "CHECK-POWER-RATIO", "CHECK-SCHEMA-YEAR",
        "CHECK-SERIAL-YEAR", "CHECK-THRESHOLDS", "CHECK-TRANSPORT",   "DP-041"};
    const std::set<std::string> missing_in_both{"DP-012", "DP-014", "DP-045", "DP-046",
                                                "DP-051", "DP-052", "DP-053", "DP-054",
                                                "DP-055", "DP-056", "DP-059", "DP-060"};
    const auto with = [](std::set<std::string> ids, const std::set<std::string>& more) {
        ids.insert(more.begin(), more.end());
        return ids;
    };
    const auto ev = findings(read_document(from / "ev.source.json"), "09521234010012");
    EXPECT_EQ(ev.broken, with(in_both, {"CHECK-CHARGING-POWER", "CHECK-RATED-POWER"}));
    EXPECT_EQ(ev.doubtful, with(doubtful_in_both, {"CHECK-C-RATE"}));
    EXPECT_EQ(ev.missing, with(missing_in_both, {"DP-061"}));
    const auto lmt = findings(read_document(from / "lmt.source.json"), "09521234020011");
    EXPECT_EQ(lmt.broken, with(in_both, {"CHECK-DISCHARGING-POWER", "CHECK-ENERGY-THROUGHPUT"}));
    EXPECT_EQ(lmt.doubtful, with(doubtful_in_both, {"DP-033"}));
    EXPECT_EQ(lmt.missing,
              with(missing_in_both, {"DP-062", "DP-063", "DP-064", "DP-065", "DP-066"}));
}

// Of these, the passport alone names category, and chemistry against materials.
void expect_contradictions_in_the_passport_alone(const std::filesystem::path& from) {
    const std::set<std::string> in_both{"CHECK-CATEGORY", "CHECK-CHEMISTRY"};
    const Json ev = read_document(from / "ev.source.json");
    const Json lmt = read_document(from / "lmt.source.json");
    EXPECT_EQ(broken_in_the_passport(ev, "09521234010012"), in_both);
    EXPECT_EQ(broken_in_the_passport(lmt, "09521234020011"), in_both);
}

// data-points.csv says what the registry of the guidance says.
void expect_table_of_outside_registry(const std::filesystem::path& from) {
    const Json registry = read_document(from / "ec-guidance-datapoints.json");
    const Json::Array& rows = *registry.find("dataPoints")->as_array();
    const auto points = data_points();
    ASSERT_EQ(rows.size(), points.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(*rows[i].find("name")->as_string(), points[i].name);
        for (const auto& [category, obligation] : points[i].obligation) {
            const Json* said = rows[i].find("applicability")->find(category)->find("status");
            EXPECT_EQ(
                *said->as_string() == "notToBeFilled" ? "not to be filled" : *said->as_string(),
                obligation)
                << points[i].id;
        }
    }
}

TEST(BatteryEu, finds_the_contradictions_of_documents_from_outside) {
    const auto from = outside_documents();
    if (std::filesystem::exists(from / "ev.source.json")) {
        std::cout << "judged: ev.source.json and lmt.source.json from outside the project\n";
        expect_contradictions_of_outside_documents(from);
        expect_contradictions_in_the_passport_alone(from);
        expect_table_of_outside_registry(from);
        return;
    }
    std::cout << "judged: the project's own contradictions.json (no documents from outside here)\n";
    const auto own = findings(document("contradictions"), "09524000004048");
    EXPECT_EQ(own.broken.size(), 31U);
    EXPECT_EQ(own.doubtful.size(), 11U);
    EXPECT_EQ(own.missing, (std::set<std::string>{"DP-014", "DP-045", "DP-046"}));
}

}  // namespace
}  // namespace jobforge::passport::battery_eu
