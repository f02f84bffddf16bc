// Every operation of docs/formats.md: its right result is accepted, a wrong one refused, and what
// the table does not allow refused with a reason.
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proof_maker.h"

namespace jobforge::verify {
namespace {

using ::testing::HasSubstr;

struct Literal {
    std::string type;
    Json value;
};

Json qty(const std::string& value, const std::string& unit) {
    return Json::object({{"unit", unit}, {"value", value}});
}

bool is_hashed(const std::string& type) {
    return type.starts_with("List") || type.starts_with("Map") || type.starts_with("Record") ||
           type.starts_with("Opt(Record");
}

ProofMaker::Id add_op(ProofMaker& maker, const std::string& op, const std::string& type,
                      const Json& result, std::vector<ProofMaker::Id> children) {
    return is_hashed(type) ? maker.hashed(op, type, result, std::move(children))
                           : maker.op(op, type, result, std::move(children));
}

// The fault of a proof whose field is one operation over literals.
std::string fault(const std::string& op, const std::string& type, const Json& result,
                  const std::vector<Literal>& arguments) {
    ProofMaker maker;
    std::vector<ProofMaker::Id> children;
    std::map<std::string, ProofMaker::Id> made;  // an equal literal is the same node
    for (const Literal& argument : arguments) {
        const std::string key = argument.type + argument.value.dump();
        if (!made.contains(key)) made[key] = maker.constant(argument.type, argument.value);
        children.push_back(made[key]);
    }
    return fault_of(maker.finish(type, result, add_op(maker, op, type, result, children)));
}

struct Row {
    std::string op;
    std::string type;
    Json result;
    std::vector<Literal> arguments;
    Json wrong;  // another value of the type
};

const Literal kThree{"Int", 3};
const Literal kTrue{"Bool", true};
const Literal kFalse{"Bool", false};

std::vector<Row> rows() {
    return {
        {"+", "Int", 5, {{"Int", 2}, kThree}, 6},
        {"+", "Dec(2)", "1.75", {{"Dec(1)", "1.5"}, {"Dec(2)", "0.25"}}, "1.76"},
        {"+", "Text", "ab", {{"Text", "a"}, {"Text", "b"}}, "ba"},
        {"+",
         "Qty(V)",
         qty("3.000000", "V"),
         {{"Qty(V)", qty("1.000000", "V")}, {"Qty(V)", qty("2.000000", "V")}},
         qty("4.000000", "V")},
        {"-", "Int", -1, {{"Int", 2}, kThree}, 1},
        {"-", "Dec(1)", "-0.5", {{"Dec(0)", "1"}, {"Dec(1)", "1.5"}}, "0.5"},
        {"*", "Int", 6, {{"Int", 2}, kThree}, 5},
        {"*", "Dec(3)", "0.375", {{"Dec(1)", "1.5"}, {"Dec(2)", "0.25"}}, "0.376"},
        {"*",
         "Qty(Wh)",
         qty("6.000000", "Wh"),
         {{"Qty(V)", qty("3.000000", "V")}, {"Qty(Ah)", qty("2.000000", "Ah")}},
         qty("6.000001", "Wh")},
        {"*",
         "Qty(V)",
         qty("9.000000", "V"),
         {{"Qty(V)", qty("3.000000", "V")}, kThree},
         qty("6.000000", "V")},
        {"*",
         "Qty(V)",
         qty("4.500000", "V"),
         {{"Dec(1)", "1.5"}, {"Qty(V)", qty("3.000000", "V")}},
         qty("6.000000", "V")},
        {"/", "Dec(6)", "0.333333", {{"Dec(0)", "1"}, {"Dec(0)", "3"}}, "0.333334"},
        {"/",
         "Qty(V)",
         qty("1.500000", "V"),
         {{"Qty(V)", qty("3.000000", "V")}, {"Dec(0)", "2"}},
         qty("1.000000", "V")},
        {"/",
         "Dec(6)",
         "1500.000000",
         {{"Qty(kWh)", qty("1.500000", "kWh")}, {"Qty(Wh)", qty("1.000000", "Wh")}},
         "1.500000"},
        {"neg", "Int", -3, {kThree}, 3},
        {"neg", "Dec(1)", "-1.5", {{"Dec(1)", "1.5"}}, "1.5"},
        {"neg",
         "Qty(V)",
         qty("-3.000000", "V"),
         {{"Qty(V)", qty("3.000000", "V")}},
         qty("3.000000", "V")},
        {"toDec", "Dec(2)", "2.34", {{"Int", 2}, {"Dec(3)", "2.345"}}, "2.35"},
        {"toDec", "Dec(2)", "2.35", {{"Int", 2}, {"Dec(3)", "2.345"}, {"Text", "half_up"}}, "2.34"},
        {"toDec", "Dec(2)", "5.00", {{"Int", 2}, {"Int", 5}}, "0.05"},
        {"toDec", "Opt(Dec(2))", "2.34", {{"Int", 2}, {"Text", "2.345"}}, nullptr},
        {"toDec",
         "Opt(Dec(2))",
         "0.13",
         {{"Int", 2}, {"Text", "0.1250000000000000000000001"}},
         "0.12"},
        {"toDec", "Opt(Dec(2))", nullptr, {{"Int", 2}, {"Text", "+1"}}, "1.00"},
        {"toQty",
         "Qty(kWh)",
         qty("2.500000", "kWh"),
         {{"Text", "kWh"}, {"Dec(1)", "2.5"}},
         qty("2.500001", "kWh")},
        {"convert",
         "Qty(Wh)",
         qty("2500.000000", "Wh"),
         {{"Text", "Wh"}, {"Qty(kWh)", qty("2.500000", "kWh")}},
         qty("2.500000", "Wh")},
        {"if", "Int", 3, {kTrue, kThree}, 4},
        {"if", "Opt(Int)", 3, {kFalse, kThree}, nullptr},
        {"&&", "Bool", false, {kFalse}, true},
        {"&&", "Bool", true, {kTrue, kTrue}, false},
        {"||", "Bool", true, {kTrue}, false},
        {"||", "Bool", false, {kFalse, kFalse}, true},
        {"!", "Bool", false, {kTrue}, true},
        {"==", "Bool", true, {{"Dec(1)", "1.5"}, {"Dec(2)", "1.50"}}, false},
        {"==", "Bool", true, {{"Opt(Text)", nullptr}, {"Opt(Nothing)", nullptr}}, false},
        {"!=",
         "Bool",
         false,
         {{"Qty(kWh)", qty("1.000000", "kWh")}, {"Qty(Wh)", qty("1000.000000", "Wh")}},
         true},
        {"<", "Bool", true, {{"Text", "Z"}, {"Text", "a"}}, false},
        {"<=", "Bool", true, {kThree, kThree}, false},
        {">", "Bool", false, {{"Date", "2027-02-18"}, {"Date", "2027-02-19"}}, true},
        {">=", "Bool", true, {{"Dec(0)", "2"}, {"Dec(3)", "1.999"}}, false},
        {"isSome", "Bool", false, {{"Opt(Int)", nullptr}}, true},
        {"some", "Opt(Int)", 3, {kThree}, nullptr},
        {"unwrapOr", "Int", 3, {{"Opt(Int)", nullptr}, kThree}, 4},
        {"unwrapOr", "Int", 5, {{"Opt(Int)", 5}, kThree}, 3},
        {"requireSome", "Int", 5, {{"Opt(Int)", 5}, {"Text", "E"}, {"Text", "m"}}, 6},
        {"declassify", "Int", 3, {{"Text", "it is on the label"}, kThree}, 4},
        {"declassify", "Opt(Int)", nullptr, {{"Text", "r"}, {"Opt(Int)", nullptr}}, 3},
        {"list", "List(Int)", Json::array({3, 2}), {kThree, {"Int", 2}}, Json::array({2, 3})},
        {"list", "List(Dec(2))", Json::array(), {}, Json::array({"1.00"})},
        {"contains", "Bool", true, {{"Text", "abc"}, {"Text", "bc"}}, false},
        {"startsWith", "Bool", false, {{"Text", "abc"}, {"Text", "bc"}}, true},
        {"matches", "Bool", true, {{"Text", "ab12"}, {"Text", "[0-9]+$"}}, false},
        {"gs1CheckDigit", "Bool", true, {{"Text", "09521234010012"}}, false},
        {"toText", "Text", "53.80", {{"Dec(2)", "53.80"}}, "53.8"},
        {"toText", "Text", "0.72 kWh", {{"Qty(kWh)", qty("0.720000", "kWh")}}, "0.720000 kWh"},
        {"year", "Int", 2027, {{"Date", "2027-02-18"}}, 27},
        {"month", "Int", 2, {{"Date", "2027-02-18"}}, 3},
        {"day", "Int", 18, {{"Date", "2027-02-18"}}, 17},
        {"addDays", "Date", "2027-03-01", {{"Date", "2027-02-18"}, {"Int", 11}}, "2027-02-29"},
        {"issued_on", "Date", "2027-02-18", {}, "2027-02-19"},
        {"product",
         "Record(name: Text, sku: Text)",
         Json::object({{"name", "Pack 50"}, {"sku", "SKU-1"}}),
         {},
         Json::object({{"name", "Pack 51"}, {"sku", "SKU-1"}})},
    };
}

TEST(ProofOperations, the_right_result_is_accepted_and_a_wrong_one_refused) {
    for (const Row& row : rows()) {
        SCOPED_TRACE(row.op + " -> " + row.result.dump());
        EXPECT_EQ(fault(row.op, row.type, row.result, row.arguments), "");
        EXPECT_THAT(fault(row.op, row.type, row.wrong, row.arguments),
                    HasSubstr(row.op + ": its result"));
    }
}

TEST(ProofOperations, a_result_of_another_type_is_refused) {
    EXPECT_NE(fault("+", "Dec(0)", "5", {{"Int", 2}, kThree}), "");
    EXPECT_NE(fault("+", "Dec(1)", "1.8", {{"Dec(1)", "1.5"}, {"Dec(2)", "0.25"}}), "");
    EXPECT_NE(
        fault("toQty", "Qty(Wh)", qty("2.500000", "kWh"), {{"Text", "kWh"}, {"Dec(1)", "2.5"}}),
        "");
    EXPECT_NE(fault("if", "Dec(0)", "3", {kTrue, kThree}), "");
    EXPECT_NE(fault("some", "Opt(Text)", 3, {kThree}), "");
    EXPECT_NE(fault("declassify", "Text", "3", {{"Text", "r"}, kThree}), "");
    EXPECT_NE(fault("declassify", "Opt(Int)", 3, {{"Text", "r"}, kThree}), "");
    EXPECT_NE(fault("list", "List(Text)", Json::array({3}), {kThree}), "");
    EXPECT_NE(fault("product", "Record(name: Text)", Json::object({{"name", "Pack 50"}}), {}), "");
    EXPECT_NE(fault("count", "Int", 1, {kThree}), "");
}

TEST(ProofOperations, operands_that_the_table_does_not_allow_are_refused) {
    const Literal text{"Text", "a"};
    const Literal volt{"Qty(V)", qty("1.000000", "V")};
    const Literal mass{"Qty(kg)", qty("1.000000", "kg")};
    for (const Row& row : std::vector<Row>{
             {"+", "Int", 4, {kThree, text}, {}},
             {"-", "Text", "", {text, text}, {}},
             {"+", "Qty(V)", qty("1.000000", "V"), {volt, mass}, {}},
             {"*", "Qty(V)", qty("1.000000", "V"), {volt, mass}, {}},
             {"/", "Int", 1, {kThree, kThree}, {}},
             {"/", "Qty(V)", qty("1.000000", "V"), {volt, mass}, {}},
             {"neg", "Text", "a", {text}, {}},
             {"toDec", "Dec(2)", "1.00", {{"Int", 19}, kThree}, {}},
             {"toDec", "Dec(2)", "3.00", {{"Int", 2}, kThree, {"Text", "sideways"}}, {}},
             {"toQty", "Qty(V)", qty("3.000000", "V"), {{"Text", "volt"}, kThree}, {}},
             {"convert", "Qty(kg)", qty("1.000000", "kg"), {{"Text", "kg"}, volt}, {}},
             {"if", "Int", 3, {kThree, kThree}, {}},
             {"&&", "Bool", true, {kTrue}, {}},
             {"&&", "Bool", false, {kFalse, kTrue}, {}},
             {"||", "Bool", true, {kTrue, kFalse}, {}},
             {"||", "Bool", true, {kFalse, kThree}, {}},
             {"!", "Bool", true, {kThree}, {}},
             {"==", "Bool", false, {kThree, text}, {}},
             {"<", "Bool", false, {kTrue, kTrue}, {}},
             {"<", "Bool", false, {volt, mass}, {}},
             {"isSome", "Bool", true, {kThree}, {}},
             {"requireSome", "Int", nullptr, {{"Opt(Int)", nullptr}, text, text}, {}},
             {"declassify", "Int", 3, {{"Text", " \n"}, kThree}, {}},
             {"declassify", "Int", 3, {kThree, kThree}, {}},
             {"declassify", "Int", 3, {text}, {}},
             {"startsWith", "Bool", true, {kThree, text}, {}},
             {"matches", "Bool", true, {text, {"Text", "("}}, {}},
             {"year", "Int", 3, {kThree}, {}},
             {"addDays", "Date", "9999-12-31", {{"Date", "9999-12-31"}, {"Int", 1}}, {}},
             {"toText", "Text", "a", {text}, {}},
             {"gs1CheckDigit", "Bool", false, {kThree}, {}},
             {"sort", "Int", 3, {kThree}, {}},
             {"get", "Int", 3, {kThree, text}, {}},
             {"element", "Int", 3, {kThree, kThree}, {}},
             {"frobnicate", "Int", 3, {kThree}, {}},
             {"implies", "Bool", true, {kTrue, kTrue}, {}},
         }) {
        EXPECT_THAT(fault(row.op, row.type, row.result, row.arguments), HasSubstr(row.op + ": "))
            << row.op;
    }
}

TEST(ProofOperations, the_number_of_operands_is_fixed) {
    EXPECT_THAT(fault("+", "Int", 3, {kThree}), HasSubstr("too few or too many"));
    EXPECT_THAT(fault("issued_on", "Date", "2027-02-18", {kThree}),
                HasSubstr("too few or too many"));
    EXPECT_THAT(fault("toDec", "Dec(0)", "3", {kThree}), HasSubstr("too few or too many"));
}

TEST(ProofOperations, overflow_and_division_by_zero_prove_nothing) {
    const Literal large{"Int", (std::int64_t{1} << 53) - 1};
    EXPECT_THAT(fault("+", "Int", 0, {large, {"Int", 1}}), HasSubstr("overflows"));
    EXPECT_THAT(fault("*", "Int", 0, {large, large}), HasSubstr("overflows"));
    EXPECT_NE(fault("/", "Dec(6)", "0.000000", {{"Dec(0)", "1"}, {"Dec(0)", "0"}}), "");
    EXPECT_NE(fault("+", "Dec(0)", "0", {{"Dec(0)", std::string(38, '9')}, {"Dec(0)", "1"}}), "");
}

TEST(ProofOperations, a_literal_is_written_in_one_way) {
    for (const Literal& literal : std::vector<Literal>{{"Dec(2)", "1.5"},
                                                       {"Dec(2)", "01.50"},
                                                       {"Dec(0)", 1},
                                                       {"Qty(V)", qty("1", "V")},
                                                       {"Qty(V)", qty("1.000000", "mV")},
                                                       {"Date", "2027-02-30"},
                                                       {"Int", "1"},
                                                       {"Bool", 1},
                                                       {"Int", nullptr},
                                                       {"Nothing", nullptr},
                                                       {"List(Int)", Json::array()}}) {
        ProofMaker maker;
        const auto node = maker.constant(literal.type, literal.value);
        EXPECT_THAT(fault_of(maker.finish(literal.type, literal.value, node)),
                    HasSubstr("node 0: "))
            << literal.type << ' ' << literal.value.dump();
    }
}

TEST(ProofOperations, long_text_is_hashed_and_short_text_written) {
    const std::string half(128, 'x');
    const Literal a{"Text", half};
    const Literal b{"Text", half + "y"};
    EXPECT_EQ(fault("+", "Text", half + half, {a, a}), "");
    EXPECT_THAT(fault("+", "Text", half + half + "y", {a, b}), HasSubstr("writes no result_hash"));
    ProofMaker maker;
    const auto left = maker.text(half);
    const auto right = maker.text(half + "y");
    EXPECT_EQ(fault_of(maker.finish("Text", half + half + "y",
                                    maker.hashed("+", "Text", half + half + "y", {left, right}))),
              "");
}

}  // namespace
}  // namespace jobforge::verify
