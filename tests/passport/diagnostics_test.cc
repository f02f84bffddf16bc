// One case for each class of diagnostic: code, place, source line, caret and advice. Here what the
// language cannot read and names it does not know; diagnostics_types_test.cc has the rest.
#include <gtest/gtest.h>

#include "diagnostic_case.h"

namespace jobforge::rules {
namespace {

// clang-format off
constexpr DiagnosticCase kCases[] = {
{"lexer_unknown_character",
R"(field a: Int = 1 ? 2;
)",
nullptr,
R"(rules:1:18: RULE_PARSE_ERROR: this means nothing here
    1 | field a: Int = 1 ? 2;
      |                  ^
      = remove it; a text stands in double quotes
)"},
{"lexer_text_without_end",
R"(field a: Text = "abc;
)",
nullptr,
R"(rules:1:17: RULE_PARSE_ERROR: this text has no closing quote on its line
    1 | field a: Text = "abc;
      |                 ^^^^^
      = end it with " or write a line break as \n
)"},
{"lexer_bad_escape",
R"(field a: Text = "a\q";
)",
nullptr,
R"(rules:1:19: RULE_PARSE_ERROR: this escape does not exist in JSON
    1 | field a: Text = "a\q";
      |                   ^
      = texts follow JSON: \" \\ \/ \b \f \n \r \t \u0041
)"},
{"whole_number_too_large",
R"(field a: Int = 9007199254740992;
)",
nullptr,
R"(rules:1:16: RULE_PARSE_ERROR: a whole number is at most 9007199254740991
    1 | field a: Int = 9007199254740992;
      |                ^^^^^^^^^^^^^^^^
      = write a decimal such as 12345678901234567890.0 where a Dec will do
)"},
{"decimal_too_long",
R"(field a: Dec(2) = 1.0000000000000000001;
)",
nullptr,
R"(rules:1:19: RULE_PARSE_ERROR: a decimal has at most 38 digits, 18 of them behind the point
    1 | field a: Dec(2) = 1.0000000000000000001;
      |                   ^^^^^^^^^^^^^^^^^^^^^
)"},
{"expected_something_else",
R"(field a: Int = ;
)",
nullptr,
R"(rules:1:16: RULE_PARSE_ERROR: expected an expression, found `;`
    1 | field a: Int = ;
      |                ^
)"},
{"missing_semicolon",
R"(field a: Int = 1
field b: Int = 2;
)",
nullptr,
R"(rules:1:17: RULE_PARSE_ERROR: the `;` that ends the field is missing here
    1 | field a: Int = 1
      |                 ^
)"},
{"keyword_as_name",
R"(field a: Int = let if = 1; 2;
)",
nullptr,
R"(rules:1:20: RULE_PARSE_ERROR: `if` is a word of the language and cannot be the n)"
R"(ame of a variable
    1 | field a: Int = let if = 1; 2;
      |                    ^^
      = choose another name
)"},
{"chained_comparison",
R"(field a: Bool = 1 < 2 < 3;
)",
nullptr,
R"(rules:1:23: RULE_PARSE_ERROR: comparisons do not chain
    1 | field a: Bool = 1 < 2 < 3;
      |                       ^
      = write a < b && b < c instead of a < b < c
)"},
{"lambda_alone",
R"(field a: Int = (x) -> 1;
)",
nullptr,
R"(rules:1:16: RULE_PARSE_ERROR: a lambda can only be an argument
    1 | field a: Int = (x) -> 1;
      |                ^
      = map, filter, fold, any and all take one: map(list, (x) -> x)
)"},
{"let_inside_operation",
R"(field a: Int = 1 + let x = 1; x;
)",
nullptr,
R"(rules:1:20: RULE_PARSE_ERROR: `let` cannot stand inside an operation
    1 | field a: Int = 1 + let x = 1; x;
      |                    ^^^
      = put parentheses around it: (let ...)
)"},
{"assert_arity",
R"(field a: Int = assert(true, "A"); 1;
)",
nullptr,
R"(rules:1:16: RULE_PARSE_ERROR: assert takes 3 arguments, not 2
    1 | field a: Int = assert(true, "A"); 1;
      |                ^^^^^^^^^^^^^^^^^
      = write assert(condition, "CODE", "message");
)"},
{"unknown_function",
R"(field a: Int = cuont([1]);
)",
nullptr,
R"(rules:1:16: RULE_TYPE_ERROR: there is no function cuont
    1 | field a: Int = cuont([1]);
      |                ^^^^^
      = did you mean count?
)"},
{"unknown_variable",
R"(field a: Int = let total = 1; totl;
)",
nullptr,
R"(rules:1:31: RULE_TYPE_ERROR: there is no variable totl
    1 | field a: Int = let total = 1; totl;
      |                               ^^^^
      = did you mean total?
)"},
{"unknown_type",
R"(field a: Txet = "a";
)",
nullptr,
R"(rules:1:10: RULE_TYPE_ERROR: there is no type Txet
    1 | field a: Txet = "a";
      |          ^^^^
      = did you mean Text?
)"},
{"unknown_unit",
R"(field a: Qty(kwh) = qty(1.0, kWh);
)",
nullptr,
R"(rules:1:14: RULE_TYPE_ERROR: there is no unit kwh
    1 | field a: Qty(kwh) = qty(1.0, kWh);
      |              ^^^
      = did you mean kWh?
)"},
{"unknown_field",
R"(field battery.mass: Int = 1;
field b: Int = field("battery.mas");
)",
nullptr,
R"(rules:2:22: RULE_TYPE_ERROR: there is no field battery.mas
    2 | field b: Int = field("battery.mas");
      |                      ^^^^^^^^^^^^^
      = did you mean battery.mass?
)"},
{"unknown_fact",
R"(fact Battery { sku: Text }
field a: Bool = isSome(getFact("Batery", "k"));
)",
nullptr,
R"(rules:2:32: RULE_TYPE_ERROR: there is no fact Batery
    2 | field a: Bool = isSome(getFact("Batery", "k"));
      |                                ^^^^^^^^
      = did you mean Battery?
)"},
{"unknown_member",
R"(fact Battery { capacity: Int }
field a: Opt(Int) = recordGet(getFact("Battery", "k"), "capacty");
)",
nullptr,
R"(rules:2:56: RULE_TYPE_ERROR: Battery has no member capacty
    2 | field a: Opt(Int) = recordGet(getFact("Battery", "k"), "capacty");
      |                                                        ^^^^^^^^^
      = did you mean capacity?
)"},
{"unknown_status",
R"(field a: Bool = emitCompliance("X", "OK", "e");
)",
nullptr,
R"(rules:1:37: RULE_TYPE_ERROR: there is no status OK
    1 | field a: Bool = emitCompliance("X", "OK", "e");
      |                                     ^^^^
      = a status is one of PASS, FAIL, WARN, PENDING, NOT_APPLICABLE
)"},
{"nearly_a_status",
R"(field a: Bool = emitCompliance("X", if true then "PAS" else "WARN", "e");
example e: { product("S", "n"); } => expectCompliance("X", "INFO"); ;
)",
nullptr,
R"(rules:1:50: RULE_TYPE_ERROR: there is no status PAS
    1 | field a: Bool = emitCompliance("X", if true then "PAS" else "WARN", "e");
      |                                                  ^^^^^
      = did you mean PASS? a status is one of PASS, FAIL, WARN, PENDING, NOT_APPLICABLE
rules:2:60: RULE_TYPE_ERROR: there is no status INFO
    2 | example e: { product("S", "n"); } => expectCompliance("X", "INFO"); ;
      |                                                            ^^^^^^
      = a status is one of PASS, FAIL, WARN, PENDING, NOT_APPLICABLE
)"},
{"unknown_rounding",
R"(field a: Dec(1) = toDec(1, 1.25, "nearest");
)",
nullptr,
R"(rules:1:34: RULE_TYPE_ERROR: there is no rounding nearest
    1 | field a: Dec(1) = toDec(1, 1.25, "nearest");
      |                                  ^^^^^^^^^
      = write half_even, half_up, down or up
)"},
{"wrong_number_of_arguments",
R"(field a: Int = count([1], [2]);
)",
nullptr,
R"(rules:1:16: RULE_TYPE_ERROR: count takes 1 argument, not 2
    1 | field a: Int = count([1], [2]);
      |                ^^^^^^^^^^^^^^^
      = write count(list)
)"},
{"wrong_number_of_arguments_of_is_some",
R"(field a: Bool = isSome();
)",
nullptr,
R"(rules:1:17: RULE_TYPE_ERROR: isSome takes at least 1 argument, not 0
    1 | field a: Bool = isSome();
      |                 ^^^^^^^^
      = write isSome(opt) or isSome(opt, opt, ...)
)"},
{"field_of_another_type",
R"(field a: Text = 5;
)",
nullptr,
R"(rules:1:17: RULE_TYPE_ERROR: the value of a must be Text, but this is Int
    1 | field a: Text = 5;
      |                 ^
      = write toText(5)
)"},
{"scale_mismatch",
R"(field a: Dec(2) = 1.5;
)",
nullptr,
R"(rules:1:19: RULE_TYPE_ERROR: the value of a must be Dec(2), but this is Dec(1)
    1 | field a: Dec(2) = 1.5;
      |                   ^^^
      = write toDec(2, 1.5)
)"},
{"unit_mismatch_that_converts",
R"(field a: Qty(kWh) = qty(1500.0, Wh);
)",
nullptr,
R"(rules:1:21: UNIT_MISMATCH: the value of a must be Qty(kWh), but this is Qty(Wh)
    1 | field a: Qty(kWh) = qty(1500.0, Wh);
      |                     ^^^^^^^^^^^^^^^
      = write convert("kWh", qty(1500.0, Wh))
)"},
{"unit_mismatch_of_two_kinds",
R"(field a: Bool = qty(1.0, kg) < qty(1.0, kWh);
)",
nullptr,
R"(rules:1:17: UNIT_MISMATCH: kg and kWh cannot be compared
    1 | field a: Bool = qty(1.0, kg) < qty(1.0, kWh);
      |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = kWh cannot become kg: kWh is energy, kg is mass
)"},
};
// clang-format on

INSTANTIATE_TEST_SUITE_P(ReadingAndNames, DiagnosticTest, testing::ValuesIn(kCases),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(DiagnosticTest, says_what_is_wrong_where_and_what_to_write) {
    const DiagnosticCase& given = GetParam();
    const auto tests =
        given.tests == nullptr ? std::nullopt : std::optional<std::string>(given.tests);
    EXPECT_EQ(errors_of(given.rules, tests), given.expected);
}

TEST(Diagnostics, all_errors_of_a_source_come_at_once_in_its_order) {
    const std::string all =
        errors_of("field a: Text = 5;\nfield b: Int = x;\nfield c: Bool = 1;\n");
    EXPECT_LT(all.find("rules:1:17"), all.find("rules:2:16"));
    EXPECT_LT(all.find("rules:2:16"), all.find("rules:3:17"));
    EXPECT_NE(all.find("rules:3:17"), std::string::npos);
}

}  // namespace
}  // namespace jobforge::rules
