// Types and how they are written: proofs carry the notation, so it has one spelling.
#include <gtest/gtest.h>

#include "rules/check/rule_type.h"

namespace jobforge::rules {
namespace {

TEST(TypeNotation, is_written_in_one_way_and_read_back) {
    for (const char* notation :
         {"Bool", "Int", "Text", "Date", "Dec(0)", "Dec(18)", "Qty(kWh)", "Qty(gCO2e_per_kWh)",
          "Opt(Int)", "List(List(Date))", "Map(Text, Opt(Dec(2)))", "Record(a: Int, b: Text)",
          "Opt(Record(if: Bool, z: List(Qty(kg))))"}) {
        const auto type = parse_type(notation);
        ASSERT_TRUE(type) << notation;
        EXPECT_EQ(type->notation(), notation);
    }
}

TEST(TypeNotation, members_are_sorted_by_the_bytes_of_their_names) {
    const Type type =
        Type::record({{"b", Type::integer()}, {"a", Type::text()}, {"B", Type::boolean()}});
    EXPECT_EQ(type.notation(), "Record(B: Bool, a: Text, b: Int)");
    EXPECT_EQ(type.member_index("a"), 1U);
    EXPECT_FALSE(type.member_index("c"));
    EXPECT_FALSE(parse_type("Record(b: Int, a: Text, B: Bool)"));  // one spelling
}

TEST(TypeNotation, blanks_between_words_are_free) {
    const auto type = parse_type(" Map ( Text,Record( a :Int ) ) ");
    ASSERT_TRUE(type);
    EXPECT_EQ(type->notation(), "Map(Text, Record(a: Int))");
}

TEST(TypeNotation, anything_else_is_no_type) {
    for (const char* wrong : {"",
                              "int",
                              "Dec",
                              "Dec()",
                              "Dec(19)",
                              "Dec(-1)",
                              "Dec(1.5)",
                              "Qty(kwh)",
                              "Qty()",
                              "Opt()",
                              "Opt(Opt(Int))",
                              "Map(Int, Int)",
                              "Map(Int)",
                              "List(Int",
                              "Int)",
                              "Int Int",
                              "Record(a: Int, a: Text)",
                              "Record(a Int)",
                              "Record(1: Int)",
                              "Record(a: Int,)"}) {
        EXPECT_FALSE(parse_type(wrong)) << wrong;
    }
}

TEST(TypeNotation, nesting_has_an_end) {
    std::string deep = "Int";
    for (int i = 0; i < 1000; ++i) deep = "List(" + deep + ")";
    EXPECT_FALSE(parse_type(deep));
}

TEST(Types, only_numbers_texts_and_dates_have_an_order) {
    for (const char* notation : {"Int", "Dec(2)", "Qty(kg)", "Text", "Date"}) {
        EXPECT_TRUE(parse_type(notation)->is_orderable()) << notation;
    }
    for (const char* notation : {"Bool", "Opt(Int)", "List(Int)", "Record(a: Int)"}) {
        EXPECT_FALSE(parse_type(notation)->is_orderable()) << notation;
    }
}

TEST(Types, nothing_fits_everywhere_and_nothing_else_is_converted) {
    const Type none = Type::optional(Type::nothing());
    EXPECT_TRUE(assignable(none, *parse_type("Opt(Int)")));
    EXPECT_FALSE(assignable(none, Type::integer()));
    EXPECT_FALSE(assignable(*parse_type("Dec(1)"), *parse_type("Dec(2)")));
    EXPECT_FALSE(assignable(*parse_type("Qty(g)"), *parse_type("Qty(kg)")));
    EXPECT_EQ(unify(none, *parse_type("Opt(Int)")), parse_type("Opt(Int)"));
    EXPECT_FALSE(unify(Type::integer(), Type::text()));
}

}  // namespace
}  // namespace jobforge::rules
