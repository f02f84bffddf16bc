#include "rules/syntax/parser.h"

#include <utility>

#include "rules/syntax/example_parser.h"
#include "rules/syntax/expression_parser.h"
#include "rules/syntax/property_parser.h"
#include "rules/syntax/token_reader.h"
#include "rules/syntax/type_parser.h"

namespace jobforge::rules {

namespace {

class DeclarationParser final {
public:
    explicit DeclarationParser(TokenReader& tokens) noexcept : tokens_(tokens) {}

    [[nodiscard]] Module module();

private:
    [[nodiscard]] bool declaration(Module& module);
    [[nodiscard]] bool fact(Module& module);
    [[nodiscard]] bool field(Module& module);
    [[nodiscard]] bool access(FieldDeclaration& field);

    TokenReader& tokens_;
};

Module DeclarationParser::module() {
    Module module;
    while (!tokens_.at_end()) {
        // A `;` too many does no harm; the page that defines the language writes some.
        if (!tokens_.accept(";") && !declaration(module)) {
            tokens_.skip_to({});
        }
    }
    return module;
}

bool DeclarationParser::declaration(Module& module) {
    if (tokens_.at("fact")) {
        return fact(module);
    }
    if (tokens_.at("field")) {
        return field(module);
    }
    if (tokens_.at("example")) {
        return ExampleParser(tokens_).example(module);
    }
    if (tokens_.at("property")) {
        return PropertyParser(tokens_).property(module);
    }
    tokens_.report_expected("a declaration",
                            "a source is made of fact, field, example and property");
    tokens_.advance();
    return false;
}

bool DeclarationParser::fact(Module& module) {
    FactDeclaration declaration;
    const Span first = tokens_.here();
    tokens_.advance();
    auto name = tokens_.require_name("the name of a fact");
    if (!name || !tokens_.require("{", "write fact Name { member: Type, ... }")) {
        return false;
    }
    declaration.name = *std::move(name);
    if (!TypeParser(tokens_).record_members(declaration.members, "}")) {
        return false;
    }
    declaration.span = tokens_.since(first);
    module.declarations.emplace_back(std::move(declaration));
    return true;
}

bool DeclarationParser::field(Module& module) {
    FieldDeclaration declaration;
    const Span first = tokens_.here();
    tokens_.advance();
    auto path = tokens_.require_path();
    if (!path || !tokens_.require(":", "write field path: Type = expression;")) {
        return false;
    }
    declaration.path = *std::move(path);
    auto type_syntax = TypeParser(tokens_).type();
    if (!type_syntax || !access(declaration) ||
        !tokens_.require("=", "write field path: Type = expression;")) {
        return false;
    }
    declaration.type_syntax = *std::move(type_syntax);
    declaration.body = ExpressionParser(tokens_).expression();
    if (!declaration.body) {
        return false;
    }
    tokens_.require_semicolon("the field");
    declaration.span = tokens_.since(first);
    module.declarations.emplace_back(std::move(declaration));
    return true;
}

bool DeclarationParser::access(FieldDeclaration& field) {
    if (!tokens_.accept("access")) {
        return true;
    }
    constexpr std::string_view kAdvice =
        "access is public, interest, authority or interest_and_authority";
    if (!tokens_.require("(", kAdvice)) {
        return false;
    }
    const auto found =
        tokens_.at_kind(TokenKind::word) ? find_access(tokens_.text()) : std::nullopt;
    if (!found || *found == Access::restricted) {
        tokens_.report_expected("who may see the field", kAdvice);
        return false;
    }
    field.access = *found;
    tokens_.advance();
    return tokens_.require(")");
}

}  // namespace

std::optional<ParsedSource> parse(const SourceText& source, std::uint32_t number,
                                  Diagnostics& diagnostics) {
    auto tokens = lex(source, number, diagnostics);
    if (!tokens) {
        return std::nullopt;
    }
    ParsedSource parsed;
    parsed.tokens = *std::move(tokens);
    TokenReader reader(source, number, parsed.tokens, diagnostics);
    parsed.module = DeclarationParser(reader).module();
    return parsed;
}

}  // namespace jobforge::rules
