#include "naive_value.h"

#include <algorithm>

#include <fmt/format.h>

namespace jobforge::naive {

using rules::Type;

namespace {

bool is_leap(int year) {
    return year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
}

int days_in_month(int year, int month) {
    constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\b':
                out += "\\b";
                break;
            case '\f':
                out += "\\f";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\r':
                out += "\\r";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                out += byte < 0x20 ? fmt::format("\\u{:04x}", byte) : std::string(1, c);
        }
    }
    return out + "\"";
}

std::string with_point(const Big& number, int scale) {
    std::string digits = number.magnitude().text();
    const auto places = static_cast<std::size_t>(scale);
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    if (scale > 0) digits.insert(digits.size() - places, ".");
    return (number.is_negative() ? "-" : "") + digits;
}

}  // namespace

bool exists(const Day& day) {
    return day.year >= 1 && day.year <= 9999 && day.month >= 1 && day.month <= 12 && day.day >= 1 &&
           day.day <= days_in_month(day.year, day.month);
}

long long day_number(const Day& day) {
    const long long before = day.year - 1;
    long long number = before * 365 + before / 4 - before / 100 + before / 400;
    for (int month = 1; month < day.month; ++month) number += days_in_month(day.year, month);
    return number + day.day - 1;
}

Day day_of(long long number) {
    Day day;
    day.year = static_cast<int>(number / 366) + 1;  // never too late
    while (day_number({day.year + 1, 1, 1}) <= number) ++day.year;
    while (day.month < 12 && day_number({day.year, day.month + 1, 1}) <= number) ++day.month;
    day.day = static_cast<int>(number - day_number({day.year, day.month, 1})) + 1;
    return day;
}

std::string text_of(const Day& day) {
    return fmt::format("{:04}-{:02}-{:02}", day.year, day.month, day.day);
}

Datum Datum::boolean(bool value) {
    Datum datum;
    datum.kind = Kind::boolean;
    datum.flag = value;
    return datum;
}

Datum Datum::integer(const Big& value) {
    if (compare(value.magnitude(), Big(9007199254740991LL)) > 0) throw Failure{"NUMBER_OVERFLOW"};
    Datum datum;
    datum.kind = Kind::integer;
    datum.number = value;
    return datum;
}

Datum Datum::decimal(const Ratio& value, int scale, std::string_view mode) {
    Datum datum;
    datum.kind = Kind::decimal;
    datum.number = rounded(value, scale, mode);
    datum.scale = scale;
    if (datum.number.digit_count() > 38) throw Failure{"NUMBER_OVERFLOW"};
    return datum;
}

Datum Datum::quantity(const Ratio& value, const std::string& unit) {
    Datum datum = decimal(value, 6);
    datum.kind = Kind::quantity;
    datum.text = unit;
    return datum;
}

Datum Datum::of_text(std::string value) {
    Datum datum;
    datum.kind = Kind::text;
    datum.text = std::move(value);
    return datum;
}

Datum Datum::date(const Day& value) {
    Datum datum;
    datum.kind = Kind::date;
    datum.day = value;
    return datum;
}

Datum Datum::list(std::vector<Datum> items) {
    Datum datum;
    datum.kind = Kind::list;
    datum.items = std::move(items);
    return datum;
}

Ratio Datum::ratio() const {
    return {number, Big::power_of_ten(scale)};
}

std::string Datum::json() const {
    switch (kind) {
        case Kind::none:
            return "null";
        case Kind::boolean:
            return flag ? "true" : "false";
        case Kind::integer:
            return number.text();
        case Kind::decimal:
            return "\"" + with_point(number, scale) + "\"";
        case Kind::quantity:
            return R"({"unit":")" + text + R"(","value":")" + with_point(number, scale) + "\"}";
        case Kind::text:
            return quoted(text);
        case Kind::date:
            return "\"" + text_of(day) + "\"";
        case Kind::list: {
            std::string out;
            for (const Datum& item : items) out += (out.empty() ? "" : ",") + item.json();
            return "[" + out + "]";
        }
        case Kind::members:
            break;
    }
    std::string out;
    for (const auto& [name, value] : members) {
        out += (out.empty() ? "" : ",") + quoted(name) + ":" + value.json();
    }
    return "{" + out + "}";
}

unsigned long long Datum::size() const {
    unsigned long long total = 1;
    if (kind == Kind::text) total += text.size() / 16;
    for (const Datum& item : items) total += item.size();
    for (const auto& [name, value] : members) total += value.size() + name.size() / 16;
    return total;
}

bool equal(const Datum& a, const Datum& b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
        case Datum::Kind::none:
            return true;
        case Datum::Kind::boolean:
            return a.flag == b.flag;
        case Datum::Kind::list:
            return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                              equal);
        case Datum::Kind::members:
            return std::equal(a.members.begin(), a.members.end(), b.members.begin(),
                              b.members.end(), [](const auto& x, const auto& y) {
                                  return x.first == y.first && equal(x.second, y.second);
                              });
        default:
            return order(a, b) == 0;
    }
}

int order(const Datum& a, const Datum& b) {
    if (a.kind == Datum::Kind::text) return a.text.compare(b.text);
    if (a.kind == Datum::Kind::date) return text_of(a.day).compare(text_of(b.day));
    if (a.kind != Datum::Kind::quantity) return compare(a.ratio(), b.ratio());
    return compare(a.ratio() * unit_factor(a.text), b.ratio() * unit_factor(b.text));
}

// Base units: g, gCO2e, V, A, hour, month; everything else follows.
Ratio unit_factor(const std::string& unit) {
    static const std::map<std::string, Ratio> kFactors{{"g", {1, 1}},
                                                       {"kg", {1000, 1}},
                                                       {"t", {1000000, 1}},
                                                       {"Wh", {1, 1}},
                                                       {"kWh", {1000, 1}},
                                                       {"MWh", {1000000, 1}},
                                                       {"gCO2e", {1, 1}},
                                                       {"kgCO2e", {1000, 1}},
                                                       {"tCO2e", {1000000, 1}},
                                                       {"gCO2e_per_kWh", {1, 1000}},
                                                       {"kgCO2e_per_kWh", {1, 1}},
                                                       {"Ah", {1, 1}},
                                                       {"mAh", {1, 1000}},
                                                       {"A", {1, 1}},
                                                       {"mA", {1, 1000}},
                                                       {"V", {1, 1}},
                                                       {"mV", {1, 1000}},
                                                       {"W", {1, 1}},
                                                       {"kW", {1000, 1}},
                                                       {"ohm", {1, 1}},
                                                       {"mohm", {1, 1000}},
                                                       {"degC", {1, 1}},
                                                       {"pct", {1, 1}},
                                                       {"each", {1, 1}},
                                                       {"s", {1, 3600}},
                                                       {"min", {1, 60}},
                                                       {"h", {1, 1}},
                                                       {"day", {24, 1}},
                                                       {"month", {1, 1}},
                                                       {"year", {12, 1}},
                                                       {"cycle", {1, 1}}};
    return kFactors.at(unit);
}

bool read_decimal(const std::string& text, Ratio& value, int& scale) {
    std::string digits;
    std::size_t at = text.starts_with('-') ? 1 : 0;
    std::size_t points = 0;
    scale = 0;
    for (const std::size_t start = at; at < text.size(); ++at) {
        if (text[at] == '.' && points == 0 && at > start && at + 1 < text.size()) {
            ++points;
        } else if (text[at] >= '0' && text[at] <= '9') {
            digits += text[at];
            scale += static_cast<int>(points);
        } else {
            return false;
        }
    }
    if (digits.empty()) return false;
    value = {Big(text.starts_with('-') ? "-" + digits : digits), Big::power_of_ten(scale)};
    return true;
}

namespace {

[[noreturn]] void misshaped() {
    throw Failure{"FACT_SHAPE"};
}

Ratio shape_number(const Json& json, int scale) {
    std::string text;
    if (json.is_string()) {
        text = *json.as_string();
    } else if (json.is_number()) {
        text = std::string(*json.number_text());
    }
    Ratio value;
    int written = 0;
    if (!read_decimal(text, value, written) || written > scale) misshaped();
    if (rounded(value, scale, "down").digit_count() > 38) misshaped();
    return value;
}

Datum shape_scalar(const Json& json, const Type& type) {
    switch (type.kind()) {
        case Type::Kind::boolean:
            if (!json.is_bool()) misshaped();
            return Datum::boolean(*json.as_bool());
        case Type::Kind::integer:
            if (!json.as_int64()) misshaped();
            return Datum::integer(*json.as_int64());
        case Type::Kind::text:
            if (!json.is_string()) misshaped();
            return Datum::of_text(*json.as_string());
        case Type::Kind::decimal:
            return Datum::decimal(shape_number(json, type.scale()), type.scale());
        case Type::Kind::quantity: {
            const std::string unit(unit_name(*type.unit()));
            if (json.find("value") == nullptr || json.find("unit") == nullptr) misshaped();
            const Ratio number = shape_number(*json.find("value"), 6);
            return Datum::quantity(
                number * unit_factor(*json.find("unit")->as_string()) / unit_factor(unit), unit);
        }
        default:
            break;
    }
    Day day;
    if (!json.is_string() || json.as_string()->size() != 10) misshaped();
    const std::string& text = *json.as_string();
    day.year = std::stoi(text.substr(0, 4));
    day.month = std::stoi(text.substr(5, 2));
    day.day = std::stoi(text.substr(8, 2));
    if (!exists(day) || text_of(day) != text) misshaped();
    return Datum::date(day);
}

}  // namespace

Datum shape(const Json* json, const Type& type) {
    if (type.is(Type::Kind::optional)) {
        return json == nullptr || json->is_null() ? Datum() : shape(json, type.element());
    }
    if (json == nullptr) misshaped();
    Datum datum;
    switch (type.kind()) {
        case Type::Kind::list:
            if (!json->is_array()) misshaped();
            datum.kind = Datum::Kind::list;
            for (const Json& item : *json->as_array()) {
                datum.items.push_back(shape(&item, type.element()));
            }
            return datum;
        case Type::Kind::map:
            if (!json->is_object()) misshaped();
            datum.kind = Datum::Kind::members;
            for (const auto& [name, value] : *json->as_object()) {
                datum.members[name] = shape(&value, type.element());
            }
            return datum;
        case Type::Kind::record:
            if (!json->is_object()) misshaped();
            datum.kind = Datum::Kind::members;
            for (const auto& member : type.members()) {
                datum.members[member.name] = shape(json->find(member.name), member.type);
            }
            return datum;
        default:
            return shape_scalar(*json, type);
    }
}

}  // namespace jobforge::naive
