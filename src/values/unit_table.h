// The table behind core/units.h: every unit's dimension as exponents of base dimensions, and its
// size as an exact ratio in the base units. Private to core/units.cc and its tests.
//
// Electrical units are written in volt, ampere and second, so that V * Ah = Wh, V / A = ohm and
// gCO2e / kWh = gCO2e_per_kWh follow from arithmetic and need no list of their own. Emissions are
// no mass (a gram of CO2e is not a gram of a battery), a month no number of days, and per cent,
// pieces and cycles have dimensions of their own, so that they are not added or cancelled by
// accident.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jobforge {

enum class Base : std::uint8_t {
    gram,
    gram_co2e,
    volt,
    ampere,
    second,
    month,
    degree_celsius,
    per_cent,
    piece,
    cycle,
};

inline constexpr std::size_t kBaseCount = 10;

using Dimension = std::array<std::int8_t, kBaseCount>;  // the exponent of each Base

struct BasePower {
    Base base;
    std::int8_t exponent;
};

template <std::size_t N>
constexpr Dimension dimension(const BasePower (&powers)[N]) {
    Dimension exponents{};
    for (const BasePower& power : powers) {
        exponents[static_cast<std::size_t>(power.base)] = power.exponent;
    }
    return exponents;
}

struct Unit {
    std::string_view name;
    std::string_view dimension_name;
    Dimension dimension;
    // One of this unit is numerator / denominator base units; in lowest terms.
    std::int64_t numerator;
    std::int64_t denominator;
};

namespace unit_table {

inline constexpr Dimension kMass = dimension({{Base::gram, 1}});
inline constexpr Dimension kEmission = dimension({{Base::gram_co2e, 1}});
inline constexpr Dimension kEnergy =
    dimension({{Base::volt, 1}, {Base::ampere, 1}, {Base::second, 1}});
inline constexpr Dimension kIntensity =
    dimension({{Base::gram_co2e, 1}, {Base::volt, -1}, {Base::ampere, -1}, {Base::second, -1}});
inline constexpr Dimension kCharge = dimension({{Base::ampere, 1}, {Base::second, 1}});
inline constexpr Dimension kCurrent = dimension({{Base::ampere, 1}});
inline constexpr Dimension kVoltage = dimension({{Base::volt, 1}});
inline constexpr Dimension kPower = dimension({{Base::volt, 1}, {Base::ampere, 1}});
inline constexpr Dimension kResistance = dimension({{Base::volt, 1}, {Base::ampere, -1}});
inline constexpr Dimension kTemperature = dimension({{Base::degree_celsius, 1}});
inline constexpr Dimension kShare = dimension({{Base::per_cent, 1}});
inline constexpr Dimension kPieces = dimension({{Base::piece, 1}});
inline constexpr Dimension kTime = dimension({{Base::second, 1}});
inline constexpr Dimension kCalendar = dimension({{Base::month, 1}});
inline constexpr Dimension kCycles = dimension({{Base::cycle, 1}});

// In the order in which the rule language lists them.
inline constexpr Unit kUnits[] = {
    {"kg", "mass", kMass, 1'000, 1},
    {"g", "mass", kMass, 1, 1},
    {"t", "mass", kMass, 1'000'000, 1},
    {"kWh", "energy", kEnergy, 3'600'000, 1},
    {"Wh", "energy", kEnergy, 3'600, 1},
    {"MWh", "energy", kEnergy, 3'600'000'000, 1},
    {"gCO2e", "emission", kEmission, 1, 1},
    {"kgCO2e", "emission", kEmission, 1'000, 1},
    {"tCO2e", "emission", kEmission, 1'000'000, 1},
    {"gCO2e_per_kWh", "emission per energy", kIntensity, 1, 3'600'000},
    {"kgCO2e_per_kWh", "emission per energy", kIntensity, 1, 3'600},
    {"Ah", "charge", kCharge, 3'600, 1},
    {"mAh", "charge", kCharge, 18, 5},
    {"A", "current", kCurrent, 1, 1},
    {"mA", "current", kCurrent, 1, 1'000},
    {"V", "voltage", kVoltage, 1, 1},
    {"mV", "voltage", kVoltage, 1, 1'000},
    {"W", "power", kPower, 1, 1},
    {"kW", "power", kPower, 1'000, 1},
    {"ohm", "resistance", kResistance, 1, 1},
    {"mohm", "resistance", kResistance, 1, 1'000},
    {"degC", "temperature", kTemperature, 1, 1},
    {"pct", "share", kShare, 1, 1},
    {"each", "pieces", kPieces, 1, 1},
    {"s", "time", kTime, 1, 1},
    {"min", "time", kTime, 60, 1},
    {"h", "time", kTime, 3'600, 1},
    {"day", "time", kTime, 86'400, 1},
    {"month", "calendar time", kCalendar, 1, 1},
    {"year", "calendar time", kCalendar, 12, 1},
    {"cycle", "cycles", kCycles, 1, 1},
};

}  // namespace unit_table
}  // namespace jobforge
