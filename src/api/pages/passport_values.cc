#include "api/pages/passport_values.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "api/pages/html_text.h"

namespace jobforge::api {

namespace {

std::string shown_list(const Json::Array& list) {
    if (list.empty()) {
        return "<i>none</i>";
    }
    std::string out = "<ul>";
    for (const Json& item : list) {
        out += "<li>" + shown_value(item) + "</li>";
    }
    return out + "</ul>";
}

std::string shown_object(const Json::Object& object) {
    std::string out = "<dl>";
    for (const Json::Member& member : object) {
        out += fmt::format("<dt>{}</dt><dd>{}</dd>", readable_name(member.first),
                           shown_value(member.second));
    }
    return out + "</dl>";
}

// "312.000000" -> "312": the zeros are the payload's scale and tell people nothing.
std::string without_zeros(std::string number) {
    const std::size_t point = number.find('.');
    if (point == std::string::npos || point == 0 ||
        number.find_first_not_of("0123456789", point + 1) != std::string::npos) {
        return number;
    }
    const std::size_t last = number.find_last_not_of('0');
    number.erase(last == point ? point : last + 1);
    return number;
}

// The two texts of an object that has exactly these members.
struct TextPair {
    const std::string& first;
    const std::string& second;
};
std::optional<TextPair> text_pair(const Json& value, std::string_view first,
                                  std::string_view second) {
    const Json* a = value.find(first);
    const Json* b = value.find(second);
    if (value.as_object()->size() != 2 || a == nullptr || b == nullptr ||
        a->as_string() == nullptr || b->as_string() == nullptr) {
        return std::nullopt;
    }
    return TextPair{*a->as_string(), *b->as_string()};
}

std::string shown_object_or_pair(const Json& value) {
    if (const auto quantity = text_pair(value, "value", "unit")) {
        return shown_text(without_zeros(quantity->first) + " " + quantity->second);
    }
    if (const auto text = text_pair(value, "value", "language")) {
        return fmt::format("<bdi lang=\"{0}\">{1}</bdi> <span class=\"note\">{0}</span>",
                           html_escaped(text->second), html_escaped(text->first));
    }
    return shown_object(*value.as_object());
}

bool any_stated(const Json::Object& object) {
    return std::any_of(object.begin(), object.end(),
                       [](const Json::Member& member) { return is_stated(member.second); });
}

}  // namespace

std::string readable_name(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
        const bool after_lower =
            !out.empty() && std::islower(static_cast<unsigned char>(out.back())) != 0;
        if (c == '_') {
            out += ' ';
        } else if (upper && after_lower) {
            out += ' ';
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else {
            out += out.empty() ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        }
    }
    return html_escaped(out);
}

std::string shown_text(std::string_view text) {
    return "<bdi>" + html_escaped(text) + "</bdi>";
}

std::string shown_value(const Json& value) {
    if (value.is_null()) {
        return "<i>not stated</i>";
    }
    if (const std::string* text = value.as_string()) {
        return shown_text(*text);
    }
    if (const Json::Array* list = value.as_array()) {
        return shown_list(*list);
    }
    if (value.as_object() != nullptr) {
        return shown_object_or_pair(value);
    }
    const std::string text = value.dump();
    return text == "true" ? "yes" : text == "false" ? "no" : html_escaped(text);
}

bool is_stated(const Json& value) {
    if (const std::string* text = value.as_string()) {
        return text->find_first_not_of(" \t\r\n") != std::string::npos;
    }
    if (const Json::Array* list = value.as_array()) {
        return std::any_of(list->begin(), list->end(), is_stated);
    }
    if (const Json::Object* object = value.as_object()) {
        return any_stated(*object);
    }
    return !value.is_null();
}

}  // namespace jobforge::api
