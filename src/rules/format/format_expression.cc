#include "rules/format/format_expression.h"

#include <ranges>
#include <vector>

namespace jobforge::rules {

namespace {

int precedence_of(BinaryOperator op) noexcept {
    switch (op) {
        case BinaryOperator::logical_or:
            return 1;
        case BinaryOperator::logical_and:
            return 2;
        case BinaryOperator::add:
        case BinaryOperator::subtract:
            return 4;
        case BinaryOperator::multiply:
        case BinaryOperator::divide:
            return 5;
        default:
            return 3;
    }
}

}  // namespace

void ExpressionFormatter::expression(const Expression& expression) {
    const auto inner = [this, &expression] {
        std::visit([this](const auto& each) { node(each); }, expression.node);
    };
    if (expression.parentheses == 0) {
        return inner();
    }
    words_.layout().open();
    words_.token();
    for (int extra = 1; extra < expression.parentheses; ++extra) {
        words_.skip("(", false);
    }
    words_.layout().indent();
    words_.layout().soft_break(false);
    inner();
    for (int extra = 1; extra < expression.parentheses; ++extra) {
        words_.skip(")", false);
    }
    words_.comments_here();
    words_.layout().dedent();
    words_.layout().soft_break(false);
    words_.token();
    words_.layout().close();
}

void ExpressionFormatter::body(const Expression& expression) {
    words_.layout().open();
    words_.layout().indent();
    words_.layout().soft_break();
    this->expression(expression);
    words_.layout().dedent();
    words_.layout().close();
}

void ExpressionFormatter::node(const Literal& node) {
    switch (node.kind) {
        case Literal::Kind::integer:
        case Literal::Kind::decimal:
            if (words_.peek() == "-") {
                words_.token();
            }
            return words_.token();
        case Literal::Kind::date:
            return words_.tokens(4);
        case Literal::Kind::quantity:
            words_.tokens(2);
            if (words_.peek() == "-") {
                words_.token();
            }
            words_.tokens(2);
            words_.layout().space();
            return words_.tokens(2);
        default:
            return words_.token();
    }
}

void ExpressionFormatter::node(const Variable& /*node*/) {
    words_.token();
}

void ExpressionFormatter::node(const FieldReference& /*node*/) {
    words_.tokens(4);
}

void ExpressionFormatter::node(const Given& /*node*/) {
    words_.token();
}

void ExpressionFormatter::node(const MemberAccess& node) {
    expression(*node.object);
    words_.tokens(2);
}

void ExpressionFormatter::node(const Unary& node) {
    words_.token();
    if (node.op == UnaryOperator::negate && words_.peek() == "-") {
        words_.layout().space();  // two of them would begin a comment
    }
    expression(*node.operand);
}

// a + b + c is one group: either one line, or a line for each operand.
void ExpressionFormatter::node(const Binary& node) {
    words_.layout().open();
    chain(node, precedence_of(node.op));
    words_.layout().dedent();
    words_.layout().close();
}

void ExpressionFormatter::chain(const Binary& node, int precedence) {
    std::vector<const Binary*> operators{&node};
    for (;;) {
        const Expression& left = *operators.back()->left;
        const auto* inner = std::get_if<Binary>(&left.node);
        if (inner == nullptr || left.parentheses > 0 || precedence_of(inner->op) != precedence) {
            break;
        }
        operators.push_back(inner);
    }
    expression(*operators.back()->left);
    words_.layout().indent();
    for (const Binary* each : std::views::reverse(operators)) {
        words_.layout().soft_break();
        words_.token();
        words_.layout().space();
        expression(*each->right);
    }
}

// An else with an if goes on in the same group, so that a long choice is a flat table.
void ExpressionFormatter::node(const If& node) {
    words_.layout().open();
    const If* current = &node;
    for (;;) {
        words_.token();
        body(*current->condition);
        words_.layout().soft_break();
        words_.token();
        body(*current->then_branch);
        words_.layout().soft_break();
        words_.token();
        const auto* next = std::get_if<If>(&current->else_branch->node);
        if (next == nullptr || current->else_branch->parentheses > 0) {
            break;
        }
        words_.layout().space();
        current = next;
    }
    body(*current->else_branch);
    words_.layout().close();
}

void ExpressionFormatter::node(const ListLiteral& node) {
    words_.bracketed(node.items, "]", [this](const ExpressionPtr& item) { expression(*item); });
}

void ExpressionFormatter::node(const Block& node) {
    for (const Statement& statement : node.statements) {
        if (const auto* let = std::get_if<Let>(&statement)) {
            words_.token();
            words_.layout().space();
            words_.token();
            words_.layout().space();
            words_.token();
            body(*let->value);
        } else {
            const auto& assertion = std::get<Assert>(statement);
            words_.token();
            const ExpressionPtr* parts[] = {&assertion.condition, &assertion.code,
                                            &assertion.message};
            words_.bracketed(parts, ")", [this](const ExpressionPtr* part) { expression(**part); });
        }
        words_.token();
        words_.line();
    }
    expression(*node.result);
}

void ExpressionFormatter::node(const Lambda& node) {
    words_.token();
    for (std::size_t i = 0; i < node.parameters.size(); ++i) {
        if (i > 0) {
            words_.token();
            words_.layout().space();
        }
        words_.token();
    }
    words_.token();
    words_.layout().space();
    words_.token();
    body(*node.body);
}

void ExpressionFormatter::node(const Call& node) {
    words_.token();
    words_.bracketed(node.arguments, ")", [this](const ExpressionPtr& item) { expression(*item); });
}

void ExpressionFormatter::node(const Implies& node) {
    words_.token();
    const ExpressionPtr* parts[] = {&node.premise, &node.conclusion};
    words_.bracketed(parts, ")", [this](const ExpressionPtr* part) { expression(**part); });
}

}  // namespace jobforge::rules
