#include "rules/eval/explain.h"

#include "rules_fixture.h"

namespace jobforge::rules {
namespace {

const std::string kRules =
    "fact Pack { cells: List(Record(mass: Dec(2))), name: Opt(Text) }\n"
    "field total: Dec(2) =\n"
    "  let p = requireSome(getFact(\"Pack\", \"p\"), \"E1\", \"no pack\");\n"
    "  fold(p.cells, 0.00, (sum, cell) -> sum + cell.mass);\n"
    "field double: Dec(2) = field(\"total\") + field(\"total\");\n"
    "field other: Int = requireSome(none, \"E9\", \"never there\");\n";

ExplainOutcome explained(const std::string& path) {
    const auto package = package_of(kRules);
    const Inputs inputs =
        inputs_of({fact_of("Pack", "p", R"({"cells":[{"mass":"1.25"},{"mass":"2.50"}]})")});
    return explain(*package, inputs, package->field_index.find(path)->second);
}

TEST(Explain, follows_a_number_down_to_its_document_and_place) {
    const std::string tree = explained("total").tree;
    for (const char* part : {"field total = 3.75", "1.25  <- Pack \"p\" at /cells/0/mass in p.json",
                             "2.50  <- Pack \"p\" at /cells/1/mass in p.json"}) {
        EXPECT_NE(tree.find(part), std::string::npos) << part << "\n" << tree;
    }
}

TEST(Explain, explains_once_what_is_used_twice_although_another_field_fails) {
    const ExplainOutcome outcome = explained("double");
    ASSERT_FALSE(outcome.error);
    EXPECT_NE(outcome.tree.find("(see above)"), std::string::npos) << outcome.tree;
    EXPECT_EQ(outcome.tree.find("/cells/0/mass"), outcome.tree.rfind("/cells/0/mass"));
    EXPECT_EQ(explained("other").error->code, "E9");
}

TEST(Explain, names_the_origin_in_json_too) {
    const Json json = explained("total").json;
    bool found = false;
    for (const Json& node : *json.find("nodes")->as_array()) {
        const Json* origin = node.find("origin");
        found = found ||
                (origin != nullptr && *origin->find("pointer")->as_string() == "/cells/1/mass");
    }
    EXPECT_TRUE(found);
}

}  // namespace
}  // namespace jobforge::rules
