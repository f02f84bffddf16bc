// Payloads of the BatteryPass data model become BatteryData; what a generator wrote is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json/canonical.h"
#include "golden_case.h"
#include "passport/documents/document_facts.h"

namespace jobforge::passport {
namespace {

using ::testing::HasSubstr;

std::string example() {
    return file_text(JOBFORGE_SOURCE_DIR "/examples/battery-eu/documents/ev.batterypass.json");
}

Result<std::vector<DocumentFact>> facts_of(std::string_view bytes) {
    return facts_of_document("BATTERY_DATA", "application/json", bytes);
}

// The value at a JSON pointer of the example's fact, as JSON text.
std::string at(std::string_view pointer) {
    static const std::vector<DocumentFact> facts = facts_of(example()).value();
    const Json* found = &facts.at(0).payload;
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const std::string_view step = pointer.substr(0, pointer.find('/'));
        pointer.remove_prefix(step.size());
        found = found->is_array() ? &found->as_array()->at(std::stoul(std::string(step)))
                                  : found->find(step);
        if (found == nullptr) return "absent";
    }
    return found->dump();
}

// The example with one member changed, as text replaced once.
std::string with(const std::string& before, const std::string& after) {
    std::string text = example();
    const std::size_t place = text.find(before);
    EXPECT_NE(place, std::string::npos) << before;
    return text.replace(place, before.size(), after);
}

void expect_refused(const std::string& document, const std::string& pointer,
                    const std::string& words) {
    const auto facts = facts_of(document);
    ASSERT_FALSE(facts.ok()) << pointer;
    EXPECT_EQ(facts.error().code, ErrorCode::DOCUMENT_REJECTED);
    EXPECT_EQ(facts.error().details, R"({"pointer":")" + pointer + R"("})");
    EXPECT_THAT(facts.error().message, HasSubstr(words));
}

TEST(BatteryPass, becomes_the_battery_data_of_its_gtin) {
    const auto facts = facts_of(example());
    ASSERT_TRUE(facts.ok()) << facts.error().message << facts.error().details;
    ASSERT_EQ(facts->size(), 1U);
    EXPECT_EQ((*facts)[0].fact_type, "BatteryData");
    EXPECT_EQ((*facts)[0].fact_key, "data:09524000001016");
    EXPECT_EQ(at("/gtin"), "\"09524000001016\"");
    EXPECT_EQ(at("/serialNumber"), "\"NZ-2026-000317\"");
    EXPECT_EQ(at("/category"), "\"ElectricVehicleBattery\"");
    EXPECT_EQ(at("/status"), "\"Original\"");
    EXPECT_EQ(at("/manufacturingDate"), "\"2026-11-09\"");
    EXPECT_EQ(at("/netWeight"), R"({"unitCode":"KGM","value":312})");
    EXPECT_EQ(at("/manufacturer/organizationName/0/value"), "\"Nordlicht Zellwerke AB\"");
    EXPECT_EQ(at("/manufacturer/globalLocationNumber"), "\"9524000000019\"");
    EXPECT_EQ(at("/operatorInformation/address/countryCode"), "\"SE\"");
    EXPECT_EQ(at("/manufacturingPlace/address/countryCode"), "absent") << "Sweden is not a code";
}

TEST(BatteryPass, every_submodel_has_its_place) {
    EXPECT_EQ(at("/carbonFootprintDeclaration/carbonFootprintTotal"),
              R"({"unitCode":"KGM","value":"61.5"})");
    EXPECT_EQ(at("/carbonFootprintDeclaration/carbonFootprintRecycling/value"), "\"-1.0\"");
    EXPECT_EQ(at("/dismantlingDocuments/0/documentType"), "\"DismantlingManual\"");
    EXPECT_EQ(at("/sparePartSources/spareParts/0/partNumber"), "\"TRACTION-55-BMS-01\"");
    EXPECT_EQ(at("/sparePartSources/supplierContact/email"),
              "\"parts@nordlicht-zellwerke.example\"");
    EXPECT_EQ(at("/recycledContent/cobaltPostConsumerShare"), "\"12.75\"");
    EXPECT_EQ(at("/recycledContent/cobaltRecycledShare"), "\"16.25\"");
    EXPECT_EQ(at("/endOfLifeInfo/extinguishingAgent"), "\"Water spray, Foam\"");
    EXPECT_EQ(at("/batteryChemistry/name"), "\"NMC 811\"");
    EXPECT_EQ(at("/materialComposition/0/weightPercentage"), "\"12.500\"");
    EXPECT_EQ(at("/materialComposition/1/weightPercentage"), "\"16.833\"");
    EXPECT_EQ(at("/hazardousSubstances/0/substanceCasNumber"), "\"21324-40-3\"");
    EXPECT_EQ(at("/technicalSpecifications/ratedEnergy"), R"({"unitCode":"KWH","value":"55.2"})");
    EXPECT_EQ(at("/technicalSpecifications/expectedCycleLife"), "2000");
    EXPECT_EQ(at("/technicalSpecifications/initialInternalResistance/value"), "\"0.12\"");
    EXPECT_EQ(at("/technicalSpecifications/temperatureRangeIdleState/minimumTemperature/value"),
              "-30");
    EXPECT_EQ(at("/dynamicData/stateOfCharge"), "\"48.5\"");
    EXPECT_EQ(at("/dynamicData/timeSpentInExtremeTemperaturesAboveBoundary/unitCode"), "\"MIN\"");
    EXPECT_EQ(at("/labels/0/labelSubject"), "\"SeparateCollection\"");
    EXPECT_EQ(at("/supplyChainDueDiligence/supplyChainIndex"), "\"81.5\"");
    EXPECT_EQ(at("/euDeclarationOfConformity/declarationOfConformity").substr(0, 9), "\"https://");
}

std::string utf16(const std::string& ascii, bool little_endian) {
    std::string text = little_endian ? "\xFF\xFE" : "\xFE\xFF";
    for (const char c : ascii) {
        text += little_endian ? std::string{c, '\0'} : std::string{'\0', c};
    }
    return text;
}

TEST(BatteryPass, is_read_in_every_encoding_that_has_a_mark) {
    const std::string plain = R"({"generalProductInformation":{"productIdentifier":"A-1"}})";
    const auto expected = facts_of(plain);
    ASSERT_TRUE(expected.ok());
    EXPECT_EQ((*expected)[0].fact_key, "data:A-1");
    for (const std::string& bytes :
         {"\xEF\xBB\xBF" + plain, utf16(plain, true), utf16(plain, false)}) {
        const auto facts = facts_of(bytes);
        ASSERT_TRUE(facts.ok()) << facts.error().message;
        EXPECT_EQ((*facts)[0].payload, (*expected)[0].payload);
    }
    // Without a mark nothing is guessed, and half a character is none.
    EXPECT_FALSE(facts_of(utf16(plain, true).substr(2)).ok());
    expect_refused("\xFF\xFE{", "", "UTF-16");
    expect_refused(std::string("\xFF\xFE\0\xD8", 4), "", "UTF-16");
    // Passport data in our own shape too.
    EXPECT_TRUE(facts_of(utf16(R"({"sku":"A-1"})", true)).ok());
}

TEST(BatteryPass, numbers_that_no_battery_has_are_refused_with_their_place) {
    expect_refused(with("\"batteryMass\": 312", "\"batteryMass\": -1.2345E27"),
                   "/generalProductInformation/batteryMass", "sample data");
    expect_refused(with("\"batteryMass\": 312", "\"batteryMass\": -312"),
                   "/generalProductInformation/batteryMass", "sample data");
    expect_refused(with("\"ratedEnergy\": 55.2", "\"ratedEnergy\": 1.7976931348623157E308"),
                   "/performance/batteryTechicalProperties/ratedEnergy", "sample data");
    expect_refused(with("\"ohmicResistance\": 0.0021", "\"ohmicResistance\": -0.1"),
                   "/performance/batteryTechicalProperties/initialInternalResistance/0/"
                   "ohmicResistance",
                   "sample data");
    expect_refused(with("\"stateOfChargeValue\": 48.5", "\"stateOfChargeValue\": 100.5"),
                   "/performance/batteryCondition/stateOfCharge/stateOfChargeValue",
                   "No battery has the value 100.5 here");
    expect_refused(with("\"batteryMaterialMass\": 39000", "\"batteryMaterialMass\": 312001"),
                   "/materialComposition/batteryMaterials/0/batteryMaterialMass", "sample data");
    expect_refused(with("\"carbonFootprint\": 29.75", "\"carbonFootprint\": 1e9"),
                   "/carbonFootprint/carbonFootprintPerLifecycleStage/1/carbonFootprint",
                   "sample data");
    // Also where nothing is taken from.
    expect_refused(with("\"componentId\": \"A-1\"", "\"componentId\": 3.4E38"),
                   "/materialComposition/batteryMaterials/1/batteryMaterialLocation/componentId",
                   "sample data");
}

TEST(BatteryPass, texts_of_a_generator_are_refused_with_their_place) {
    for (const char* text : {"eOMtThyhVNLWUZNRcBaQKxI", "RVPpBrDbTDmcYgSoBhyytDZ", "JxkyvRnL",
                             "yedUsFwdkelQbxeTeQOvaScfqIOOmaa", "RYtGKbgicZaHCBRQDSx", "aaaa",
                             "VLhpfQGTMDYpsBZxvfBoeygjb", "telnet://192.0.2.16:80/"}) {
        expect_refused(
            with("\"shortName\": \"NMC 811\"", std::string("\"shortName\": \"") + text + "\""),
            "/materialComposition/batteryChemistry/shortName", "sample data");
    }
    for (const char* text : {"LiNi0.8Mn0.1Co0.1O2", "VoltDriveService", "SkinCorrosionOrIrritation",
                             "NMC", "LithiumNickelManganeseCobaltOxide", "Angewandtschrift"}) {
        EXPECT_TRUE(facts_of(with("\"shortName\": \"NMC 811\"",
                                  std::string("\"shortName\": \"") + text + "\""))
                        .ok())
            << text;
    }
}

TEST(BatteryPass, what_is_not_of_its_kind_is_refused_with_its_place) {
    expect_refused(with("\"batteryCategory\": \"ev\"", "\"batteryCategory\": \"car\""),
                   "/generalProductInformation/batteryCategory",
                   "one of ev, lmt, industrial, stationary");
    expect_refused(with("\"2026-11-09T08:00:00.000+01:00\"", "\"9 November\""),
                   "/generalProductInformation/manufacturingDate", "must be a date");
    expect_refused(with("\"batteryMass\": 312", "\"batteryMass\": \"312\""),
                   "/generalProductInformation/batteryMass", "must be a number");
    expect_refused(with("\"productIdentifier\": \"https", "\"product\": \"https"),
                   "/generalProductInformation", "needs a \"productIdentifier\"");
    expect_refused(R"({"batteryMaterials":[],"hazardousSubstances":[]})", "",
                   "the submodel materialComposition of a BatteryPass alone");
}

TEST(BatteryPass, one_submodel_alone_is_enough_if_it_names_the_battery) {
    const auto facts =
        facts_of(R"({"productIdentifier":"A-1","batteryCategory":"lmt","batteryMass":5})");
    ASSERT_TRUE(facts.ok());
    EXPECT_EQ(canonical((*facts)[0].payload).value(),
              R"({"category":"LightMeansOfTransportBattery","netWeight":{"unitCode":"KGM",)"
              R"("value":5},"sku":"A-1","uniqueProductIdentifier":"A-1"})");
}

TEST(BatteryPass, battery_data_stays_as_it_is) {
    const auto facts =
        facts_of(R"({"sku":"A-1","labels":[],"batteryMass":-1e30,"materialComposition":[]})");
    ASSERT_TRUE(facts.ok());
    EXPECT_EQ((*facts)[0].payload.as_object()->size(), 4U);
}

}  // namespace
}  // namespace jobforge::passport
