// Types as they are written.
#include <utility>

#include <fmt/format.h>

#include "rules/syntax/parser_impl.h"

namespace jobforge::rules {

std::optional<TypeSyntax> Parser::type() {
    const Level level(*this);
    TypeSyntax type;
    if (!level.ok()) {
        return std::nullopt;
    }
    auto name = require_name("a type");
    if (!name) {
        return std::nullopt;
    }
    type.name = *std::move(name);
    if (!type_arguments(type)) {
        return std::nullopt;
    }
    type.span = since(type.name.span);
    return type;
}

bool Parser::type_arguments(TypeSyntax& type) {
    const std::string& name = type.name.text;
    if (name == "Dec") {
        if (!require("(", "write Dec(2): the number of decimals")) {
            return false;
        }
        type.number = require_integer("the number of decimals, 0 to 18");
        return type.number && require(")");
    }
    if (name == "Qty") {
        if (!require("(", "write Qty(kWh): the unit")) {
            return false;
        }
        type.unit = require_word("a unit without quotes, such as kWh");
        return type.unit && require(")");
    }
    if (name == "Record") {
        return require("(", "write Record(a: Text, b: Int)") && record_members(type.inner, ")");
    }
    if (name == "Opt" || name == "List" || name == "Map") {
        return element_type(type);
    }
    return true;
}

bool Parser::element_type(TypeSyntax& type) {
    const std::string& name = type.name.text;
    const bool is_map = name == "Map";
    if (!require("(", is_map ? "write Map(Text, T)" : fmt::format("write {}(T)", name))) {
        return false;
    }
    if (is_map) {
        const auto key = require_word("Text, the type of a map's keys");
        if (!key || !require(",", "write Map(Text, T)")) {
            return false;
        }
        type.key_is_text = key->text == "Text";
    }
    auto element = this->type();
    if (!element) {
        return false;
    }
    type.inner.push_back({{}, std::make_unique<TypeSyntax>(*std::move(element))});
    return require(")");
}

// Members up to `close`, which is consumed. A comma may follow the last one.
bool Parser::record_members(std::vector<TypeSyntaxMember>& members, std::string_view close) {
    bool ok = true;
    while (!accept(close)) {
        if (at_end() || at_declaration()) {
            report_expected(fmt::format("`{}`", close));
            return false;
        }
        if (!record_member(members)) {
            ok = false;
            skip_to({",", close, ";"});
        }
        if (!accept(",") && !at(close)) {
            report_expected(fmt::format("`,` or `{}`", close));
            return false;
        }
    }
    return ok;
}

bool Parser::record_member(std::vector<TypeSyntaxMember>& members) {
    auto name = require_word("a member's name");
    if (!name || !require(":", "write name: Type")) {
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
