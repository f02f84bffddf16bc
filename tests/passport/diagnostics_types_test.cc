// One case for each class of diagnostic: types, units, declarations and tests. See
// diagnostics_test.cc, which has the test itself.
#include <gtest/gtest.h>

#include "diagnostic_case.h"

namespace jobforge::rules {
namespace {

// clang-format off
constexpr DiagnosticCase kCases[] = {
{"no_named_unit",
R"(field a: Qty(Wh) = qty(1.0, V) * qty(1.0, mAh);
)",
nullptr,
R"(rules:1:20: UNIT_MISMATCH: V * mAh is not a unit that has a name
    1 | field a: Qty(Wh) = qty(1.0, V) * qty(1.0, mAh);
      |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = write qty(1.0, V) * convert("Ah", qty(1.0, mAh)), which is Wh
)"},
{"whole_numbers_do_not_divide",
R"(field a: Dec(6) = 1 / 2;
)",
nullptr,
R"(rules:1:19: RULE_TYPE_ERROR: Int and Int cannot be divided
    1 | field a: Dec(6) = 1 / 2;
      |                   ^^^^^
      = whole numbers do not divide exactly: write toDec(2, 1) / toDec(2, 2)
)"},
{"too_many_decimals_in_product",
R"(field a: Dec(18) = 1.0000000000 * 1.0000000000;
)",
nullptr,
R"(rules:1:20: RULE_TYPE_ERROR: the product would have 20 decimals; 18 are the most
    1 | field a: Dec(18) = 1.0000000000 * 1.0000000000;
      |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = write toDec(8, 1.0000000000) first
)"},
{"not_optional",
R"(field a: Bool = isSome(5);
)",
nullptr,
R"(rules:1:24: RULE_TYPE_ERROR: isSome takes an Opt, but this is Int
    1 | field a: Bool = isSome(5);
      |                        ^
      = it is always there: use it as it is
)"},
{"optional_where_a_value_is_needed",
R"(fact B { mass: Opt(Dec(2)) }
field a: Dec(2) =
  let b = requireSome(getFact("B", "k"), "E1", "no battery");
  b.mass + 1.00;
)",
nullptr,
R"(rules:4:3: RULE_TYPE_ERROR: Opt(Dec(2)) and Dec(2) cannot be added
    4 |   b.mass + 1.00;
      |   ^^^^^^^^^^^^^
      = write requireSome(b.mass, "CODE", "message") or unwrapOr(b.mass, ...)
)"},
{"no_order",
R"(field a: Bool = [1] < [2];
)",
nullptr,
R"(rules:1:17: RULE_TYPE_ERROR: List(Int) has no order
    1 | field a: Bool = [1] < [2];
      |                 ^^^^^^^^^
      = Int, Dec, Qty, Text and Date have one; all others only == and !=
)"},
{"conditions_are_bool",
R"(field a: Int = if 1 then 2 else 3;
)",
nullptr,
R"(rules:1:19: RULE_TYPE_ERROR: the condition of if must be Bool, but this is Int
    1 | field a: Int = if 1 then 2 else 3;
      |                   ^
      = write a comparison, such as x > 0
)"},
{"branches_of_two_types",
R"(field a: Int = if true then 1 else "x";
)",
nullptr,
R"(rules:1:36: RULE_TYPE_ERROR: the branch behind else must be Int, but this is Text
    1 | field a: Int = if true then 1 else "x";
      |                                    ^^^
)"},
{"literal_needed",
R"(field a: Dec(2) = let n = 2; toDec(n, 1);
)",
nullptr,
R"(rules:1:36: RULE_TYPE_ERROR: the scale must be a whole number from 0 to 18
    1 | field a: Dec(2) = let n = 2; toDec(n, 1);
      |                                    ^
      = it is the number of decimals, and fixed when the rules are checked
)"},
{"bad_pattern",
R"(field a: Bool = matches("a", "(");
)",
nullptr,
R"(rules:1:30: RULE_TYPE_ERROR: the pattern is not valid: missing ): (
    1 | field a: Bool = matches("a", "(");
      |                              ^^^
      = patterns follow RE2: https://github.com/google/re2/wiki/Syntax
)"},
{"no_such_day",
R"(field a: Date = date("2027-02-30");
)",
nullptr,
R"(rules:1:22: RULE_TYPE_ERROR: there is no such day
    1 | field a: Date = date("2027-02-30");
      |                      ^^^^^^^^^^^^
      = a date is written "2027-02-18"
)"},
{"opt_of_opt",
R"(fact B { a: Opt(Opt(Int)) }
field a: Int = 1;
)",
nullptr,
R"(rules:1:13: RULE_TYPE_ERROR: there is no Opt of an Opt
    1 | fact B { a: Opt(Opt(Int)) }
      |             ^^^^^^^^^^^^^
      = write one Opt
)"},
{"map_keys_are_text",
R"(fact B { a: Map(Int, Int) }
field a: Int = 1;
)",
nullptr,
R"(rules:1:13: RULE_TYPE_ERROR: the keys of a Map are Text
    1 | fact B { a: Map(Int, Int) }
      |             ^^^^^^^^^^^^^
      = write Map(Text, T)
)"},
{"scale_of_a_type",
R"(fact B { a: Dec(19) }
field a: Int = 1;
)",
nullptr,
R"(rules:1:13: RULE_TYPE_ERROR: a Dec has 0 to 18 decimals
    1 | fact B { a: Dec(19) }
      |             ^^^^^^^
      = write Dec(0) to Dec(18)
)"},
{"fact_contains_itself",
R"(fact B { b: B }
field a: Int = 1;
)",
nullptr,
R"(rules:1:6: RULE_CYCLE_DETECTED: facts contain each other: B -> B
    1 | fact B { b: B }
      |      ^
      = a fact cannot contain itself; give one of them a key instead
)"},
{"declared_twice",
R"(field a: Int = 1;
field a: Int = 2;
)",
nullptr,
R"(rules:2:7: RULE_TYPE_ERROR: the field a is declared twice
    2 | field a: Int = 2;
      |       ^
      = the first stands in line 1; remove or rename one
)"},
{"path_inside_a_field",
R"(field a: Int = 1;
field a.b: Int = 2;
)",
nullptr,
R"(rules:2:7: RULE_TYPE_ERROR: a.b lies inside a, which is a field itself (line 1)
    2 | field a.b: Int = 2;
      |       ^^^
      = rename one: a.value and a.b go together
)"},
{"cycle",
R"(field a: Int = field("b");
field b: Int = field("a");
)",
nullptr,
R"(rules:1:22: RULE_CYCLE_DETECTED: fields depend on each other: a -> b -> a
    1 | field a: Int = field("b");
      |                      ^^^
      = compute one of them from facts, without reading the others
)"},
{"lambda_of_the_wrong_shape",
R"(field a: List(Int) = map([1], (x, y) -> x);
)",
nullptr,
R"(rules:1:31: RULE_TYPE_ERROR: the last argument of map must be a lambda of 1 variable
    1 | field a: List(Int) = map([1], (x, y) -> x);
      |                               ^^^^^^^^^^^
      = write map(list, (x) -> value)
)"},
{"lambda_missing",
R"(field a: List(Int) = map([1], 5);
)",
nullptr,
R"(rules:1:31: RULE_TYPE_ERROR: the last argument of map must be a lambda of 1 variable
    1 | field a: List(Int) = map([1], 5);
      |                               ^
      = write map(list, (x) -> value)
)"},
{"sum_of_texts",
R"(field a: Dec(2) = sumDec(2, ["a"]);
)",
nullptr,
R"(rules:1:29: RULE_TYPE_ERROR: sumDec takes a list of Dec or Int, but this is List(Text)
    1 | field a: Dec(2) = sumDec(2, ["a"]);
      |                             ^^^^^
)"},
{"quantity_with_too_many_decimals",
R"(field a: Qty(kg) = qty(1.0000001, kg);
)",
nullptr,
R"(rules:1:20: RULE_TYPE_ERROR: a quantity has at most six decimals
    1 | field a: Qty(kg) = qty(1.0000001, kg);
      |                    ^^^^^^^^^^^^^^^^^^
      = round it, or take a smaller unit
)"},
{"json_of_a_fixture",
R"(field a: Int = 1;
)",
R"(example e: {
  fact b("B", "k") = {"a": };
} =>
  expect(a, == 1);
;
)",
R"(tests:2:28: RULE_PARSE_ERROR: this is not a JSON value
    2 |   fact b("B", "k") = {"a": };
      |                            ^
      = a fact is written in JSON, without comments
)"},
{"fixture_of_another_shape",
R"(fact B { a: Int }
field a: Int = 1;
)",
R"(example e: {
  fact b("B", "k") = {"a": "x"};
} =>
  expect(a, == 1);
;
)",
R"(tests:2:28: RULE_TYPE_ERROR: B /a: expected Int (a whole number up to 9007199254)"
R"(740991, without quotes), found "x"
    2 |   fact b("B", "k") = {"a": "x"};
      |                            ^^^
      = to test how rules treat a wrong document, add expectError("FACT_SHAPE")
)"},
{"property_that_reads_no_field",
R"(field a: Int = 1;
)",
R"(property p: cases(5) =>
  forall x: Int .
    x == x;
;
)",
R"(tests:1:10: RULE_TYPE_ERROR: the property p reads no field
    1 | property p: cases(5) =>
      |          ^
      = it would test nothing: read one with field("path")
)"},
{"implies_outside_a_property",
R"(field a: Bool = implies(true, false);
)",
nullptr,
R"(rules:1:17: RULE_TYPE_ERROR: implies can only be the whole condition of a property
    1 | field a: Bool = implies(true, false);
      |                 ^^^^^^^^^^^^^^^^^^^^
      = write !premise || conclusion
)"},
{"field_among_the_tests",
R"(field a: Int = 1;
)",
R"(field b: Int = 2;
)",
R"(tests:1:7: RULE_TYPE_ERROR: a field cannot stand among the tests
    1 | field b: Int = 2;
      |       ^
      = move it to the rules; a source of tests has examples and properties
)"},
{"cases_out_of_range",
R"(field a: Int = 1;
)",
R"(property p: cases(0) =>
  forall x: Int .
    field("a") == x;
;
)",
R"(tests:1:19: RULE_PARSE_ERROR: cases is from 1 to 100000
    1 | property p: cases(0) =>
      |                   ^
)"},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(TypesAndTests, DiagnosticTest, testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace jobforge::rules
