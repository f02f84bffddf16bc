// The syntax tree of rules and tests.
//
// The parser makes it; the checker fills the members under "checked" and nothing else. After a
// successful check the tree needs no look-up by name: variables are slots, fields and facts are
// indices into the CheckedPackage (package.h), literals have their final value.
// Trees are at most 200 levels deep (kMaximumNesting), so recursion over them is safe, with one
// exception: the left sides of operators. A sum of ten thousand terms is one level and ten thousand
// Binary nodes, each the left side of the next, so left sides are walked in a loop (left_chain).
// A tree is owned by its root; it may be read from many threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <jobforge/json.h>

#include "rules/check/builtin.h"
#include "rules/check/rule_type.h"
#include "rules/syntax/source.h"
#include "values/date.h"
#include "values/decimal.h"
#include "values/units.h"

namespace jobforge {
class Pattern;  // core/pattern.h
}

namespace jobforge::rules {

inline constexpr int kMaximumNesting = 200;

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

// A name with the place where it stands.
struct Name {
    std::string text;
    Span span;
};

// --- Expressions -------------------------------------------------------------------------------

struct None {
    friend bool operator==(None, None) noexcept { return true; }
};
// The value of a literal. Which alternative holds follows from the expression's checked type: an
// Int literal that became a Dec holds a Decimal of that scale.
using Constant = std::variant<None, bool, std::int64_t, Decimal, std::string, Date, Quantity>;

// true, 5, -5, 1.50, "text", none, date("2027-02-18"), qty(1.5, kg). A minus sign directly before
// a number literal belongs to the literal: -5 is one constant.
struct Literal {
    enum class Kind : std::uint8_t { none, boolean, integer, decimal, text, date, quantity };
    Kind kind = Kind::none;  // as written
    std::string text;        // written date; unit of a quantity; otherwise empty
    Span text_span;          // of that text
    Constant value;          // as written; checked: the final value (date, quantity, Dec for Int)
};

// A let, lambda or forall variable.
struct Variable {
    std::string name;
    // checked:
    std::size_t slot = 0;  // in the frame of the root expression
};

struct FieldReference {  // field("path")
    std::string path;
    Span path_span;
    // checked:
    std::size_t field = 0;  // index into CheckedPackage::fields
};

struct Given {  // product, issued_on
    enum class Kind : std::uint8_t { product, issued_on };
    Kind kind = Kind::product;
};

struct MemberAccess {  // object.name
    ExpressionPtr object;
    Name name;
    // checked:
    std::size_t index = 0;  // into the record type's members()
};

enum class UnaryOperator : std::uint8_t { logical_not, negate };

struct Unary {
    UnaryOperator op = UnaryOperator::negate;
    ExpressionPtr operand;
};

enum class BinaryOperator : std::uint8_t {
    logical_or,
    logical_and,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    add,
    subtract,
    multiply,
    divide,
};

struct Binary {
    BinaryOperator op = BinaryOperator::add;
    Span op_span;
    ExpressionPtr left;
    ExpressionPtr right;
};

struct If {
    ExpressionPtr condition;
    ExpressionPtr then_branch;
    ExpressionPtr else_branch;
    // checked: this branch has type T although the `if` has type Opt(T); its value is wrapped.
    bool lift_then = false;
    bool lift_else = false;
};

struct ListLiteral {
    std::vector<ExpressionPtr> items;
};

// let name = value;
struct Let {
    Name name;
    ExpressionPtr value;
    // checked:
    std::size_t slot = 0;
};
// assert(condition, "CODE", "message");  code and message are Text literals.
struct Assert {
    Span span;
    ExpressionPtr condition;
    ExpressionPtr code;
    ExpressionPtr message;
};
using Statement = std::variant<Let, Assert>;

// One or more statements, then the value.
struct Block {
    std::vector<Statement> statements;
    ExpressionPtr result;
};

// (x) -> body, (acc, x) -> body. Only as the last argument of map, filter, fold, any, all.
struct Lambda {
    struct Parameter {
        Name name;
        // checked:
        Type type;
        std::size_t slot = 0;
    };
    std::vector<Parameter> parameters;
    ExpressionPtr body;  // the Lambda expression itself has the body's type
};

struct Call {
    Name function;
    std::vector<ExpressionPtr> arguments;  // as written, literals included
    // checked:
    Builtin builtin = Builtin::some;
    int scale = 0;                            // toDec, sumDec
    Rounding rounding = Rounding::half_even;  // toDec
    UnitPointer unit = nullptr;               // toQty, convert, sumQty
    std::size_t fact = 0;                     // getFact, getFactsByPrefix: into facts
    std::size_t member = 0;                   // recordGet on a record: into its members()
    std::shared_ptr<const Pattern> pattern;   // matches
};

// implies(premise, conclusion): only the value of a property's body (also behind its lets). Lazy.
struct Implies {
    ExpressionPtr premise;
    ExpressionPtr conclusion;
};

using ExpressionNode = std::variant<Literal, Variable, FieldReference, Given, MemberAccess, Unary,
                                    Binary, If, ListLiteral, Block, Lambda, Call, Implies>;

struct Expression {
    Expression() = default;
    ~Expression();  // a loop over left sides
    Expression(const Expression&) = delete;
    Expression& operator=(const Expression&) = delete;

    Span span;
    ExpressionNode node;
    std::uint16_t depth = 1;        // levels of the tree below and with this node; an operator is
                                    // on the level of the operator that is its left side
    std::uint16_t parentheses = 0;  // for the formatter: pairs that the author wrote around it
    // checked:
    Type type;  // free of Nothing, except where nothing decides (an unused `let x = none`)
};

// The operators from this one down the left sides, this one first: of a + b - c the minus, then the
// plus. Empty if this is not a Binary.
[[nodiscard]] std::vector<Expression*> left_chain(Expression& expression);
[[nodiscard]] std::vector<const Expression*> left_chain(const Expression& expression);

// "&&", "==", "+" ...
[[nodiscard]] std::string_view symbol(BinaryOperator op) noexcept;
[[nodiscard]] std::string_view symbol(UnaryOperator op) noexcept;
[[nodiscard]] bool is_comparison(BinaryOperator op) noexcept;

// --- Types as written --------------------------------------------------------------------------

struct TypeSyntax;
struct TypeSyntaxMember {
    Name name;
    std::unique_ptr<TypeSyntax> type;
};

// Dec(3), Opt(T), Battery, ...: a word and what stands in its parentheses.
struct TypeSyntax {
    Span span;
    Name name;                            // "Dec", "Record", a fact's name
    std::optional<std::int64_t> number;   // Dec(number)
    std::optional<Name> unit;             // Qty(unit)
    std::vector<TypeSyntaxMember> inner;  // element of Opt, List, Map (unnamed); Record's members
    bool key_is_text = true;              // Map(Text, T): the first word was Text
};

// --- Declarations ------------------------------------------------------------------------------

struct FactDeclaration {
    Span span;
    Name name;
    std::vector<TypeSyntaxMember> members;  // as declared
    // checked:
    Type type;  // the record
};

// Who may see a field (EU 2023/1542 Art. 77: a lattice, not a ladder).
enum class Access : std::uint8_t {
    restricted,  // nothing written: no reader outside the tenant
    public_access,
    interest,
    authority,
    interest_and_authority,
};
// "restricted", "public", ...: the tier in a passport's `access`.
[[nodiscard]] std::string_view access_name(Access access) noexcept;
[[nodiscard]] std::optional<Access> find_access(std::string_view name) noexcept;

struct FieldDeclaration {
    Span span;
    Name path;  // "battery.capacity"
    TypeSyntax type_syntax;
    Access access = Access::restricted;
    ExpressionPtr body;
    // checked:
    Type type;
    std::size_t frame_size = 0;             // slots that the body needs
    std::vector<std::size_t> dependencies;  // fields it reads, ascending, each once
};

// --- Tests -------------------------------------------------------------------------------------

// fact label("Type", "key") = JSON;
struct FactFixture {
    Span span;
    Name label;
    Name fact_type;
    Name key;
    Span payload_span;
    Json payload;  // numbers made exact (core/document_numbers.h); not yet shaped
    std::vector<std::string> numbers;  // pointers of those that became strings by that
    // checked:
    std::size_t fact = 0;  // into facts
};

// { fact ...; product("sku", "name"); issued("2027-02-18"); }
struct Fixtures {
    std::vector<FactFixture> facts;
    std::optional<Name> sku;     // default "SKU-1"
    std::optional<Name> name;    // default "Test product"; given with the sku
    std::optional<Name> issued;  // default 2027-02-18
    Span product_span;
    Span issued_span;
    // checked:
    std::optional<Date> issued_on;
};

// What an example expects of the package evaluated with its fixtures.
struct Expectation {
    enum class Kind : std::uint8_t {
        value,       // expect(path, op E);                 comparison is Binary{op, field, E}
        error,       // expectError("CODE"); expectError(path, "CODE");
        compliance,  // expectCompliance("id", "STATUS");   some entry with this id has this status
    };
    Kind kind = Kind::value;
    Span span;
    std::optional<Name> path;  // of value; of error: evaluate this field only
    ExpressionPtr comparison;  // of value; type Bool
    Name code;                 // of error: CODE; of compliance: id
    Name status;               // of compliance
    // checked:
    std::size_t field = 0;       // of path, if there is one
    std::size_t frame_size = 0;  // slots that the comparison needs
};

struct Example {
    Span span;
    Name name;
    Fixtures fixtures;
    std::vector<Expectation> expectations;  // at least one
};

// x: T("key") makes a fact; x: T only binds x.
struct ForallVariable {
    Span span;
    Name name;
    TypeSyntax type_syntax;
    std::optional<Name> key;
    // checked:
    Type type;
    std::size_t slot = 0;
    std::size_t fact = 0;  // into facts, if there is a key
};

struct Property {
    static constexpr std::uint64_t kDefaultCases = 100;
    static constexpr std::uint64_t kMaximumCases = 100'000;

    Span span;
    Name name;
    std::optional<std::uint64_t> cases;  // kDefaultCases if not written
    std::optional<std::uint64_t> seed;   // 0 if not written
    bool has_fixtures = false;
    Fixtures fixtures;
    std::vector<ForallVariable> variables;
    ExpressionPtr body;  // Bool; may end in Implies
    // checked:
    std::size_t frame_size = 0;       // slots, those of `variables` included
    std::vector<std::size_t> fields;  // fields that the body reads, ascending; at least one
};

using Declaration = std::variant<FactDeclaration, FieldDeclaration, Example, Property>;

// One parsed source, declarations in source order.
struct Module {
    std::vector<Declaration> declarations;
};

// Whether two trees say the same, places and what the checker added aside.
[[nodiscard]] bool same_syntax(const Expression& a, const Expression& b);
[[nodiscard]] bool same_syntax(const Module& a, const Module& b);

}  // namespace jobforge::rules
