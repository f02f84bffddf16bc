#include "naive_walker.h"

namespace jobforge::naive {

namespace ast = rules;

namespace {

Day day_from(const Date& date) {
    return {date.year(), date.month(), date.day()};
}

Ratio ratio_from(const std::string& text) {
    Ratio value;
    int scale = 0;
    read_decimal(text, value, scale);
    return value;
}

}  // namespace

Datum Walker::pay(Datum made, unsigned long long cost) {
    steps += cost;
    if (steps > budget_) throw Failure{"BUDGET_EXCEEDED"};
    return made;
}

Datum Walker::walk(const Expression& at, const Scope& scope) {
    if (const auto* node = std::get_if<Literal>(&at.node)) return literal(*node, at);
    if (const auto* node = std::get_if<ast::Variable>(&at.node)) {
        return pay(scope.at(node->name), 1);
    }
    if (const auto* node = std::get_if<ast::FieldReference>(&at.node)) {
        return pay(fields.at(node->path), 1);
    }
    if (const auto* node = std::get_if<ast::Given>(&at.node)) {
        if (node->kind == ast::Given::Kind::issued_on) {
            return pay(Datum::date(day_from(inputs_.issued_on)), 1);
        }
        Datum product;
        product.kind = Datum::Kind::members;
        product.members["sku"] = Datum::of_text(inputs_.product_sku);
        product.members["name"] = Datum::of_text(inputs_.product_name);
        return pay(product, 1);
    }
    if (const auto* node = std::get_if<ast::MemberAccess>(&at.node)) {
        const Datum object = walk(*node->object, scope);
        return pay(object.members.at(node->name.text), 1 + node->name.text.size() / 16);
    }
    if (const auto* node = std::get_if<ast::If>(&at.node)) {
        const Datum condition = walk(*node->condition, scope);
        return pay(walk(condition.flag ? *node->then_branch : *node->else_branch, scope), 1);
    }
    if (const auto* node = std::get_if<ast::ListLiteral>(&at.node)) {
        Datum list = Datum::list({});
        for (const auto& item : node->items) list.items.push_back(walk(*item, scope));
        return pay(list, list.size());
    }
    if (const auto* node = std::get_if<Block>(&at.node)) return block(*node, scope);
    if (const auto* node = std::get_if<Unary>(&at.node)) return unary(*node, scope);
    if (const auto* node = std::get_if<Binary>(&at.node)) return binary(*node, at, scope);
    return call(std::get<Call>(at.node), at, scope);
}

Datum Walker::literal(const Literal& node, const Expression& at) {
    Datum datum;
    if (const auto* flag = std::get_if<bool>(&node.value)) {
        datum = Datum::boolean(*flag);
    } else if (const auto* whole = std::get_if<std::int64_t>(&node.value)) {
        datum = Datum::integer(*whole);
    } else if (const auto* decimal = std::get_if<Decimal>(&node.value)) {
        datum = Datum::decimal(ratio_from(decimal->text()), at.type.scale());
    } else if (const auto* text = std::get_if<std::string>(&node.value)) {
        datum = Datum::of_text(*text);
    } else if (const auto* date = std::get_if<Date>(&node.value)) {
        datum = Datum::date(day_from(*date));
    } else if (const auto* quantity = std::get_if<Quantity>(&node.value)) {
        datum = Datum::quantity(ratio_from(quantity->value.text()),
                                std::string(unit_name(*quantity->unit)));
    }
    return pay(datum, datum.size());
}

Datum Walker::block(const Block& node, Scope scope) {
    pay({}, 1);
    for (const auto& statement : node.statements) {
        if (const auto* let = std::get_if<ast::Let>(&statement)) {
            scope[let->name.text] = walk(*let->value, scope);
            continue;
        }
        const auto& check = std::get<ast::Assert>(statement);
        const bool holds = walk(*check.condition, scope).flag;
        const std::string code = walk(*check.code, scope).text;
        walk(*check.message, scope);
        if (!holds) throw Failure{code};
    }
    return walk(*node.result, scope);
}

Datum Walker::unary(const Unary& node, const Scope& scope) {
    Datum value = walk(*node.operand, scope);
    pay({}, 1);
    if (value.kind == Datum::Kind::boolean) return Datum::boolean(!value.flag);
    value.number = value.number.negated();
    return value;
}

Datum Walker::binary(const Binary& node, const Expression& at, const Scope& scope) {
    const Datum left = walk(*node.left, scope);
    const std::string symbol(ast::symbol(node.op));
    if (symbol == "&&" || symbol == "||") {
        if (left.flag == (symbol == "||")) return pay(left, 1);
        return pay(walk(*node.right, scope), 1);
    }
    const Datum right = walk(*node.right, scope);
    if (symbol == "==" || symbol == "!=" || symbol[0] == '<' || symbol[0] == '>') {
        return compared(node, left, right);
    }
    return arithmetic(node, at, left, right);
}

Datum Walker::compared(const Binary& node, const Datum& left, const Datum& right) {
    pay({}, std::min(left.size(), right.size()));
    const std::string symbol(ast::symbol(node.op));
    if (symbol == "==") return Datum::boolean(equal(left, right));
    if (symbol == "!=") return Datum::boolean(!equal(left, right));
    const int sign = order(left, right);
    if (symbol == "<") return Datum::boolean(sign < 0);
    if (symbol == "<=") return Datum::boolean(sign <= 0);
    return Datum::boolean(symbol == ">" ? sign > 0 : sign >= 0);
}

Datum Walker::arithmetic(const Binary& node, const Expression& at, const Datum& left,
                         const Datum& right) {
    const std::string symbol(ast::symbol(node.op));
    if (left.kind == Datum::Kind::text) {
        const Datum joined = Datum::of_text(left.text + right.text);
        return pay(joined, joined.size());
    }
    pay({}, 1);
    const bool is_int = at.type.is(ast::Type::Kind::integer);
    if (symbol == "/" && right.number.is_zero()) throw Failure{"DIVISION_BY_ZERO"};
    if (is_int && symbol == "*") return Datum::integer(left.number * right.number);
    Ratio result = symbol == "+"   ? left.ratio() + right.ratio()
                   : symbol == "-" ? left.ratio() - right.ratio()
                   : symbol == "*" ? left.ratio() * right.ratio()
                                   : left.ratio() / right.ratio();
    if (is_int) return Datum::integer(rounded(result, 0, "down"));
    // Units take part as their sizes: sums have one unit on both sides.
    if (symbol == "*" || symbol == "/") {
        const Ratio a = left.kind == Datum::Kind::quantity ? unit_factor(left.text) : Ratio{1, 1};
        const Ratio b = right.kind == Datum::Kind::quantity ? unit_factor(right.text) : Ratio{1, 1};
        result = result * (symbol == "*" ? a * b : a / b);
        if (at.type.is(ast::Type::Kind::quantity)) {
            result = result / unit_factor(std::string(unit_name(*at.type.unit())));
        }
    }
    if (at.type.is(ast::Type::Kind::decimal)) return Datum::decimal(result, at.type.scale());
    return Datum::quantity(result, std::string(unit_name(*at.type.unit())));
}

}  // namespace jobforge::naive
