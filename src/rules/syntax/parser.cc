#include "rules/syntax/parser.h"

#include <utility>

#include <fmt/format.h>

#include "rules/syntax/parser_impl.h"

namespace jobforge::rules {

std::optional<ParsedSource> parse(const SourceText& source, std::uint32_t number,
                                  Diagnostics& diagnostics) {
    auto tokens = lex(source, number, diagnostics);
    if (!tokens) {
        return std::nullopt;
    }
    ParsedSource parsed;
    parsed.tokens = *std::move(tokens);
    parsed.module = Parser(source, number, parsed.tokens, diagnostics).module();
    return parsed;
}

Parser::Level::Level(Parser& parser) : parser_(parser), ok_(++parser.level_ <= kMaximumNesting) {
    if (!ok_) {
        parser.report(parser.here(), fmt::format("nested deeper than {} levels", kMaximumNesting),
                      "give the inner parts names with let");
    }
}

Module Parser::module() {
    Module module;
    while (!at_end()) {
        // A `;` too many does no harm; the page that defines the language writes some.
        if (!accept(";") && !declaration(module)) {
            skip_to({});
        }
    }
    return module;
}

bool Parser::declaration(Module& module) {
    if (at("fact")) {
        return fact(module);
    }
    if (at("field")) {
        return field(module);
    }
    if (at("example")) {
        return example(module);
    }
    if (at("property")) {
        return property(module);
    }
    report_expected("a declaration", "a source is made of fact, field, example and property");
    advance();
    return false;
}

bool Parser::fact(Module& module) {
    FactDeclaration declaration;
    const Span first = here();
    advance();
    auto name = require_name("the name of a fact");
    if (!name || !require("{", "write fact Name { member: Type, ... }")) {
        return false;
    }
    declaration.name = *std::move(name);
    if (!record_members(declaration.members, "}")) {
        return false;
    }
    declaration.span = since(first);
    module.declarations.emplace_back(std::move(declaration));
    return true;
}

bool Parser::field(Module& module) {
    FieldDeclaration declaration;
    const Span first = here();
    advance();
    auto path = require_path();
    if (!path || !require(":", "write field path: Type = expression;")) {
        return false;
    }
    declaration.path = *std::move(path);
    auto type_syntax = type();
    if (!type_syntax || !access(declaration) ||
        !require("=", "write field path: Type = expression;")) {
        return false;
    }
    declaration.type_syntax = *std::move(type_syntax);
    declaration.body = expression();
    if (!declaration.body) {
        return false;
    }
    require_semicolon("the field");
    declaration.span = since(first);
    module.declarations.emplace_back(std::move(declaration));
    return true;
}

bool Parser::access(FieldDeclaration& field) {
    if (!accept("access")) {
        return true;
    }
    constexpr std::string_view kAdvice =
        "access is public, interest, authority or interest_and_authority";
    if (!require("(", kAdvice)) {
        return false;
    }
    const auto found = at_kind(TokenKind::word) ? find_access(text()) : std::nullopt;
    if (!found || *found == Access::restricted) {
        report_expected("who may see the field", kAdvice);
        return false;
    }
    field.access = *found;
    advance();
    return require(")");
}

}  // namespace jobforge::rules
