// The parser's methods, by concern: declarations (parser.cc), types (parser_type.cc), expressions
// (parser_expression.cc, parser_primary.cc) and tests (parser_tests.cc).
//
// A method that returns nullptr, nullopt or false has reported why; its caller gives up too, until
// parsing can go on at a `;` or a declaration.
#pragma once

#include <optional>
#include <vector>

#include "rules/syntax/parser_cursor.h"

namespace jobforge::rules {

class Parser final : private ParserCursor {
public:
    using ParserCursor::ParserCursor;

    [[nodiscard]] Module module();

private:
    // --- declarations
    [[nodiscard]] bool declaration(Module& module);
    [[nodiscard]] bool fact(Module& module);
    [[nodiscard]] bool field(Module& module);
    [[nodiscard]] bool access(FieldDeclaration& field);

    // --- types
    [[nodiscard]] std::optional<TypeSyntax> type();
    [[nodiscard]] bool type_arguments(TypeSyntax& type);
    [[nodiscard]] bool element_type(TypeSyntax& type);
    [[nodiscard]] bool record_members(std::vector<TypeSyntaxMember>& members,
                                      std::string_view close);
    [[nodiscard]] bool record_member(std::vector<TypeSyntaxMember>& members);

    // --- expressions
    [[nodiscard]] ExpressionPtr expression();
    [[nodiscard]] ExpressionPtr block();
    [[nodiscard]] bool statement(Block& block);
    [[nodiscard]] bool let_statement(Block& block);
    [[nodiscard]] bool assert_statement(Block& block);
    [[nodiscard]] ExpressionPtr conditional();
    [[nodiscard]] ExpressionPtr disjunction();
    [[nodiscard]] ExpressionPtr conjunction();
    [[nodiscard]] ExpressionPtr comparison();
    [[nodiscard]] ExpressionPtr sum();
    [[nodiscard]] ExpressionPtr product();
    [[nodiscard]] ExpressionPtr prefix();
    [[nodiscard]] ExpressionPtr postfix();
    [[nodiscard]] std::optional<BinaryOperator> comparison_operator() const noexcept;
    [[nodiscard]] ExpressionPtr binary(BinaryOperator op, const Span& op_span, ExpressionPtr left,
                                       ExpressionPtr right);

    // --- what an expression is made of
    [[nodiscard]] ExpressionPtr primary();
    [[nodiscard]] ExpressionPtr primary_word();
    [[nodiscard]] ExpressionPtr misplaced_keyword();
    [[nodiscard]] ExpressionPtr parenthesised();
    [[nodiscard]] ExpressionPtr number(bool negative);
    [[nodiscard]] ExpressionPtr text_literal();
    [[nodiscard]] ExpressionPtr date_literal();
    [[nodiscard]] ExpressionPtr quantity_literal();
    [[nodiscard]] ExpressionPtr list_literal();
    [[nodiscard]] ExpressionPtr field_reference();
    [[nodiscard]] ExpressionPtr implies();
    [[nodiscard]] ExpressionPtr call();
    [[nodiscard]] ExpressionPtr argument();
    [[nodiscard]] ExpressionPtr lambda();
    [[nodiscard]] bool at_lambda() const noexcept;
    [[nodiscard]] bool expression_list(std::vector<ExpressionPtr>& items, std::string_view close);
    [[nodiscard]] std::optional<Constant> number_value(bool negative);

    // The node as an expression from `first` to the last token read. nullptr if it is too deep.
    [[nodiscard]] ExpressionPtr make(const Span& first, ExpressionNode node);

    // --- tests
    [[nodiscard]] bool example(Module& module);
    [[nodiscard]] bool expectations(Example& example);
    [[nodiscard]] bool expectation(Example& example);
    [[nodiscard]] bool expected_value(Expectation& expectation);
    [[nodiscard]] bool expected_error(Expectation& expectation);
    [[nodiscard]] bool expected_compliance(Expectation& expectation);
    [[nodiscard]] bool fixtures(Fixtures& fixtures);
    [[nodiscard]] bool fixture(Fixtures& fixtures);
    [[nodiscard]] bool fact_fixture(Fixtures& fixtures);
    [[nodiscard]] bool product_fixture(Fixtures& fixtures);
    [[nodiscard]] bool issued_fixture(Fixtures& fixtures);
    [[nodiscard]] bool payload(FactFixture& fixture);
    [[nodiscard]] bool property(Module& module);
    [[nodiscard]] bool property_header(Property& property);
    [[nodiscard]] bool property_number(std::optional<std::uint64_t>& value, std::int64_t least,
                                       std::int64_t most);
    [[nodiscard]] bool forall(Property& property);
    [[nodiscard]] bool forall_variable(Property& property);

    // Counts the levels that recursion has entered; reports when there are too many.
    class Level final {
    public:
        explicit Level(Parser& parser);
        ~Level() { --parser_.level_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;
        [[nodiscard]] bool ok() const noexcept { return ok_; }

    private:
        Parser& parser_;
        bool ok_;
    };

    int level_ = 0;
};

}  // namespace jobforge::rules
