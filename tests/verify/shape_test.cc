// Facts against declared types, by the checker's own reading (docs/formats.md, "Fact to value").
#include "verify/shape.h"

#include <gtest/gtest.h>

namespace jobforge::verify {
namespace {

std::string shaped(const char* notation, const char* json) {
    TypeReader types;
    const TypePtr type = types.read(notation);
    EXPECT_TRUE(type) << notation;
    const auto value = shape(*Json::parse(json), *type);
    return value ? value->json().dump() : "refused";
}

TEST(Shape, takes_units_by_name_and_by_un_cefact_code) {
    const std::string half_kilo = R"({"unit":"kg","value":"0.500000"})";
    EXPECT_EQ(shaped("Qty(kg)", R"({"value":"500","unit":"g"})"), half_kilo);
    EXPECT_EQ(shaped("Qty(kg)", R"({"value":500,"unitCode":"GRM"})"), half_kilo);
    EXPECT_EQ(shaped("Qty(kg)", R"({"value":500,"unit":"g","unitCode":"GRM"})"), half_kilo);
    for (const char* bad :
         {R"({"value":1,"unit":"kg","unitCode":"GRM"})", R"({"value":1,"unitCode":"VLT"})",
          R"({"value":1})", R"({"unitCode":"KGM"})", R"({"value":1,"unitCode":5})"}) {
        EXPECT_EQ(shaped("Qty(kg)", bad), "refused") << bad;
    }
}

TEST(Shape, half_a_quantity_is_none_where_it_may_be_missing) {
    for (const char* half :
         {"null", "{}", R"({"value":1})", R"({"unit":"kg"})", R"({"value":null,"unitCode":"KGM"})",
          R"({"value":1,"unitCode":"LBR"})", R"({"value":1,"unitCode":"VLT"})"}) {
        EXPECT_EQ(shaped("Opt(Qty(kg))", half), "null") << half;
    }
    for (const char* wrong :
         {R"({"value":"heavy","unitCode":"KGM"})", R"({"value":1,"unit":"V"})",
          R"({"value":1,"unit":"kg","unitCode":"VLT"})", "450", R"({"value":1,"unitCode":5})"}) {
        EXPECT_EQ(shaped("Opt(Qty(kg))", wrong), "refused") << wrong;
    }
}

// A value inside a proof has one spelling only.
TEST(Shape, a_written_value_must_be_canonical) {
    TypeReader types;
    const TypePtr type = types.read("Opt(Qty(kg))");
    EXPECT_TRUE(read_exact(*Json::parse(R"({"unit":"kg","value":"1.000000"})"), *type));
    EXPECT_FALSE(read_exact(*Json::parse(R"({"unitCode":"KGM","value":"1.000000"})"), *type));
    EXPECT_FALSE(read_exact(*Json::parse(R"({"unit":"kg"})"), *type));
    EXPECT_TRUE(read_exact(Json(), *type));
}

}  // namespace
}  // namespace jobforge::verify
