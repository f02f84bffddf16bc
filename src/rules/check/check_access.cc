// Access: a value may reach only readers who may see every field it was computed from.
//
// A fact has no tier: the field that reads it says, by its access(...), who may see what it takes
// from it. From there on the tier stays with the value. What a value of a field rests on is every
// field("...") in its body that can change it: operands, arguments, the elements and the length of
// a list that a lambda runs over, the condition of an `if` or of an assert, the left side that
// decides whether the right one is evaluated. A compliance entry is for everybody, whatever field
// records it: id, status and evidence, and that it is there at all. declassify("reason", E) ends
// all this: the author answers for E, and the reason stands in the proof.
//
// Each body is walked once, against the flow: from where a value goes to where it comes from, so
// that every reference at fault is reported at its place. A `let` comes after everything that uses
// it, a lambda's list after the lambda.
#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "rules/check/builtin.h"
#include "rules/check/checker.h"

namespace jobforge::rules {

namespace {

// Sets of readers, as bits. Members of the tenant see everything, so they are left out.
using Readers = std::uint8_t;
constexpr Readers kInterested = 1;
constexpr Readers kAuthorities = 2;
constexpr Readers kOthers = 4;
constexpr Readers kEverybody = kInterested | kAuthorities | kOthers;

Readers readers_of(Access access) noexcept {
    switch (access) {
        case Access::public_access:
            return kEverybody;
        case Access::interest:
            return kInterested;
        case Access::authority:
            return kAuthorities;
        case Access::interest_and_authority:
            return kInterested | kAuthorities;
        case Access::restricted:
            break;
    }
    return 0;
}

// Where a value goes, as bits: nowhere, into the field's value, into an entry.
using Sinks = std::uint8_t;
constexpr Sinks kNowhere = 0;
constexpr Sinks kValue = 1;
constexpr Sinks kEntry = 2;

// Whether evaluating it may record an entry.
class EntryFinder final {
public:
    [[nodiscard]] static bool in(const Expression& expression) {
        return std::visit([](const auto& node) { return inside(node); }, expression.node);
    }

private:
    static bool inside(const MemberAccess& node) { return in(*node.object); }
    static bool inside(const Unary& node) { return in(*node.operand); }
    // A sum may have thousands of terms, each sum the left side of the next: no recursion there.
    static bool inside(const Binary& node) {
        const Binary* at = &node;
        while (true) {
            if (in(*at->right)) {
                return true;
            }
            const auto* next = std::get_if<Binary>(&at->left->node);
            if (next == nullptr) {
                return in(*at->left);
            }
            at = next;
        }
    }
    static bool inside(const If& node) {
        return in(*node.condition) || in(*node.then_branch) || in(*node.else_branch);
    }
    static bool inside(const ListLiteral& node) { return any_of(node.items); }
    static bool inside(const Lambda& node) { return in(*node.body); }
    static bool inside(const Call& node) {
        return node.builtin == Builtin::emit_compliance || any_of(node.arguments);
    }
    static bool inside(const Implies& node) { return in(*node.premise) || in(*node.conclusion); }
    static bool inside(const Block& node) {
        return in(*node.result) ||
               std::ranges::any_of(node.statements, [](const Statement& statement) {
                   const auto* let = std::get_if<Let>(&statement);
                   return in(let != nullptr ? *let->value : *std::get<Assert>(statement).condition);
               });
    }
    template <typename Leaf>
    static bool inside(const Leaf& /*node*/) {
        return false;
    }
    static bool any_of(const std::vector<ExpressionPtr>& all) {
        return std::ranges::any_of(all, [](const ExpressionPtr& each) { return in(*each); });
    }
};

class AccessChecker final {
public:
    AccessChecker(CheckContext& context, const FieldDeclaration& field)
        : context_(context), field_(field), goes_(field.frame_size, kNowhere) {}

    void check() { visit(*field_.body, kValue); }

private:
    // What the value of `expression` may reach is `sinks`. Returns whether an entry may be recorded
    // inside: then whatever decides if this is evaluated reaches an entry, too.
    bool visit(const Expression& expression, Sinks sinks) {
        return std::visit(
            [this, &expression, sinks](const auto& node) { return walk(expression, node, sinks); },
            expression.node);
    }

    static Sinks deciding(Sinks sinks, bool records) {
        return records ? static_cast<Sinks>(sinks | kEntry) : sinks;
    }

    bool walk(const Expression&, const Literal&, Sinks) { return false; }
    bool walk(const Expression&, const Given&, Sinks) { return false; }
    bool walk(const Expression&, const Variable& node, Sinks sinks) {
        goes_[node.slot] |= sinks;
        return false;
    }
    bool walk(const Expression& at, const FieldReference& node, Sinks sinks);
    bool walk(const Expression&, const MemberAccess& node, Sinks sinks) {
        return visit(*node.object, sinks);
    }
    bool walk(const Expression&, const Unary& node, Sinks sinks) {
        return visit(*node.operand, sinks);
    }
    bool walk(const Expression&, const Binary& node, Sinks sinks);
    bool walk(const Expression&, const If& node, Sinks sinks) {
        const bool in_then = visit(*node.then_branch, sinks);
        const bool records = visit(*node.else_branch, sinks) || in_then;
        return visit(*node.condition, deciding(sinks, records)) || records;
    }
    bool walk(const Expression&, const ListLiteral& node, Sinks sinks) {
        return visit_all(node.items, sinks);
    }
    bool walk(const Expression&, const Block& node, Sinks sinks);
    bool walk(const Expression&, const Lambda& node, Sinks sinks) {
        return visit(*node.body, sinks);
    }
    bool walk(const Expression&, const Implies& node, Sinks sinks) {
        const bool records = visit(*node.conclusion, sinks);
        return visit(*node.premise, deciding(sinks, records)) || records;
    }
    bool walk(const Expression&, const Call& node, Sinks sinks);

    bool visit_all(const std::vector<ExpressionPtr>& all, Sinks sinks) {
        bool records = false;
        for (const ExpressionPtr& each : all) {
            records = visit(*each, sinks) || records;
        }
        return records;
    }
    bool walk_lambda(const Call& node, Sinks sinks);

    void report(const Expression& at, const FieldDeclaration& from, Sinks reached);

    CheckContext& context_;
    const FieldDeclaration& field_;
    std::vector<Sinks> goes_;  // by slot: where the variable's value goes, as far as was seen
};

bool AccessChecker::walk(const Expression& at, const FieldReference& node, Sinks sinks) {
    const FieldDeclaration& from = context_.package().fields[node.field];
    const Readers may_see = readers_of(from.access);
    const auto shows = [may_see](Readers readers) { return (readers & ~may_see) != 0; };
    if ((sinks & kValue) != 0 && shows(readers_of(field_.access))) {
        report(at, from, kValue);
    } else if ((sinks & kEntry) != 0 && shows(kEverybody)) {
        report(at, from, kEntry);
    }
    return false;
}

bool AccessChecker::walk(const Expression&, const Binary& node, Sinks sinks) {
    bool records = false;
    const Binary* at = &node;
    while (true) {
        const bool right_records = visit(*at->right, sinks);
        records = records || right_records;
        const bool decides =
            at->op == BinaryOperator::logical_and || at->op == BinaryOperator::logical_or;
        sinks = deciding(sinks, right_records && decides);
        const auto* next = std::get_if<Binary>(&at->left->node);
        if (next == nullptr) {
            return visit(*at->left, sinks) || records;
        }
        at = next;
    }
}

bool AccessChecker::walk(const Expression&, const Block& node, Sinks sinks) {
    bool records = visit(*node.result, sinks);
    for (const Statement& statement : std::views::reverse(node.statements)) {
        if (const auto* let = std::get_if<Let>(&statement)) {
            records = visit(*let->value, goes_[let->slot]) || records;
        } else {
            // Without the assert's condition there is neither a value nor an entry.
            const Assert& assertion = std::get<Assert>(statement);
            records = visit(*assertion.condition, deciding(sinks, records)) || records;
        }
    }
    return records;
}

bool AccessChecker::walk(const Expression&, const Call& node, Sinks sinks) {
    switch (node.builtin) {
        case Builtin::declassify:
            return visit(*node.arguments[1], kNowhere);
        case Builtin::emit_compliance:
            visit_all(node.arguments, static_cast<Sinks>(sinks | kEntry));
            return true;
        case Builtin::map:
        case Builtin::filter:
        case Builtin::any:
        case Builtin::all:
        case Builtin::fold:
            return walk_lambda(node, sinks);
        default:
            return visit_all(node.arguments, sinks);
    }
}

// The list's length decides how often the lambda runs, and for fold, any and all one result decides
// about the next, so with an entry inside they all reach it.
bool AccessChecker::walk_lambda(const Call& node, Sinks sinks) {
    const auto& lambda = std::get<Lambda>(node.arguments.back()->node);
    const bool chained = node.builtin == Builtin::fold || node.builtin == Builtin::any ||
                         node.builtin == Builtin::all;
    const bool may_record = chained && (sinks & kEntry) == 0 && EntryFinder::in(*lambda.body);
    const Sinks result = deciding(sinks, may_record);
    bool records = visit(*lambda.body, result);
    const Sinks element = goes_[lambda.parameters.back().slot];
    if (node.builtin == Builtin::fold) {
        records = visit(*node.arguments[1], deciding(result, records)) || records;
    }
    return visit(*node.arguments[0], static_cast<Sinks>(deciding(result, records) | element)) ||
           records;
}

void AccessChecker::report(const Expression& at, const FieldDeclaration& from, Sinks reached) {
    const std::string& other = from.path.text;
    const std::string advice = fmt::format(
        "where that may be known, write declassify(\"why\", {}), or around a larger part{}",
        context_.shown(at),
        from.access == Access::restricted
            ? fmt::format("; or say with access(...) who may see {}", other)
            : "");
    if (reached == kValue) {
        context_.type_error(at.span,
                            fmt::format("{} is {}, but this part of it comes from {}, which is {}",
                                        field_.path.text, access_name(field_.access), other,
                                        access_name(from.access)),
                            advice);
        return;
    }
    context_.type_error(
        at.span,
        fmt::format("compliance entries are public, but this part of one, in {} "
                    "({}), comes from {}, which is {}",
                    field_.path.text, access_name(field_.access), other, access_name(from.access)),
        advice);
}

}  // namespace

void check_access(CheckContext& context, const FieldDeclaration& field) {
    AccessChecker(context, field).check();
}

}  // namespace jobforge::rules
