#include <string_view>

#include "workloads/connectors/report.h"

namespace jobforge::workloads {

namespace {

// What Excel, LibreOffice or Sheets would run (OWASP, CSV injection): the apostrophe makes it text.
bool looks_like_formula(std::string_view text) {
    return !text.empty() &&
           std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

std::string text_cell(std::string_view text) {
    std::string cell = looks_like_formula(text) ? "'" : "";
    cell += text;
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
        return cell;
    }
    std::string quoted = "\"";
    for (const char c : cell) {
        quoted += c == '"' ? std::string(2, c) : std::string(1, c);
    }
    return quoted + "\"";
}

std::string value_cell(const Json& value) {
    if (value.is_null()) {
        return "";
    }
    if (const std::string* text = value.as_string()) {
        return text_cell(*text);
    }
    return value.is_number() ? std::string(*value.number_text()) : text_cell(value.dump());
}

void add_members(std::string& csv, std::string_view section, const std::string& row,
                 const Json& object) {
    for (const auto& [name, value] : *object.as_object()) {
        csv += text_cell(section) + "," + row + "," + text_cell(name) + "," + value_cell(value);
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

}  // namespace jobforge::workloads
