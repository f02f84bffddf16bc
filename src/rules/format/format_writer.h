// Walks the tree and the tokens side by side: used by format*.cc only.
//
// The tree says where lines may break; the words come from the tokens, in their order, so that
// nothing can be lost and every comment stays in its gap. What the layout leaves out (a second pair
// of parentheses, a comma before a closing bracket) is skipped by name.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "rules/format/format_layout.h"
#include "rules/syntax/ast.h"
#include "rules/syntax/lexer.h"
#include "rules/syntax/source.h"

namespace jobforge::rules {

class FormatWriter final {
public:
    FormatWriter(const SourceText& source, const Tokens& tokens) noexcept
        : source_(source), tokens_(tokens) {}

    [[nodiscard]] std::string write(const Module& module);

private:
    // --- words (format_writer.cc)
    [[nodiscard]] std::string_view peek() const noexcept;
    void token();  // the next word, comments before it included
    void tokens(std::size_t count);
    // Leaves the next word out if it is this one. A comment behind it stays on the line, or not.
    void skip(std::string_view wanted, bool keep_on_line = true);
    void own(std::string text);  // a word that is not in the source
    void comments_before(std::size_t offset);
    void comments_behind(std::size_t offset);
    // A new line; an empty one before it if the author left one here.
    void line();
    [[nodiscard]] std::size_t line_feeds(std::size_t from, std::size_t to) const noexcept;

    // --- declarations (format.cc)
    void declaration(const FactDeclaration& fact);
    void declaration(const FieldDeclaration& field);
    void declaration(const Example& example);
    void declaration(const Property& property);
    void type(const TypeSyntax& type);
    void expectation(const Expectation& expectation);
    void fixtures(const Fixtures& fixtures);
    void fact_fixture(const FactFixture& fixture);
    void json(const Json& value);
    void end_of_test();

    // --- expressions (format_expression.cc)
    void expression(const Expression& expression);
    void node(const Literal& node);
    void node(const Variable& node);
    void node(const FieldReference& node);
    void node(const Given& node);
    void node(const MemberAccess& node);
    void node(const Unary& node);
    void node(const Binary& node);
    void node(const If& node);
    void node(const ListLiteral& node);
    void node(const Block& node);
    void node(const Lambda& node);
    void node(const Call& node);
    void node(const Implies& node);
    void chain(const Binary& node, int precedence);
    // Behind =, ->, then, else: on the same line if it fits, else indented below.
    void body(const Expression& expression);
    // ( items ) or [ items ]: on one line if they fit, else a line each. At the bracket.
    template <typename Items, typename Write>
    void bracketed(const Items& items, std::string_view close, const Write& write_item);

    const SourceText& source_;
    const Tokens& tokens_;
    Layout layout_;
    std::deque<std::string> owned_;  // stable addresses for words that are not in the source
    std::size_t at_ = 0;
    std::size_t comment_ = 0;
    std::size_t last_end_ = 0;  // of the last word or comment
};

template <typename Items, typename Write>
void FormatWriter::bracketed(const Items& items, std::string_view close, const Write& write_item) {
    layout_.open();
    token();
    layout_.indent();
    layout_.soft_break(false);
    bool first = true;
    for (const auto& item : items) {
        if (!first) {
            token();
            layout_.soft_break();
        }
        first = false;
        write_item(item);
    }
    if (peek() != close) {
        skip(",");
    }
    comments_before(tokens_.tokens[at_].begin);
    layout_.dedent();
    layout_.soft_break(false);
    token();
    layout_.close();
}

}  // namespace jobforge::rules
