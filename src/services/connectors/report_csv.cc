#include <string_view>

#include "base/text/csv.h"
#include "services/connectors/report.h"

namespace jobforge::services {

namespace {

std::string value_cell(const Json& value) {
    if (value.is_null()) {
        return "";
    }
    if (const std::string* text = value.as_string()) {
        return csv_text_cell(*text);
    }
    return value.is_number() ? std::string(*value.number_text()) : csv_text_cell(value.dump());
}

void add_members(std::string& csv, std::string_view section, const std::string& row,
                 const Json& object) {
    for (const auto& [name, value] : *object.as_object()) {
        csv += csv_text_cell(section) + "," + row + "," + csv_text_cell(name) + "," +
               value_cell(value);
        csv += "\r\n";
    }
}

void add_section(std::string& csv, std::string_view section, const Json& value) {
    if (value.is_object()) {
        add_members(csv, section, "", value);
        return;
    }
    if (const Json::Array* rows = value.as_array()) {
        for (std::size_t i = 0; i < rows->size(); ++i) {
            if ((*rows)[i].is_object()) {
                add_members(csv, section, std::to_string(i + 1), (*rows)[i]);
            }
        }
    }
}

}  // namespace

std::string report_csv(const Report& report) {
    std::string csv = "section,row,name,value\r\n";
    for (const auto& [section, value] : *report.data.as_object()) {
        add_section(csv, section, value);
    }
    return csv;
}

}  // namespace jobforge::services
