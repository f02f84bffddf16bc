// Whether two trees say the same.
#include <algorithm>

#include "rules/syntax/ast.h"

namespace jobforge::rules {

namespace {

// One struct, so that every comparison sees all others, whatever their order.
struct Comparison final {
    static bool same(const Name& a, const Name& b) noexcept { return a.text == b.text; }

    static bool same(const ExpressionPtr& a, const ExpressionPtr& b) {
        return (a == nullptr) == (b == nullptr) && (a == nullptr || same_syntax(*a, *b));
    }

    static bool same(const std::optional<Name>& a, const std::optional<Name>& b) noexcept {
        return a.has_value() == b.has_value() && (!a || same(*a, *b));
    }

    // Written values: 1.5 and 1.50 differ, they have different types.
    static bool same_value(const Constant& a, const Constant& b) {
        if (a.index() != b.index()) {
            return false;
        }
        if (const auto* decimal = std::get_if<Decimal>(&a)) {
            return decimal->text() == std::get<Decimal>(b).text();
        }
        if (std::holds_alternative<Quantity>(a)) {
            return std::get<Quantity>(a).unit == std::get<Quantity>(b).unit &&
                   std::get<Quantity>(a).value == std::get<Quantity>(b).value;
        }
        return std::visit(
            [&b](const auto& value) {
                using Value = std::decay_t<decltype(value)>;
                if constexpr (std::is_same_v<Value, Quantity>) {
                    return true;  // handled above
                } else {
                    return value == std::get<Value>(b);
                }
            },
            a);
    }

    static bool same(const Literal& a, const Literal& b) {
        return a.kind == b.kind && a.text == b.text && same_value(a.value, b.value);
    }
    static bool same(const Variable& a, const Variable& b) { return a.name == b.name; }
    static bool same(const FieldReference& a, const FieldReference& b) { return a.path == b.path; }
    static bool same(const Given& a, const Given& b) { return a.kind == b.kind; }
    static bool same(const MemberAccess& a, const MemberAccess& b) {
        return same(a.name, b.name) && same(a.object, b.object);
    }
    static bool same(const Unary& a, const Unary& b) {
        return a.op == b.op && same(a.operand, b.operand);
    }
    static bool same(const Binary& a, const Binary& b) {
        const Binary* x = &a;
        const Binary* y = &b;
        while (x->op == y->op && same(x->right, y->right)) {
            const auto* left_of_x = std::get_if<Binary>(&x->left->node);
            const auto* left_of_y = std::get_if<Binary>(&y->left->node);
            if (left_of_x == nullptr || left_of_y == nullptr) {
                return same(x->left, y->left);
            }
            x = left_of_x;
            y = left_of_y;
        }
        return false;
    }
    static bool same(const If& a, const If& b) {
        return same(a.condition, b.condition) && same(a.then_branch, b.then_branch) &&
               same(a.else_branch, b.else_branch);
    }
    static bool same(const ListLiteral& a, const ListLiteral& b) {
        return all_same(a.items, b.items);
    }
    static bool same(const Let& a, const Let& b) {
        return same(a.name, b.name) && same(a.value, b.value);
    }
    static bool same(const Assert& a, const Assert& b) {
        return same(a.condition, b.condition) && same(a.code, b.code) && same(a.message, b.message);
    }
    static bool same(const Lambda::Parameter& a, const Lambda::Parameter& b) {
        return same(a.name, b.name);
    }
    static bool same(const Lambda& a, const Lambda& b) {
        return all_same(a.parameters, b.parameters) && same(a.body, b.body);
    }
    static bool same(const Call& a, const Call& b) {
        return same(a.function, b.function) && all_same(a.arguments, b.arguments);
    }
    static bool same(const Implies& a, const Implies& b) {
        return same(a.premise, b.premise) && same(a.conclusion, b.conclusion);
    }

    // A template, so that no alternative is converted to its variant when overloads are compared.
    template <typename... Alternatives>
    static bool same(const std::variant<Alternatives...>& a,
                     const std::variant<Alternatives...>& b) {
        return a.index() == b.index() &&
               std::visit(
                   [&b](const auto& left) {
                       return same(left, std::get<std::decay_t<decltype(left)>>(b));
                   },
                   a);
    }

    static bool same(const Block& a, const Block& b) {
        return all_same(a.statements, b.statements) && same(a.result, b.result);
    }

    static bool same(const TypeSyntaxMember& a, const TypeSyntaxMember& b) {
        return same(a.name, b.name) && same(*a.type, *b.type);
    }
    static bool same(const TypeSyntax& a, const TypeSyntax& b) {
        return same(a.name, b.name) && a.number == b.number && same(a.unit, b.unit) &&
               all_same(a.inner, b.inner) && a.key_is_text == b.key_is_text;
    }
    static bool same(const FactDeclaration& a, const FactDeclaration& b) {
        return same(a.name, b.name) && all_same(a.members, b.members);
    }
    static bool same(const FieldDeclaration& a, const FieldDeclaration& b) {
        return same(a.path, b.path) && same(a.type_syntax, b.type_syntax) && a.access == b.access &&
               same(a.body, b.body);
    }
    static bool same(const FactFixture& a, const FactFixture& b) {
        return same(a.label, b.label) && same(a.fact_type, b.fact_type) && same(a.key, b.key) &&
               a.payload == b.payload;
    }
    static bool same(const Fixtures& a, const Fixtures& b) {
        return all_same(a.facts, b.facts) && same(a.sku, b.sku) && same(a.name, b.name) &&
               same(a.issued, b.issued);
    }
    static bool same(const Expectation& a, const Expectation& b) {
        return a.kind == b.kind && same(a.path, b.path) && same(a.comparison, b.comparison) &&
               same(a.code, b.code) && same(a.status, b.status);
    }
    static bool same(const Example& a, const Example& b) {
        return same(a.name, b.name) && same(a.fixtures, b.fixtures) &&
               all_same(a.expectations, b.expectations);
    }
    static bool same(const ForallVariable& a, const ForallVariable& b) {
        return same(a.name, b.name) && same(a.type_syntax, b.type_syntax) && same(a.key, b.key);
    }
    static bool same(const Property& a, const Property& b) {
        return same(a.name, b.name) && a.cases == b.cases && a.seed == b.seed &&
               same(a.fixtures, b.fixtures) && all_same(a.variables, b.variables) &&
               same(a.body, b.body);
    }

    template <typename T>
    static bool all_same(const std::vector<T>& a, const std::vector<T>& b) {
        return std::ranges::equal(a, b, [](const T& x, const T& y) { return same(x, y); });
    }
};

}  // namespace

bool same_syntax(const Expression& a, const Expression& b) {
    return Comparison::same(a.node, b.node);
}

bool same_syntax(const Module& a, const Module& b) {
    return Comparison::all_same(a.declarations, b.declarations);
}

}  // namespace jobforge::rules
