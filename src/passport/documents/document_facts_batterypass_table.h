// What of a BatteryPass payload becomes what of BatteryData: the tables of
// document_facts_batterypass.cc, which docs/formats.md shows. Names on the left are the model's,
// misspelt ones too; units are those that the model declares.
//
// Not taken, because the model contradicts itself about them: remainingCapacity (a capacity in
// kWh), originalPowerCapability and remainingPowerCapability (a power in percent), warrentyPeriod
// (a month of the year as a number of months). Constants.
#pragma once

#include <array>
#include <string_view>

#include "passport/documents/document_facts_member.h"

namespace jobforge::passport::batterypass {

using enum MemberKind;

inline constexpr NumberRange kPercent{"0", "100"};
inline constexpr NumberRange kGrowth{"-100", "10000"};  // percent, against the beginning
inline constexpr NumberRange kPositive{"0", "1000000000000"};
inline constexpr NumberRange kKilowattHours{"0", "1000000"};
inline constexpr NumberRange kAmpereHours{"0", "10000000"};
inline constexpr NumberRange kVolts{"0", "100000"};
inline constexpr NumberRange kKilowatts{"0", "1000000"};
inline constexpr NumberRange kOhms{"0", "1000000"};
inline constexpr NumberRange kDegrees{"-100", "200"};  // the model's own
inline constexpr NumberRange kCycles{"0", "10000000"};
inline constexpr NumberRange kKilograms{"0", "1000000"};
inline constexpr NumberRange kFootprint{"-10000", "10000"};  // kg a kWh; recycling may be a credit

inline constexpr auto kGeneral = std::to_array<Member>({
    {"batteryPassportIdentifier", "digitalProductPassportId", text},
    {"productIdentifier", "uniqueProductIdentifier", text},
    {"batteryStatus", "status", text},
    {"batteryMass", "netWeight", quantity, "KGM", kKilograms},
    {"manufacturingDate", "manufacturingDate", day},
    {"puttingIntoService", "puttingIntoServiceDate", day},
    {"manufacturerInformation.identifier", "manufacturer.identifier", text},
    {"operatorInformation.identifier", "economicOperatorId", text},
    {"operatorInformation.contactName", "operatorInformation.organizationName", text},
    {"operatorInformation.postalAddress.streetAddress", "operatorInformation.address.streetAddress",
     text},
    {"operatorInformation.postalAddress.postalCode", "operatorInformation.address.postalCode",
     text},
    {"operatorInformation.postalAddress.addressCountry", "operatorInformation.address.countryCode",
     country},
    {"manufacturingPlace.streetAddress", "manufacturingPlace.address.streetAddress", text},
    {"manufacturingPlace.postalCode", "manufacturingPlace.address.postalCode", text},
    {"manufacturingPlace.addressCountry", "manufacturingPlace.address.countryCode", country},
});

inline constexpr auto kFootprints = std::to_array<Member>({
    {"batteryCarbonFootprint", "carbonFootprintDeclaration.carbonFootprintTotal", quantity, "KGM",
     kFootprint},
    {"absoluteCarbonFootprint", "carbonFootprintDeclaration.carbonFootprintAbsolute", quantity,
     "KGM", kPositive},
    {"carbonFootprintStudy", "carbonFootprintDeclaration.carbonFootprintStudyUrl", text},
    {"carbonFootprintPerformanceClass",
     "carbonFootprintDeclaration.carbonFootprintPerformanceClass", text},
});

inline constexpr auto kCircularity = std::to_array<Member>({
    {"renewableContent", "endOfLifeInfo.renewableContent", number, "", kPercent},
    {"safetyMeasures.safetyInstructions", "endOfLifeInfo.safetyInstructions", text},
    {"safetyMeasures.extinguishingAgent", "endOfLifeInfo.extinguishingAgent", texts},
    {"endOfLifeInformation.wastePrevention", "endOfLifeInfo.wastePrevention", text},
    {"endOfLifeInformation.separateCollection", "endOfLifeInfo.separateCollection", text},
    {"endOfLifeInformation.informationOnCollection", "endOfLifeInfo.informationOnCollection", text},
});

inline constexpr auto kDismantlingDocument = std::to_array<Member>({
    {"documentType", "documentType", text},
    {"mimeType", "mimeType", text},
    {"documentURL", "documentUrl", text},
});

inline constexpr auto kSparePartSource = std::to_array<Member>({
    {"nameOfSupplier", "organizationName", text},
    {"supplierWebAddress", "url", text},
    {"emailAddressOfSupplier", "supplierContact.email", text},
    {"addressOfSupplier.streetAddress", "address.streetAddress", text},
    {"addressOfSupplier.postalCode", "address.postalCode", text},
    {"addressOfSupplier.addressCountry", "address.countryCode", country},
});

inline constexpr auto kSparePart = std::to_array<Member>({
    {"partName", "partName", text},
    {"partNumber", "partNumber", text},
});

inline constexpr auto kChemistry = std::to_array<Member>({
    {"batteryChemistry.shortName", "batteryChemistry.name", text},
    {"batteryChemistry.clearName", "batteryChemistry.clearName", text},
});

inline constexpr auto kMaterial = std::to_array<Member>({
    {"batteryMaterialName", "name", text},
    {"batteryMaterialIdentifier", "casNumber", text},
    {"batteryMaterialMass", "mass", quantity, "GRM", kPositive},
    {"batteryMaterialLocation.componentName", "componentLocation", text},
    {"isCriticalRawMaterial", "isCriticalRawMaterial", flag},
});

inline constexpr auto kSubstance = std::to_array<Member>({
    {"hazardousSubstanceName", "name", text},
    {"hazardousSubstanceClass", "hazardClass", text},
    {"hazardousSubstanceImpact", "hazardImpact", texts},
    {"hazardousSubstanceIdentifier", "substanceCasNumber", text},
    {"hazardousSubstanceConcentration", "concentration", number, "", kPercent},
    {"hazardousSubstanceLocation.componentName", "substanceLocation", text},
});

inline constexpr auto kTechnical = std::to_array<Member>({
    {"ratedEnergy", "technicalSpecifications.ratedEnergy", quantity, "KWH", kKilowattHours},
    {"ratedCapacity", "technicalSpecifications.ratedCapacity", quantity, "AMH", kAmpereHours},
    {"nominalVoltage", "technicalSpecifications.nominalVoltage", quantity, "VLT", kVolts},
    {"minimumVoltage", "technicalSpecifications.minimumVoltage", quantity, "VLT", kVolts},
    {"maximumVoltage", "technicalSpecifications.maximumVoltage", quantity, "VLT", kVolts},
    {"ratedMaximumPower", "technicalSpecifications.ratedMaximumPower", quantity, "KWT", kKilowatts},
    {"powerCapabilityRatio", "technicalSpecifications.powerCapabilityRatio", number, "", kGrowth},
    {"expectedNumberOfCycles", "technicalSpecifications.expectedCycleLife", number, "", kCycles},
    {"expectedLifetime", "technicalSpecifications.expectedLifetimeYears", number, "", {"0", "200"}},
    {"cRate", "technicalSpecifications.cRate", number, "", {"0", "1000"}},
    {"cRateLifeCycleTest", "technicalSpecifications.cRateLifeCycleTest", number, "", {"0", "1000"}},
    {"roundtripEfficiency", "technicalSpecifications.roundTripEfficiency", number, "", kPercent},
    {"roundTripEfficiencyat50PerCentCycleLife",
     "technicalSpecifications.roundTripEfficiencyAt50PercentCycleLife", number, "", kPercent},
    {"initialSelfDischarge", "technicalSpecifications.initialSelfDischarge", number, "", kPercent},
    {"capacityThresholdForExhaustion", "technicalSpecifications.capacityThresholdForExhaustion",
     number, "", kPercent},
    {"lifetimeReferenceTest", "technicalSpecifications.lifetimeReferenceTest", text},
    {"temperatureRangeIdleState.minimum",
     "technicalSpecifications.temperatureRangeIdleState.minimumTemperature", quantity, "CEL",
     kDegrees},
    {"temperatureRangeIdleState.maximum",
     "technicalSpecifications.temperatureRangeIdleState.maximumTemperature", quantity, "CEL",
     kDegrees},
    {"powerFade", "dynamicData.powerFade", number, "", kPercent},
    {"roundTripEfficiencyFade", "dynamicData.roundTripEfficiencyFade", number, "", kPercent},
});

inline constexpr auto kCondition = std::to_array<Member>({
    {"numberOfFullCycles.numberOfFullCyclesValue", "dynamicData.numberOfFullCycles", number, "",
     kCycles},
    {"stateOfCharge.stateOfChargeValue", "dynamicData.stateOfCharge", number, "", kPercent},
    {"stateOfCertifiedEnergy.stateOfCertifiedEnergyValue",
     "dynamicData.stateOfCertifiedEnergy",
     number,
     "",
     {"0", "150"}},
    {"capacityFade.capacityFadeValue", "dynamicData.capacityFade", number, "", kPercent},
    {"powerFade", "dynamicData.powerFade", number, "", kPercent},
    {"roundTripEfficiencyFade", "dynamicData.roundTripEfficiencyFade", number, "", kPercent},
    {"roundTripEfficiencyat50PerCentCycleLife",
     "technicalSpecifications.roundTripEfficiencyAt50PercentCycleLife", number, "", kPercent},
    {"remainingRoundTripEnergyEfficiency.remainingRoundTripEnergyEfficiencyValue",
     "dynamicData.remainingRoundTripEfficiency", number, "", kPercent},
    {"currentSelfDischargingRate.currentSelfDischargingRateValue",
     "dynamicData.currentSelfDischargingRate", number, "", kPercent},
    {"evolutionOfSelfDischarge.evolutionOfSelfDischargeValue",
     "dynamicData.evolutionOfSelfDischarge", number, "", kGrowth},
    {"remainingEnergy.remainingEnergyValue", "dynamicData.remainingEnergy", quantity, "KWH",
     kKilowattHours},
    {"energyThroughput.energyThroughputValue", "dynamicData.energyThroughput", quantity, "KWH",
     kPositive},
    {"capacityThroughput.capacityThroughputValue", "dynamicData.capacityThroughput", quantity,
     "AMH", kPositive},
    {"temperatureInformation.timeExtremeHighTemp",
     "dynamicData.timeSpentInExtremeTemperaturesAboveBoundary", quantity, "MIN", kPositive},
    {"temperatureInformation.timeExtremeLowTemp",
     "dynamicData.timeSpentInExtremeTemperaturesBelowBoundary", quantity, "MIN", kPositive},
});

inline constexpr auto kEvent = std::to_array<Member>({
    {"negativeEvent", "description", text},
    {"lastUpdate", "lastUpdate", text},
});

inline constexpr auto kLabels = std::to_array<Member>({
    {"declarationOfConformity", "euDeclarationOfConformity.declarationOfConformity", text},
    {"resultOfTestReport", "resultOfTestReport", text},
});

inline constexpr auto kDueDiligence = std::to_array<Member>({
    {"supplyChainDueDiligenceReport", "supplyChainDueDiligence.dueDiligenceReportUrl", text},
    {"thirdPartyAussurances", "supplyChainDueDiligence.thirdPartyAssurancesUrl", text},
    {"supplyChainIndicies", "supplyChainDueDiligence.supplyChainIndex", number, "", {"0", "1000"}},
});

// Words of the model and those of BatteryData.
struct Word {
    std::string_view from;
    std::string_view to;
};
inline constexpr auto kCategories = std::to_array<Word>({
    {"ev", "ElectricVehicleBattery"},
    {"lmt", "LightMeansOfTransportBattery"},
    {"industrial", "IndustrialBattery"},
    {"stationary", "IndustrialBattery"},  // Article 3(1)(15): an industrial one with its storage
});
inline constexpr auto kLabelSubjects = std::to_array<Word>({
    {"SeparateCollection", "SeparateCollection"},
    {"HazardousMaterial", "HazardousMaterial"},
    {"CarbonFootPrint", "CarbonFootprintLabel"},
    {"ExtinguishingAgent", "ExtinguishingAgentLabel"},
});
inline constexpr auto kStages = std::to_array<Word>({
    {"RawMaterialExtraction", "carbonFootprintDeclaration.carbonFootprintRawMaterialExtraction"},
    {"MainProduction", "carbonFootprintDeclaration.carbonFootprintProduction"},
    {"Distribution", "carbonFootprintDeclaration.carbonFootprintDistribution"},
    {"Recycling", "carbonFootprintDeclaration.carbonFootprintRecycling"},
});
inline constexpr auto kRecycled = std::to_array<Word>({
    {"Cobalt", "cobalt"},
    {"Nickel", "nickel"},
    {"Lithium", "lithium"},
    {"Lead", "lead"},
});

}  // namespace jobforge::passport::batterypass
