// Where expressions may break.
#include <ranges>
#include <vector>

#include "rules/format/format_writer.h"

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

void FormatWriter::expression(const Expression& expression) {
    const auto inner = [this, &expression] {
        std::visit([this](const auto& each) { node(each); }, expression.node);
    };
    if (expression.parentheses == 0) {
        return inner();
    }
    layout_.open();
    token();
    for (int extra = 1; extra < expression.parentheses; ++extra) {
        skip("(", false);
    }
    layout_.indent();
    layout_.soft_break(false);
    inner();
    for (int extra = 1; extra < expression.parentheses; ++extra) {
        skip(")", false);
    }
    comments_before(tokens_.tokens[at_].begin);
    layout_.dedent();
    layout_.soft_break(false);
    token();
    layout_.close();
}

void FormatWriter::body(const Expression& expression) {
    layout_.open();
    layout_.indent();
    layout_.soft_break();
    this->expression(expression);
    layout_.dedent();
    layout_.close();
}

void FormatWriter::node(const Literal& node) {
    switch (node.kind) {
        case Literal::Kind::integer:
        case Literal::Kind::decimal:
            if (peek() == "-") {
                token();
            }
            return token();
        case Literal::Kind::date:
            return tokens(4);
        case Literal::Kind::quantity:
            tokens(2);
            if (peek() == "-") {
                token();
            }
            tokens(2);
            layout_.space();
            return tokens(2);
        default:
            return token();
    }
}

void FormatWriter::node(const Variable& /*node*/) {
    token();
}

void FormatWriter::node(const FieldReference& /*node*/) {
    tokens(4);
}

void FormatWriter::node(const Given& /*node*/) {
    token();
}

void FormatWriter::node(const MemberAccess& node) {
    expression(*node.object);
    tokens(2);
}

void FormatWriter::node(const Unary& node) {
    token();
    if (node.op == UnaryOperator::negate && peek() == "-") {
        layout_.space();  // two of them would begin a comment
    }
    expression(*node.operand);
}

// a + b + c is one group: either one line, or a line for each operand.
void FormatWriter::node(const Binary& node) {
    layout_.open();
    chain(node, precedence_of(node.op));
    layout_.dedent();
    layout_.close();
}

void FormatWriter::chain(const Binary& node, int precedence) {
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
    layout_.indent();
    for (const Binary* each : std::views::reverse(operators)) {
        layout_.soft_break();
        token();
        layout_.space();
        expression(*each->right);
    }
}

// An else with an if goes on in the same group, so that a long choice is a flat table.
void FormatWriter::node(const If& node) {
    layout_.open();
    const If* current = &node;
    for (;;) {
        token();
        body(*current->condition);
        layout_.soft_break();
        token();
        body(*current->then_branch);
        layout_.soft_break();
        token();
        const auto* next = std::get_if<If>(&current->else_branch->node);
        if (next == nullptr || current->else_branch->parentheses > 0) {
            break;
        }
        layout_.space();
        current = next;
    }
    body(*current->else_branch);
    layout_.close();
}

void FormatWriter::node(const ListLiteral& node) {
    bracketed(node.items, "]", [this](const ExpressionPtr& item) { expression(*item); });
}

void FormatWriter::node(const Block& node) {
    for (const Statement& statement : node.statements) {
        if (const auto* let = std::get_if<Let>(&statement)) {
            token();
            layout_.space();
            token();
            layout_.space();
            token();
            body(*let->value);
        } else {
            const auto& assertion = std::get<Assert>(statement);
            token();
            const ExpressionPtr* parts[] = {&assertion.condition, &assertion.code,
                                            &assertion.message};
            bracketed(parts, ")", [this](const ExpressionPtr* part) { expression(**part); });
        }
        token();
        line();
    }
    expression(*node.result);
}

void FormatWriter::node(const Lambda& node) {
    token();
    for (std::size_t i = 0; i < node.parameters.size(); ++i) {
        if (i > 0) {
            token();
            layout_.space();
        }
        token();
    }
    token();
    layout_.space();
    token();
    body(*node.body);
}

void FormatWriter::node(const Call& node) {
    token();
    bracketed(node.arguments, ")", [this](const ExpressionPtr& item) { expression(*item); });
}

void FormatWriter::node(const Implies& node) {
    token();
    const ExpressionPtr* parts[] = {&node.premise, &node.conclusion};
    bracketed(parts, ")", [this](const ExpressionPtr* part) { expression(**part); });
}

}  // namespace jobforge::rules
