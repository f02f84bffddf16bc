#include "rules/eval/fact_shape.h"

#include <gtest/gtest.h>

#include "rules_fixture.h"

namespace jobforge::rules {
namespace {

std::string shaped(const char* notation, const std::string& json) {
    const auto type = parse_type(notation);
    EXPECT_TRUE(type) << notation;
    const auto value = shape_fact(fact_of("T", "k", json), *type);
    return value.ok() ? value->canonical() : std::string(to_string(value.error().code));
}

TEST(FactShape, takes_what_the_declaration_asks_for) {
    EXPECT_EQ(shaped("Bool", "true"), "true");
    EXPECT_EQ(shaped("Int", "9007199254740991"), "9007199254740991");
    EXPECT_EQ(shaped("Dec(3)", "5"), R"("5.000")");
    EXPECT_EQ(shaped("Dec(3)", R"("-1.25")"), R"("-1.250")");
    EXPECT_EQ(shaped("Date", R"("2024-02-29")"), R"("2024-02-29")");
    EXPECT_EQ(shaped("Qty(kWh)", R"({"value":"1500","unit":"Wh"})"),
              R"({"unit":"kWh","value":"1.500000"})");
    EXPECT_EQ(shaped("Map(Text, Int)", R"({"b":2,"a":1})"), R"({"a":1,"b":2})");
}

// 7 is refused where Text is declared; 7.5, which is a string in a fact, is refused like it.
TEST(FactShape, a_number_of_the_document_is_no_text) {
    Fact fact = fact_of("T", "k", R"({"b~/":["7.5"]})");
    const auto lists = parse_type("Map(Text, List(Text))");
    ASSERT_TRUE(shape_fact(fact, *lists).ok());
    fact.numbers = {"/b~0~1/0"};
    const auto refused = shape_fact(fact, *lists);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::FACT_SHAPE);
    EXPECT_NE(refused.error().message.find("at /b~0~1/0: expected Text (in quotes), found the "
                                           "number 7.5"),
              std::string::npos)
        << refused.error().message;
}

TEST(FactShape, a_number_of_the_document_is_a_dec) {
    Fact fact = fact_of("T", "k", R"({"n":"7.5"})");
    fact.numbers = {"/n"};
    const auto value = shape_fact(fact, *parse_type("Record(n: Dec(2))"));
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(value->canonical(), R"({"n":"7.50"})");
}

TEST(FactShape, ignores_members_that_are_not_declared_and_reads_absence_as_none) {
    EXPECT_EQ(shaped("Record(a: Int, b: Opt(Text))", R"({"a":1,"z":[]})"), R"({"a":1,"b":null})");
    EXPECT_EQ(shaped("Record(b: Opt(Text))", R"({"b":null})"), R"({"b":null})");
}

TEST(FactShape, never_rounds_guesses_or_converts_across_dimensions) {
    for (const char* bad : {R"("1.2345")", R"("1.2300")", R"("1e3")", R"(" 1")", "true", "[]",
                            R"("99999999999999999999999999999999999999")"}) {
        EXPECT_EQ(shaped("Dec(3)", bad), "FACT_SHAPE") << bad;
    }
    EXPECT_EQ(shaped("Int", R"("5")"), "FACT_SHAPE");
    EXPECT_EQ(shaped("Int", "9007199254740992"), "FACT_SHAPE");
    EXPECT_EQ(shaped("Date", R"("2023-02-29")"), "FACT_SHAPE");
    EXPECT_EQ(shaped("Qty(kWh)", R"({"value":"1","unit":"kg"})"), "FACT_SHAPE");
    EXPECT_EQ(shaped("Qty(kWh)", R"({"value":"1"})"), "FACT_SHAPE");
    EXPECT_EQ(shaped("Record(a: Int)", "{}"), "FACT_SHAPE");
}

TEST(FactShape, takes_units_by_their_un_cefact_codes) {
    EXPECT_EQ(shaped("Qty(kg)", R"({"value":450,"unitCode":"KGM"})"),
              R"({"unit":"kg","value":"450.000000"})");
    EXPECT_EQ(shaped("Qty(kg)", R"({"value":"1.5","unitCode":"GRM"})"),
              R"({"unit":"kg","value":"0.001500"})");
    EXPECT_EQ(shaped("Qty(kg)", R"({"value":1,"unit":"kg","unitCode":"KGM"})"),
              R"({"unit":"kg","value":"1.000000"})");
    EXPECT_EQ(shaped("Qty(kg)", R"({"value":1,"unit":null,"unitCode":"KGM"})"),
              R"({"unit":"kg","value":"1.000000"})");
    for (const char* bad :
         {R"({"value":1,"unit":"kg","unitCode":"GRM"})", R"({"value":1,"unit":"KGM"})",
          R"({"value":1,"unitCode":"kg"})", R"({"value":1,"unitCode":"VLT"})",
          R"({"value":1,"unitCode":5})", R"({"unitCode":"KGM"})"}) {
        EXPECT_EQ(shaped("Qty(kg)", bad), "FACT_SHAPE") << bad;
    }
}

TEST(FactShape, half_a_quantity_is_none_where_it_may_be_missing) {
    for (const char* half :
         {R"({"value":1})", R"({"unit":"kg"})", R"({"unitCode":"KGM"})", "{}",
          R"({"value":null,"unitCode":"KGM"})", R"({"value":1,"unit":null})",
          R"({"value":1,"unitCode":"LBR"})", R"({"value":1,"unitCode":"VLT"})"}) {
        EXPECT_EQ(shaped("Opt(Qty(kg))", half), "null") << half;
    }
    for (const char* wrong : {R"({"value":"heavy","unitCode":"KGM"})", R"({"value":1,"unit":"V"})",
                              R"({"value":1,"unit":"kg","unitCode":"VLT"})", R"("450 kg")", "450",
                              R"({"value":1,"unitCode":5})"}) {
        EXPECT_EQ(shaped("Opt(Qty(kg))", wrong), "FACT_SHAPE") << wrong;
    }
}

TEST(FactShape, the_error_names_fact_document_place_expected_and_found) {
    const auto type = parse_type("Record(cells: List(Record(v/: Int)))");
    EXPECT_FALSE(type);  // names are identifiers
    const auto good = parse_type("Record(cells: List(Record(mass: Dec(2))))");
    const Fact fact = fact_of("Battery", "battery:1", R"({"cells":[{"mass":1},{"mass":"1.234"}]})");
    const auto value = shape_fact(fact, *good);
    ASSERT_FALSE(value.ok());
    const std::string& message = value.error().message;
    for (const char* part :
         {"Battery", "battery:1", "battery:1.json", "/cells/1/mass", "Dec(2)", "\"1.234\""}) {
        EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
    }
    const auto details = Json::parse(value.error().details);
    ASSERT_TRUE(details.ok());
    EXPECT_EQ(*details->find("pointer")->as_string(), "/cells/1/mass");
}

}  // namespace
}  // namespace jobforge::rules
