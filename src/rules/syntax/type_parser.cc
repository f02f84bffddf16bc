#include "rules/syntax/type_parser.h"

#include <utility>

#include <fmt/format.h>

namespace jobforge::rules {

std::optional<TypeSyntax> TypeParser::type() {
    const NestingLevel level(tokens_);
    TypeSyntax type;
    if (!level.ok()) {
        return std::nullopt;
    }
    auto name = tokens_.require_name("a type");
    if (!name) {
        return std::nullopt;
    }
    type.name = *std::move(name);
    if (!type_arguments(type)) {
        return std::nullopt;
    }
    type.span = tokens_.since(type.name.span);
    return type;
}

bool TypeParser::type_arguments(TypeSyntax& type) {
    const std::string& name = type.name.text;
    if (name == "Dec") {
        if (!tokens_.require("(", "write Dec(2): the number of decimals")) {
            return false;
        }
        type.number = tokens_.require_integer("the number of decimals, 0 to 18");
        return type.number && tokens_.require(")");
    }
    if (name == "Qty") {
        if (!tokens_.require("(", "write Qty(kWh): the unit")) {
            return false;
        }
        type.unit = tokens_.require_word("a unit without quotes, such as kWh");
        return type.unit && tokens_.require(")");
    }
    if (name == "Record") {
        return tokens_.require("(", "write Record(a: Text, b: Int)") &&
               record_members(type.inner, ")");
    }
    if (name == "Opt" || name == "List" || name == "Map") {
        return element_type(type);
    }
    return true;
}

bool TypeParser::element_type(TypeSyntax& type) {
    const std::string& name = type.name.text;
    const bool is_map = name == "Map";
    if (!tokens_.require("(", is_map ? "write Map(Text, T)" : fmt::format("write {}(T)", name))) {
        return false;
    }
    if (is_map) {
        const auto key = tokens_.require_word("Text, the type of a map's keys");
        if (!key || !tokens_.require(",", "write Map(Text, T)")) {
            return false;
        }
        type.key_is_text = key->text == "Text";
    }
    auto element = this->type();
    if (!element) {
        return false;
    }
    type.inner.push_back({{}, std::make_unique<TypeSyntax>(*std::move(element))});
    return tokens_.require(")");
}

bool TypeParser::record_members(std::vector<TypeSyntaxMember>& members, std::string_view close) {
    bool ok = true;
    while (!tokens_.accept(close)) {
        if (tokens_.at_end() || tokens_.at_declaration()) {
            tokens_.report_expected(fmt::format("`{}`", close));
            return false;
        }
        if (!record_member(members)) {
            ok = false;
            tokens_.skip_to({",", close, ";"});
        }
        if (!tokens_.accept(",") && !tokens_.at(close)) {
            tokens_.report_expected(fmt::format("`,` or `{}`", close));
            return false;
        }
    }
    return ok;
}

bool TypeParser::record_member(std::vector<TypeSyntaxMember>& members) {
    auto name = tokens_.require_word("a member's name");
    if (!name || !tokens_.require(":", "write name: Type")) {
        return false;
    }
    auto type = this->type();
    if (!type) {
        return false;
    }
    members.push_back({*std::move(name), std::make_unique<TypeSyntax>(*std::move(type))});
    return true;
}

}  // namespace jobforge::rules
