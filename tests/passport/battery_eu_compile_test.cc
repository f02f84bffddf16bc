// examples/battery-eu as passports and judgements: compiled within the default limits, and proved.
#include <gtest/gtest.h>

#include "base/crypto/hash.h"
#include "battery_eu_support.h"
#include "passport/compile.h"
#include "verify/check_proof.h"

namespace jobforge::passport::battery_eu {
namespace {

constexpr const char* kAnyUuid = "7d444840-9dc0-41d0-8f0c-3f5b1c2f4a01";

struct Case {
    const char* rules;
    const char* document;
};

std::string member(const Json& object, const char* name) {
    return *object.find(name)->as_string();
}

std::filesystem::path own_document(const std::string& name) {
    return folder() / "documents" / (name + ".json");
}

CompileInputs inputs_of(const std::string& rules, const std::filesystem::path& document,
                        const std::string& sku, const std::string& day) {
    const Json product = read_document(folder() / "products" / "ev.json");
    CompileInputs inputs;
    inputs.product = {member(product, "battery_product_id"), member(product, "name"), sku};
    inputs.facts = {fact("BatteryData", "data:" + sku, read_document(document))};
    inputs.facts[0].source_sha256 = sha256_hex(read_text(document));
    inputs.dsl_source = read_text(folder() / (rules + ".rules"));
    inputs.tests_source = read_text(folder() / (rules + ".tests"));
    inputs.issue = {day + "T08:00:00.000000Z",
                    kAnyUuid,
                    kAnyUuid,
                    kAnyUuid,
                    kAnyUuid,
                    kAnyUuid,
                    "build",
                    "key"};
    return inputs;
}

std::string sku_of(const std::string& name) {
    return member(read_document(folder() / "products" / (name + ".json")), "sku");
}

// Half of the default limit of 524,288 and some more: the other half is for longer lists of
// materials.
constexpr std::size_t kLargestProof = 280'000;
constexpr std::size_t kLargestProofOfAll = 285'000;  // with every act and document

constexpr const char* kDays[] = {"2026-12-01", "2027-02-18", "2036-09-01"};

class BatteryEuExample : public testing::TestWithParam<Case> {};

TEST_P(BatteryEuExample, compiles_and_its_proof_derives_every_field_and_entry) {
    for (const char* day : kDays) {
        const auto inputs = inputs_of(GetParam().rules, own_document(GetParam().document),
                                      sku_of(GetParam().document), day);
        const auto compiled = compile_passport(inputs);
        ASSERT_TRUE(compiled.ok()) << compiled.error().message;
        EXPECT_LT(compiled->proof.size(), kLargestProof);
        const Json payload = *Json::parse(compiled->payload);
        const verify::Fact known{inputs.facts[0].fact_type, inputs.facts[0].fact_key,
                                 &inputs.facts[0].payload};
        const auto derived = verify::check_proof(
            *Json::parse(compiled->proof),
            {{&known, 1}, inputs.product.name, inputs.product.sku, *Date::parse(day)});
        ASSERT_TRUE(derived.ok()) << derived.error().message;
        EXPECT_EQ(derived->fields, *payload.find("fields"));
        EXPECT_EQ(derived->compliance, *payload.find("compliance"));
    }
}

INSTANTIATE_TEST_SUITE_P(Every, BatteryEuExample,
                         testing::Values(Case{"battery-eu", "ev"}, Case{"battery-eu", "lmt"},
                                         Case{"battery-eu", "industrial"},
                                         Case{"battery-eu", "contradictions"},
                                         Case{"battery-checks", "ev"},
                                         Case{"battery-checks", "lmt"},
                                         Case{"battery-checks", "industrial"},
                                         Case{"battery-checks", "contradictions"}));

// Statuses of the entries in a compiled payload, by id.
std::map<std::string, std::string> entries_of(const Compiled& compiled) {
    std::map<std::string, std::string> entries;
    const Json payload = *Json::parse(compiled.payload);
    for (const Json& entry : *payload.find("compliance")->as_array()) {
        entries.emplace(member(entry, "id"), member(entry, "status"));
    }
    return entries;
}

TEST(BatteryEuPassport, names_the_contradictions_of_documents_from_outside_within_the_limit) {
    const auto from = outside_documents();
    const bool at_hand = std::filesystem::exists(from / "ev.source.json");
    using Documents = std::vector<std::pair<std::filesystem::path, std::string>>;
    const Documents documents =
        at_hand ? Documents{{from / "ev.source.json", "09521234010012"},
                            {from / "lmt.source.json", "09521234020011"}}
                : Documents{{own_document("contradictions"), sku_of("contradictions")}};
    for (const auto& [path, sku] : documents) {
        for (const char* day : kDays) {
            const auto compiled = compile_passport(inputs_of("battery-eu", path, sku, day));
            ASSERT_TRUE(compiled.ok()) << path << compiled.error().message;
            EXPECT_LT(compiled->proof.size(), kLargestProof) << path << day;
            const auto entries = entries_of(*compiled);
            for (const char* id : {"CHECK-CATEGORY", "CHECK-CHEMISTRY"}) {
                EXPECT_EQ(entries.at(id), "FAIL") << path << day << id;
            }
            // Half the materials are missing outside; the own example has too many.
            EXPECT_EQ(entries.at("CHECK-MATERIALS"), at_hand ? "WARN" : "FAIL") << path << day;
        }
    }
}

TEST(BatteryEuPassport, stays_within_the_limit_with_every_fact_there_can_be) {
    for (const char* day : kDays) {
        auto inputs = inputs_of("battery-eu", own_document("ev"), sku_of("ev"), day);
        auto facts = facts_of(sku_of("ev"), "ev", inputs.facts[0].payload);
        facts[0] = inputs.facts[0];
        facts.push_back(fact("PCF", "pcf:" + sku_of("ev"), read_document(own_document("ev-pcf"))));
        for (rules::Fact& each : facts) each.source_sha256 = inputs.facts[0].source_sha256;
        inputs.facts = facts;
        const auto compiled = compile_passport(inputs);
        ASSERT_TRUE(compiled.ok()) << compiled.error().message;
        EXPECT_LT(compiled->proof.size(), kLargestProofOfAll) << day;
    }
}

}  // namespace
}  // namespace jobforge::passport::battery_eu
