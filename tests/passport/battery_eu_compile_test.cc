// examples/battery-eu as passports and judgements: compiled within the default limits, and proved.
#include <gtest/gtest.h>

#include "battery_eu_support.h"
#include "core/hash.h"
#include "passport/compile.h"
#include "verify/check_proof.h"

namespace jobforge::passport::battery_eu {
namespace {

constexpr const char* kAnyUuid = "7d444840-9dc0-41d0-8f0c-3f5b1c2f4a01";

struct Case {
    const char* rules;
    const char* document;
};

CompileInputs inputs_of(const Case& given, const std::string& issued_at) {
    const std::string name = given.document;
    const std::string rules = given.rules;
    const auto path = folder() / "documents" / (name + ".json");
    const Json product = read_document(folder() / "products" / (name + ".json"));
    const auto text = [&product](const char* member) { return *product.find(member)->as_string(); };
    CompileInputs inputs;
    inputs.product = {text("battery_product_id"), text("name"), text("sku")};
    inputs.facts = {fact("BatteryData", "data:" + text("sku"), read_document(path))};
    inputs.facts[0].source_sha256 = sha256_hex(read_text(path));
    inputs.dsl_source = read_text(folder() / (rules + ".rules"));
    inputs.tests_source = read_text(folder() / (rules + ".tests"));
    inputs.issue = {issued_at, kAnyUuid, kAnyUuid, kAnyUuid, kAnyUuid, kAnyUuid, "build", "key"};
    return inputs;
}

// Room for documents that say more than the examples do.
constexpr std::size_t kLargestProof = 250'000;

class BatteryEuPassport : public testing::TestWithParam<Case> {};

TEST_P(BatteryEuPassport, compiles_and_its_proof_derives_every_field_and_entry) {
    for (const char* day : {"2026-12-01", "2027-02-18", "2036-09-01"}) {
        const auto inputs = inputs_of(GetParam(), std::string(day) + "T08:00:00.000000Z");
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

INSTANTIATE_TEST_SUITE_P(EveryExample, BatteryEuPassport,
                         testing::Values(Case{"battery-eu", "ev"}, Case{"battery-eu", "lmt"},
                                         Case{"battery-eu", "industrial"},
                                         Case{"battery-eu", "contradictions"},
                                         Case{"battery-checks", "ev"},
                                         Case{"battery-checks", "lmt"},
                                         Case{"battery-checks", "industrial"},
                                         Case{"battery-checks", "contradictions"}));

}  // namespace
}  // namespace jobforge::passport::battery_eu
