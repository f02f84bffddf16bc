// Who may see a field decides where its value may flow: what the checker refuses, to the letter,
// what it lets pass, and that what it lets pass hides what it should.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program_generator.h"
#include "rules/eval/evaluator.h"
#include "rules_fixture.h"
#include "rules_support.h"

namespace jobforge::rules {
namespace {

struct Tier {
    const char* access;   // as written
    const char* readers;  // i: legitimate interest, a: authorities, p: everybody else
};
constexpr Tier kTiers[] = {{"", ""},
                           {" access(interest)", "i"},
                           {" access(authority)", "a"},
                           {" access(interest_and_authority)", "ia"},
                           {" access(public)", "iap"}};

TEST(AccessFlows, a_value_reaches_only_those_who_may_see_what_it_came_from) {
    for (const Tier& from : kTiers) {
        for (const Tier& to : kTiers) {
            const std::string rules = std::string("field from: Int") + from.access +
                                      " = 1;\nfield to: Int" + to.access +
                                      " = field(\"from\") + 1;\n";
            const bool all_may_see = std::string_view(to.readers).find_first_not_of(from.readers) ==
                                     std::string_view::npos;
            EXPECT_EQ(errors_of(rules).empty(), all_may_see) << rules;
            const std::string declassified =
                std::string("field from: Int") + from.access + " = 1;\nfield to: Int" + to.access +
                " = declassify(\"Article 77\", field(\"from\") + 1);\n";
            EXPECT_EQ(errors_of(declassified), "");
        }
    }
}

TEST(AccessFlows, a_refusal_names_the_place_both_fields_both_tiers_and_what_to_write) {
    EXPECT_EQ(
        errors_of("field price.cost: Dec(2) = 9.50;\n"
                  "field price.sold: Dec(2) access(public) =\n"
                  "  field(\"price.cost\") + 1.00;\n"),
        R"(rules:3:3: RULE_TYPE_ERROR: price.sold is public, but this part of it comes from price.cost, which is restricted
    3 |   field("price.cost") + 1.00;
      |   ^^^^^^^^^^^^^^^^^^^
      = where that may be known, write declassify("why", field("price.cost")), or around a larger part; or say with access(...) who may see price.cost
)");
    EXPECT_EQ(
        errors_of("field state.fade: Dec(3) access(interest) = 9.500;\n"
                  "field checks.fade: Bool access(authority) =\n"
                  "  emitCompliance(\"FADE\", if field(\"state.fade\") > 20 then \"FAIL\" "
                  "else \"PASS\", \"fade\");\n"),
        R"(rules:3:29: RULE_TYPE_ERROR: checks.fade is authority, but this part of it comes from state.fade, which is interest
    3 |   emitCompliance("FADE", if field("state.fade") > 20 then "FAIL" else "PASS", "fade");
      |                             ^^^^^^^^^^^^^^^^^^^
      = where that may be known, write declassify("why", field("state.fade")), or around a larger part
)");
    EXPECT_EQ(
        errors_of("field secret: Text = \"x\";\n"
                  "field told: Bool = emitCompliance(\"A\", \"PASS\", field(\"secret\"));\n"),
        R"(rules:2:48: RULE_TYPE_ERROR: compliance entries are public, but this part of one, in told (restricted), comes from secret, which is restricted
    2 | field told: Bool = emitCompliance("A", "PASS", field("secret"));
      |                                                ^^^^^^^^^^^^^^^
      = where that may be known, write declassify("why", field("secret")), or around a larger part; or say with access(...) who may see secret
)");
}

TEST(AccessFlows, every_reference_at_fault_is_reported_once) {
    const std::string errors = errors_of(
        "field a: Int = 1;\nfield b: Int = 2;\n"
        "field c: Int access(public) = field(\"a\") + field(\"b\") + field(\"a\");\n");
    EXPECT_EQ(std::count(errors.begin(), errors.end(), '='), 3 + 3) << errors;
    EXPECT_NE(errors.find("rules:3:31"), std::string::npos);
    EXPECT_NE(errors.find("rules:3:44"), std::string::npos);
    EXPECT_NE(errors.find("rules:3:57"), std::string::npos);
}

// s is restricted Int, b restricted Bool, l restricted List(Int).
struct Flow {
    const char* type;
    const char* body;
    bool is_refused;
};
constexpr const char* kSecrets =
    "fact F { a: Int }\nfield s: Int = 1;\nfield b: Bool = true;\nfield l: List(Int) = [1];\n"
    "field o: Opt(Int) = some(1);\nfield p: Int access(public) = 7;\n";

// Ways into a public field's value.
constexpr Flow kValueFlows[] = {
    {"Int", "if field(\"b\") then 1 else 2", true},
    {"Int", "if true then field(\"s\") else 2", true},
    {"Int", "let x = field(\"s\"); x", true},
    {"Int", "let x = field(\"s\"); let y = x + 1; let z = y; z", true},
    {"Int", "let x = field(\"s\"); 1", false},
    {"Int", "let x = field(\"s\"); let x = field(\"p\"); x", false},
    {"Bool", "field(\"b\") && false", true},
    {"Bool", "true || field(\"b\")", true},
    {"Bool", "!field(\"b\")", true},
    {"Int", "count(field(\"l\"))", true},
    {"List(Int)", "map(field(\"l\"), (x) -> 1)", true},
    {"List(Int)", "map([1], (x) -> x + field(\"s\"))", true},
    {"List(Int)", "filter([1], (x) -> x > field(\"s\"))", true},
    {"Bool", "any([1], (x) -> field(\"b\"))", true},
    {"Bool", "all([[1]], (x) -> any(x, (y) -> y == field(\"s\")))", true},
    {"Int", "fold([1], field(\"s\"), (acc, x) -> x)", true},
    {"Int", "fold([1], 0, (acc, x) -> acc + field(\"s\"))", true},
    {"Int", "fold(field(\"l\"), 0, (acc, x) -> acc)", true},
    {"Int", "requireSome(field(\"o\"), \"E\", \"none\")", true},
    {"Int", "unwrapOr(none, field(\"s\"))", true},
    {"Bool", "isSome(field(\"o\"))", true},
    {"Bool", "isSome(getFact(\"F\", toText(field(\"s\"))))", true},
    {"Int", "assert(field(\"b\"), \"E\", \"no\"); 1", true},
    {"List(Int)", "[1, field(\"s\")]", true},
    {"Bool", "contains(\"a\", toText(field(\"s\")))", true},
    {"Int", "field(\"p\") + unwrapOr(recordGet(getFact(\"F\", \"f\"), \"a\"), 0)", false},
    {"Int", "declassify(\"it is known\", if field(\"b\") then field(\"s\") else 2)", false},
    {"Int", "declassify(\"it is known\", field(\"s\")) + field(\"s\")", true},
    {"Int", "let x = declassify(\"it is known\", field(\"s\")); x + 1", false},
    {"Int", "let x = field(\"s\"); declassify(\"it is known\", x) + 1", false},
    {"Int", "let x = field(\"s\"); declassify(\"it is known\", x) + x", true},
    {"List(Int)", "map(declassify(\"it is known\", field(\"l\")), (x) -> x)", false},
};

// Ways into a compliance entry of a restricted field, whose own value may hold anything.
constexpr Flow kEntryFlows[] = {
    {"Int", "field(\"s\")", false},
    {"Bool", "emitCompliance(toText(field(\"s\")), \"PASS\", \"e\")", true},
    {"Bool", "emitCompliance(\"X\", if field(\"b\") then \"PASS\" else \"FAIL\", \"e\")", true},
    {"Bool", "emitCompliance(\"X\", \"PASS\", \"e \" + toText(field(\"s\")))", true},
    {"Bool", "let x = field(\"b\"); emitCompliance(\"X\", if x then \"PASS\" else \"FAIL\", \"e\")",
     true},
    {"Bool", "if field(\"b\") then emitCompliance(\"X\", \"PASS\", \"e\") else true", true},
    {"Bool", "if field(\"b\") then true else emitCompliance(\"X\", \"PASS\", \"e\")", true},
    {"Bool", "field(\"b\") && emitCompliance(\"X\", \"PASS\", \"e\")", true},
    {"Bool", "field(\"b\") || emitCompliance(\"X\", \"PASS\", \"e\")", true},
    {"Bool", "emitCompliance(\"X\", \"PASS\", \"e\") && field(\"b\")", false},
    {"Bool", "(field(\"b\") && true) == emitCompliance(\"X\", \"PASS\", \"e\")", false},
    {"Bool", "field(\"b\") && true && emitCompliance(\"X\", \"PASS\", \"e\")", true},
    {"Bool", "field(\"b\") && emitCompliance(\"X\", \"PASS\", \"e\") && true", true},
    {"Bool", "all([1], (x) -> 1 == 1 && emitCompliance(\"X\", \"PASS\", \"e\") && field(\"b\"))",
     true},
    {"Bool", "all([1], (x) -> emitCompliance(\"X\", \"PASS\", \"e\")) && field(\"b\")", false},
    {"Bool", "all(field(\"l\"), (x) -> emitCompliance(\"X\", \"PASS\", \"e\"))", true},
    {"Bool", "all([1], (x) -> emitCompliance(\"X\", \"PASS\", \"e\") && field(\"b\"))", true},
    {"List(Bool)", "map([1], (x) -> emitCompliance(\"X\", \"PASS\", \"e\") && field(\"b\"))",
     false},
    {"List(Bool)", "map([field(\"s\")], (x) -> emitCompliance(\"X\", \"PASS\", toText(x)))", true},
    {"Int",
     "fold([1], field(\"s\"), (acc, x) -> (let e = emitCompliance(\"X\", \"PASS\", toText(acc)); "
     "x))",
     true},
    {"Int",
     "fold([1], 0, (acc, x) -> (let e = emitCompliance(\"X\", \"PASS\", toText(acc)); "
     "field(\"s\")))",
     true},
    {"Bool",
     "let e = (if field(\"b\") then emitCompliance(\"X\", \"PASS\", \"e\") else true); true", true},
    {"Int",
     "assert(field(\"b\"), \"E\", \"no\"); (let e = emitCompliance(\"X\", \"PASS\", \"e\"); 1)",
     true},
    {"Int",
     "let e = emitCompliance(\"X\", \"PASS\", \"e\"); assert(field(\"b\"), \"E\", \"no\"); 1",
     false},
    {"Bool", "declassify(\"it is known\", emitCompliance(\"X\", \"PASS\", toText(field(\"s\"))))",
     true},
    {"Bool",
     "declassify(\"it is known\", if field(\"b\") then emitCompliance(\"X\", \"PASS\", \"e\") else "
     "true)",
     true},
    {"Bool",
     "emitCompliance(\"X\", declassify(\"a finding is known\", if field(\"b\") then \"PASS\" else "
     "\"FAIL\"), \"e\")",
     false},
};

void expect_flows(std::span<const Flow> flows, const std::string& access) {
    for (const Flow& flow : flows) {
        const std::string rules =
            kSecrets + fmt::format("field x: {}{} = {};\n", flow.type, access, flow.body);
        const std::string errors = errors_of(rules);
        if (!flow.is_refused) {
            EXPECT_EQ(errors, "") << flow.body;
            continue;
        }
        EXPECT_NE(errors.find(access.empty() ? "compliance entries are public" : "x is public"),
                  std::string::npos)
            << flow.body << "\n"
            << errors;
        // Nothing else is wrong with it, and what is published stays good.
        EXPECT_TRUE(
            check_package(SourceText("rules", rules), {}, {.flows = AccessFlows::ignored}).ok());
    }
}

TEST(AccessFlows, conditions_arguments_lambdas_and_asserts_lead_into_a_value) {
    expect_flows(kValueFlows, " access(public)");
}

TEST(AccessFlows, an_entry_is_for_everybody_whatever_field_records_it) {
    expect_flows(kEntryFlows, "");
}

TEST(AccessFlows, a_field_with_another_fault_is_not_blamed_for_its_flows) {
    const std::string errors = errors_of(
        "field s: Int = 1;\nfield x: Int access(public) = field(\"s\") + \"text\";\n"
        "field y: Int access(public) = field(\"s\");\n");
    EXPECT_EQ(errors.find("x is public"), std::string::npos) << errors;
    EXPECT_NE(errors.find("y is public"), std::string::npos) << errors;
}

// Behind a wrong declaration an expression is not looked at to its end.
TEST(AccessFlows, wrong_declarations_come_first) {
    for (const char* wrong :
         {"fact F { a: Nonsense }\n", "field f: Dec(99) = 1;\n", "field f: Int = ;\n"}) {
        const std::string errors = errors_of(
            std::string(wrong) +
            "field s: Int = 1;\nfield x: Int access(public) = field(\"s\");\n"
            "field y: Int access(public) = sumDec(1, map(getFactsByPrefix(\"F\", \"f\"), (x) -> "
            "field(\"f\") + x.a));\n");
        EXPECT_NE(errors, "");
        EXPECT_EQ(errors.find("is public"), std::string::npos) << errors;
    }
}

TEST(AccessFlows, declassify_has_a_reason_in_quotes_and_the_type_of_its_value) {
    EXPECT_NE(errors_of("field x: Int = declassify(\" \\n\", 1);").find("reason"),
              std::string::npos);
    EXPECT_NE(errors_of("field x: Int = declassify(product.sku, 1);").find("text in quotes"),
              std::string::npos);
    EXPECT_NE(errors_of("field x: Int = declassify(1);").find("declassify takes 2 arguments"),
              std::string::npos);
    EXPECT_NE(errors_of("field x: Int = declassify(\"r\", true);").find("must be Int"),
              std::string::npos);
    EXPECT_NE(
        errors_of("field x: Bool = emitCompliance(\"A\", declassify(\"r\", \"GOOD\"), \"e\");")
            .find("no status GOOD"),
        std::string::npos);
    EXPECT_EQ(value_of("Dec(2)", "declassify(\"r\", 5)"), "\"5.00\"");
    EXPECT_EQ(value_of("Opt(Int)", "declassify(\"r\", none)"), "null");
    EXPECT_EQ(value_of("Opt(Int)", "if true then declassify(\"r\", 5) else none"), "5");
    EXPECT_EQ(value_of("List(Dec(1))", "declassify(\"r\", [1, 2])"), R"(["1.0","2.0"])");
    EXPECT_EQ(value_of("Int", "unwrapOr(declassify(\"r\", none), 3)"), "3");
}

// What everybody sees: the values of the public fields, and the entries.
std::string shown_to_everybody(const CheckedPackage& package, const Evaluation& evaluation) {
    std::string shown;
    for (const auto& [path, index] : package.field_index) {
        if (package.fields[index].access == Access::public_access) {
            shown += path + " " + evaluation.values[index].canonical() + "\n";
        }
    }
    for (const ComplianceEntry& entry : evaluation.compliance) {
        shown += entry.id + " " + entry.status + " " + entry.evidence + "\n";
    }
    return shown;
}

// Nothing of the restricted fields can be seen: with any other value of theirs, everybody sees the
// same. Programs that declassify, and fields that record entries themselves, are left out.
struct Seen {
    std::uint64_t judged = 0;
    std::uint64_t let_through = 0;
};

void hide_one_field(const GeneratedProgram& program, std::size_t hidden, Seen& seen) {
    const GeneratedField& field = program.fields[hidden];
    if (field.is_public || field.body.find("emitCompliance") != std::string::npos ||
        field.another.find("emitCompliance") != std::string::npos) {
        return;
    }
    std::string other = program.declarations;
    for (std::size_t i = 0; i < program.fields.size(); ++i) {
        other +=
            program.fields[i].head + (i == hidden ? field.another : program.fields[i].body) + ";\n";
    }
    const auto before = check_package(SourceText("generated", program.source), {});
    const auto after =
        check_package(SourceText("generated", other), {}, {.flows = AccessFlows::ignored});
    ++seen.judged;
    if (!before.ok()) return;
    ASSERT_TRUE(after.ok()) << render(after.diagnostics, after.sources);
    const Inputs inputs = inputs_of(program.facts);
    const auto one = evaluate(*before.package, inputs, {.with_proof = false});
    const auto two = evaluate(*after.package, inputs, {.with_proof = false});
    if (!one.ok() || !two.ok()) return;
    ++seen.let_through;
    ASSERT_EQ(shown_to_everybody(*before.package, *one.evaluation),
              shown_to_everybody(*after.package, *two.evaluation))
        << program.source << "\nand with another value\n"
        << other;
}

TEST(AccessFlows, what_generated_programs_hide_has_no_influence_on_what_everybody_sees) {
    Seen seen;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
        const GeneratedProgram program = ProgramGenerator(seed).make();
        if (program.source.find("declassify") != std::string::npos) continue;
        for (std::size_t i = 0; i < program.fields.size(); ++i) {
            ASSERT_NO_FATAL_FAILURE(hide_one_field(program, i, seen)) << "seed " << seed;
        }
    }
    // Of no use if nothing passes, or if nothing is refused.
    EXPECT_GT(seen.let_through, seen.judged / 10);
    EXPECT_LT(seen.let_through, seen.judged);
}

}  // namespace
}  // namespace jobforge::rules
