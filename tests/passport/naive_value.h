// Values and units of the naive evaluator. Units are typed from the language's description, not
// from values/unit_table.h.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <jobforge/json.h>

#include "naive_number.h"
#include "rules/check/rule_type.h"

namespace jobforge::naive {

// Evaluation ended: a code of the table, or the author's.
struct Failure {
    std::string code;
};

// A day as people write it; the days between 0001-01-01 and 9999-12-31.
struct Day {
    int year = 1;
    int month = 1;
    int day = 1;
};
bool exists(const Day& day);
long long day_number(const Day& day);  // 0001-01-01 is 0
Day day_of(long long number);
std::string text_of(const Day& day);

struct Datum {
    enum class Kind { none, boolean, integer, decimal, quantity, text, date, list, members };
    Kind kind = Kind::none;
    bool flag = false;
    Big number;  // Int; Dec and Qty without their point
    int scale = 0;
    std::string text;  // Text; the unit of a Qty
    Day day;
    std::vector<Datum> items;
    std::map<std::string, Datum> members;

    static Datum boolean(bool value);
    static Datum integer(const Big& value);  // NUMBER_OVERFLOW
    // The ratio rounded to the scale; NUMBER_OVERFLOW beyond 38 digits.
    static Datum decimal(const Ratio& value, int scale, std::string_view mode = "half_even");
    static Datum quantity(const Ratio& value, const std::string& unit);
    static Datum of_text(std::string value);
    static Datum date(const Day& value);
    static Datum list(std::vector<Datum> items);

    [[nodiscard]] Ratio ratio() const;  // Int, Dec, Qty
    [[nodiscard]] std::string json() const;
    [[nodiscard]] unsigned long long size() const;
};

bool equal(const Datum& a, const Datum& b);
int order(const Datum& a, const Datum& b);

// One `unit` in the base units of its dimension.
Ratio unit_factor(const std::string& unit);

// FACT_SHAPE if it does not fit.
Datum shape(const Json* json, const rules::Type& type);
// "-?digits[.digits]" to a ratio and the number of digits behind the point; false for other text.
bool read_decimal(const std::string& text, Ratio& value, int& scale);

}  // namespace jobforge::naive
