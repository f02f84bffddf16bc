// What the checker says: each class of error once, exactly as an author reads it.
#include <gtest/gtest.h>

#include "rules_support.h"

namespace jobforge::rules {
namespace {

const std::string kBattery =
    "fact Battery { cap: Dec(3), n: Int, e: Qty(Wh), m: Qty(kg), o: Opt(Text) }\n";

// The errors of one field's body, in which b is a Battery.
std::string body_errors(const std::string& type, const std::string& body) {
    return errors_of(kBattery + "field x: " + type +
                     " = let b = requireSome(getFact(\"Battery\", \"k\"), \"E\", \"m\");\n" + body +
                     ";\n");
}

TEST(Checker, TakesTheDefinitionsSampleAsItIsWritten) {
    EXPECT_EQ(errors_of(sample()), "");
}

TEST(Checker, OrdersFieldsByDependencyThenByTheBytesOfTheirPaths) {
    const auto outcome = check_package(SourceText(
        "rules", "field c: Int = 1; field b: Int = field(\"c\"); field a: Int = field(\"c\");"));
    ASSERT_TRUE(outcome.ok());
    ASSERT_EQ(outcome.package->fields.size(), 3U);
    EXPECT_EQ(outcome.package->fields[0].path.text, "c");
    EXPECT_EQ(outcome.package->fields[1].path.text, "a");
    EXPECT_EQ(outcome.package->fields[2].path.text, "b");
    EXPECT_EQ(outcome.package->fields[2].dependencies, std::vector<std::size_t>{0});
}

TEST(Checker, NamesTheConversionForAUnitOfTheSameDimension) {
    EXPECT_EQ(body_errors("Qty(kWh)", "b.e"),
              "rules:3:1: UNIT_MISMATCH: the value of x must be Qty(kWh), but this is Qty(Wh)\n"
              "    3 | b.e;\n"
              "      | ^^^\n"
              "      = write convert(\"kWh\", b.e)\n");
}

TEST(Checker, NamesTheConversionForAScale) {
    EXPECT_EQ(body_errors("Dec(2)", "b.cap"),
              "rules:3:1: RULE_TYPE_ERROR: the value of x must be Dec(2), but this is Dec(3)\n"
              "    3 | b.cap;\n"
              "      | ^^^^^\n"
              "      = write toDec(2, b.cap)\n");
}

TEST(Checker, RefusesToDivideWholeNumbers) {
    EXPECT_EQ(body_errors("Dec(6)", "b.n / b.n"),
              "rules:3:1: RULE_TYPE_ERROR: Int and Int cannot be divided\n"
              "    3 | b.n / b.n;\n"
              "      | ^^^^^^^^^\n"
              "      = whole numbers do not divide exactly: write toDec(2, b.n) / toDec(2, b.n)\n");
}

TEST(Checker, ReportsUnitsThatDoNotAdd) {
    EXPECT_EQ(body_errors("Qty(Wh)", "b.e + qty(1, kWh)"),
              "rules:3:1: UNIT_MISMATCH: Wh and kWh cannot be added\n"
              "    3 | b.e + qty(1, kWh);\n"
              "      | ^^^^^^^^^^^^^^^^^\n"
              "      = write convert(\"Wh\", qty(1, kWh))\n");
}

TEST(Checker, NamesTheFieldsOfACycle) {
    EXPECT_EQ(errors_of("field a: Int = field(\"b\");\nfield b: Int = field(\"a\") + 1;\n"),
              "rules:1:22: RULE_CYCLE_DETECTED: fields depend on each other: a -> b -> a\n"
              "    1 | field a: Int = field(\"b\");\n"
              "      |                      ^^^\n"
              "      = compute one of them from facts, without reading the others\n");
}

TEST(Checker, SuggestsTheNearestName) {
    EXPECT_EQ(errors_of("field a: Int = cuont([1]);"),
              "rules:1:16: RULE_TYPE_ERROR: there is no function cuont\n"
              "    1 | field a: Int = cuont([1]);\n"
              "      |                ^^^^^\n"
              "      = did you mean count?\n");
}

TEST(Checker, RefusesAPropertyThatReadsNoField) {
    EXPECT_EQ(errors_of("property p: => forall x: Int . x > 0; ;"),
              "rules:1:10: RULE_TYPE_ERROR: the property p reads no field\n"
              "    1 | property p: => forall x: Int . x > 0; ;\n"
              "      |          ^\n"
              "      = it would test nothing: read one with field(\"path\")\n");
}

TEST(Checker, PutsOneFaultIntoOneMessage) {
    const std::string errors = body_errors("Int", "let y = b.nope; y + y * y - 1");
    EXPECT_EQ(errors.find("has no member nope"), errors.rfind("RULE_TYPE_ERROR: ") + 25);
}

TEST(Checker, LetsAnIntLiteralBeADecAndLiftsABranchBesideNone) {
    EXPECT_EQ(errors_of("field a: Dec(2) = 5; field b: List(Dec(2)) = [1, 2.50, 3];"
                        "field c: Opt(Int) = if true then 5 else none;"
                        "field d: Bool = 1.50 > 1;"),
              "");
}

TEST(Checker, RefusesPathsInsideOtherFieldsAndDuplicates) {
    const std::string errors = errors_of("field a: Int = 1; field a.b: Int = 2; field a: Int = 3;");
    EXPECT_NE(errors.find("a.b lies inside a, which is a field itself (line 1)"),
              std::string::npos);
    EXPECT_NE(errors.find("the field a is declared twice"), std::string::npos);
}

TEST(Checker, KeepsFieldsOutOfTheTestsSource) {
    EXPECT_NE(errors_of("field a: Int = 1;", "field b: Int = 2;")
                  .find("a field cannot stand among the tests"),
              std::string::npos);
}

}  // namespace
}  // namespace jobforge::rules
