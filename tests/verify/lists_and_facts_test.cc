// Lists, records and facts in proofs: lambdas as plain nodes, facts by key and by prefix; and what
// a hostile proof may cost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proof_maker.h"

namespace jobforge::verify {
namespace {

using ::testing::HasSubstr;
using Ids = std::vector<ProofMaker::Id>;

// [3, 1, 2] and what a test puts over it.
class Lists : public ::testing::Test {
protected:
    ProofMaker maker_;
    const ProofMaker::Id three_ = maker_.constant("Int", 3);
    const ProofMaker::Id one_ = maker_.constant("Int", 1);
    const ProofMaker::Id two_ = maker_.constant("Int", 2);
    const ProofMaker::Id list_ =
        maker_.hashed("list", "List(Int)", Json::array({3, 1, 2}), {three_, one_, two_});
    const ProofMaker::Id yes_ = maker_.op(">", "Bool", true, {three_, one_});
    const ProofMaker::Id no_ = maker_.op("<", "Bool", false, {three_, one_});

    // All nodes above are used, whatever the operation does.
    std::string fault(const std::string& op, const std::string& type, const Json& result,
                      Ids children) {
        const bool list = type.starts_with("List");
        const auto value = list ? maker_.hashed(op, type, result, std::move(children))
                                : maker_.op(op, type, result, std::move(children));
        const auto x = maker_.field("x", type, {value});
        const auto y = maker_.field("y", "Bool", {yes_});
        const auto z = maker_.field("z", "Bool", {no_});
        const auto l = maker_.field("l", "List(Int)", {list_});
        maker_.hashed(
            "root", "Record(l: List(Int), x: " + type + ", y: Bool, z: Bool)",
            Json::object({{"l", Json::array({3, 1, 2})}, {"x", result}, {"y", true}, {"z", false}}),
            {x, y, z, l});
        return fault_of(maker_.document());
    }
};

TEST_F(Lists, element_counts_from_zero) {
    EXPECT_EQ(fault("element", "Int", 1, {list_, one_}), "");
}

TEST_F(Lists, element_outside_the_list_is_refused) {
    EXPECT_THAT(fault("element", "Int", 1, {list_, three_}), HasSubstr("no such element"));
}

TEST_F(Lists, element_with_a_computed_index_is_refused) {
    const auto sum = maker_.op("+", "Int", 2, {one_, one_});
    EXPECT_THAT(fault("element", "Int", 2, {list_, sum}), HasSubstr("not an element"));
}

TEST_F(Lists, map_has_an_application_for_each_element) {
    EXPECT_EQ(
        fault("map", "List(Bool)", Json::array({true, false, true}), {list_, yes_, no_, yes_}), "");
}

TEST_F(Lists, map_with_too_few_applications_is_refused) {
    EXPECT_THAT(fault("map", "List(Bool)", Json::array({true, false}), {list_, yes_, no_}),
                HasSubstr("not one application"));
}

TEST_F(Lists, filter_keeps_what_its_conditions_say) {
    EXPECT_EQ(fault("filter", "List(Int)", Json::array({3, 2}), {list_, yes_, no_, yes_}), "");
}

TEST_F(Lists, filter_that_keeps_something_else_is_refused) {
    EXPECT_THAT(fault("filter", "List(Int)", Json::array({3, 1}), {list_, yes_, no_, yes_}),
                HasSubstr("result_hash"));
}

TEST_F(Lists, any_stops_at_the_first_true) {
    EXPECT_EQ(fault("any", "Bool", true, {list_, no_, yes_}), "");
}

TEST_F(Lists, any_that_goes_on_is_refused) {
    EXPECT_THAT(fault("any", "Bool", true, {list_, yes_, no_}), HasSubstr("behind the deciding"));
}

TEST_F(Lists, any_that_stops_early_is_refused) {
    EXPECT_THAT(fault("any", "Bool", false, {list_, no_}), HasSubstr("before anything"));
}

TEST_F(Lists, all_stops_at_the_first_false) {
    EXPECT_EQ(fault("all", "Bool", false, {list_, yes_, no_}), "");
}

TEST_F(Lists, all_that_stops_early_is_refused) {
    EXPECT_THAT(fault("all", "Bool", true, {list_, yes_, yes_}), HasSubstr("before anything"));
}

TEST_F(Lists, fold_is_its_last_application) {
    EXPECT_EQ(fault("fold", "Int", 2, {list_, three_, one_, one_, two_}), "");
}

TEST_F(Lists, fold_of_another_application_is_refused) {
    EXPECT_THAT(fault("fold", "Int", 1, {list_, three_, one_, one_, two_}),
                HasSubstr("its result is 2"));
}

TEST_F(Lists, fold_without_all_applications_is_refused) {
    EXPECT_THAT(fault("fold", "Int", 1, {list_, three_, one_, one_}),
                HasSubstr("not one application"));
}

TEST_F(Lists, count_and_sum) {
    EXPECT_EQ(fault("count", "Int", 3, {list_}), "");
}

TEST_F(Lists, sum_rounds_once) {
    EXPECT_EQ(fault("sumDec", "Dec(2)", "6.00", {two_, list_}), "");
}

TEST_F(Lists, sort_ascends) {
    EXPECT_EQ(fault("sort", "List(Int)", Json::array({1, 2, 3}), {list_}), "");
}

TEST_F(Lists, sort_that_descends_is_refused) {
    EXPECT_THAT(fault("sort", "List(Int)", Json::array({3, 2, 1}), {list_}),
                HasSubstr("result_hash"));
}

TEST_F(Lists, contains_looks_at_every_element) {
    EXPECT_EQ(fault("contains", "Bool", true, {list_, two_}), "");
}

// --- facts ---------------------------------------------------------------------------------------

constexpr const char* kShape = "Record(kwh: Dec(1), note: Opt(Text))";

class Facts : public ::testing::Test {
protected:
    const Json a_ = Json::object({{"kwh", 5}, {"undeclared", true}});
    const Json b_ = Json::object({{"kwh", "7.5"}, {"note", "n"}});
    const std::vector<Fact> facts_{
        {"Pack", "pack:b", &b_}, {"Other", "pack:c", &b_}, {"Pack", "pack:a", &a_}};
    const Json shaped_a_ = Json::object({{"kwh", "5.0"}, {"note", nullptr}});
    const Json shaped_b_ = Json::object({{"kwh", "7.5"}, {"note", "n"}});
    ProofMaker maker_;

    std::string get(const std::string& key, Json payload_hash, const std::string& shape,
                    const Json& result) {
        const auto fact = maker_.fact_get("Pack", key, std::move(payload_hash), maker_.text(key));
        const std::string type = std::string("Opt(") + shape + ")";
        return fault_of(maker_.finish(type, result, maker_.hashed("getFact", type, result, {fact})),
                        inputs(facts_));
    }
    std::string prefix(const std::vector<std::string>& keys, const Json& result) {
        Ids children{maker_.text("Pack"), maker_.text("pack:")};
        for (const std::string& key : keys) {
            const Json& payload = key == "pack:a" ? a_ : b_;
            children.push_back(
                maker_.fact_get("Pack", key, content_hash(payload), maker_.text(key)));
        }
        const std::string type = std::string("List(") + kShape + ")";
        return fault_of(
            maker_.finish(type, result, maker_.hashed("getFactsByPrefix", type, result, children)),
            inputs(facts_));
    }
};

TEST_F(Facts, a_fact_is_read_by_its_declared_type) {
    EXPECT_EQ(get("pack:a", content_hash(a_), kShape, shaped_a_), "");
}

TEST_F(Facts, an_absent_fact_is_none) {
    EXPECT_EQ(get("pack:x", nullptr, kShape, nullptr), "");
}

TEST_F(Facts, a_fact_that_is_there_cannot_be_called_absent) {
    EXPECT_THAT(get("pack:a", nullptr, kShape, nullptr), HasSubstr("node 1: its payload_hash"));
}

TEST_F(Facts, a_fact_that_is_absent_cannot_be_called_there) {
    EXPECT_THAT(get("pack:x", content_hash(a_), kShape, shaped_a_),
                HasSubstr("node 1: its payload_hash"));
}

TEST_F(Facts, the_hash_of_another_fact_is_refused) {
    EXPECT_THAT(get("pack:a", content_hash(b_), kShape, shaped_b_),
                HasSubstr("node 1: its payload_hash"));
}

TEST_F(Facts, a_fact_of_another_shape_is_refused) {
    EXPECT_THAT(
        get("pack:b", content_hash(b_), "Record(kwh: Dec(0))", Json::object({{"kwh", "8"}})),
        HasSubstr("declared shape"));
}

TEST_F(Facts, the_key_must_be_the_childs_value) {
    const auto fact = maker_.fact_get("Pack", "pack:a", content_hash(a_), maker_.text("pack:b"));
    const std::string type = std::string("Opt(") + kShape + ")";
    EXPECT_THAT(
        fault_of(maker_.finish(type, shaped_a_, maker_.hashed("getFact", type, shaped_a_, {fact})),
                 inputs(facts_)),
        HasSubstr("node 1: its child is not its key"));
}

TEST_F(Facts, a_prefix_selects_all_its_facts_in_order) {
    EXPECT_EQ(prefix({"pack:a", "pack:b"}, Json::array({shaped_a_, shaped_b_})), "");
}

TEST_F(Facts, a_prefix_that_passes_over_a_fact_is_refused) {
    EXPECT_THAT(prefix({"pack:b"}, Json::array({shaped_b_})), HasSubstr("one FACT_GET for each"));
}

TEST_F(Facts, a_prefix_in_another_order_is_refused) {
    EXPECT_THAT(prefix({"pack:b", "pack:a"}, Json::array({shaped_b_, shaped_a_})),
                HasSubstr("in order"));
}

TEST_F(Facts, a_fact_node_is_no_value) {
    const auto fact = maker_.fact_get("Pack", "pack:a", content_hash(a_), maker_.text("pack:a"));
    const auto sum = maker_.op("isSome", "Bool", true, {fact});
    EXPECT_THAT(fault_of(maker_.finish("Bool", true, sum), inputs(facts_)),
                HasSubstr("is not a value"));
}

TEST_F(Facts, two_facts_of_one_key_are_refused) {
    const std::vector<Fact> twice{{"Pack", "pack:a", &a_}, {"Pack", "pack:a", &b_}};
    const auto one = maker_.constant("Int", 1);
    EXPECT_THAT(fault_of(maker_.finish("Int", 1, one), inputs(twice)), HasSubstr("two facts"));
}

TEST_F(Facts, members_are_taken_by_name) {
    const auto fact = maker_.fact_get("Pack", "pack:b", content_hash(b_), maker_.text("pack:b"));
    const std::string type = std::string("Opt(") + kShape + ")";
    const auto option = maker_.hashed("getFact", type, shaped_b_, {fact});
    const auto text = maker_.text("m");
    const auto record = maker_.hashed("requireSome", kShape, shaped_b_, {option, text, text});
    const auto name = maker_.text("kwh");
    const auto kwh = maker_.op("get", "Dec(1)", "7.5", {record, name});
    const auto note = maker_.op("recordGet", "Opt(Text)", "n", {record, maker_.text("note")});
    const auto through = maker_.op("recordGet", "Opt(Dec(1))", "7.5", {option, name});
    const auto a = maker_.field("a", "Dec(1)", {kwh});
    const auto b = maker_.field("b", "Opt(Text)", {note});
    const auto c = maker_.field("c", "Opt(Dec(1))", {through});
    maker_.hashed("root", "Record(a: Dec(1), b: Opt(Text), c: Opt(Dec(1)))",
                  Json::object({{"a", "7.5"}, {"b", "n"}, {"c", "7.5"}}), {a, b, c});
    EXPECT_EQ(fault_of(maker_.document(), inputs(facts_)), "");
}

// --- hostile proofs ------------------------------------------------------------------------------

// Every result is right, so that only the budget stands between the checker and bytes without end.
// It doubles up to 13 MB, and grows letter by letter then: each join costs its whole size, and the
// test needs no gigabyte.
TEST(HostileProofs, a_text_that_grows_for_ever_is_refused_by_its_size) {
    ProofMaker maker;
    std::string text(200, 'x');
    auto node = maker.text(text);
    const auto letter = maker.text("y");
    for (int i = 0; i < 60; ++i) {
        const bool doubles = i < 16;
        text += doubles ? text : "y";
        const auto other = doubles ? node : letter;
        node = text.size() <= 256 ? maker.op("+", "Text", text, {node, other})
                                  : maker.hashed("+", "Text", text, {node, other});
    }
    EXPECT_THAT(fault_of(maker.finish("Text", text, node)),
                HasSubstr("larger than any evaluation can have made"));
}

// Sharing makes it small in memory and 2^60 large when it is written: it must not be written.
TEST(HostileProofs, a_list_that_doubles_sixty_times_is_refused_at_once) {
    ProofMaker maker;
    auto node = maker.constant("Int", 1);
    std::string type = "Int";
    Json value = 1;
    for (int i = 0; i < 60; ++i) {
        type = "List(" + type + ")";
        if (i < 10) value = Json::array({value, value});
        node = maker.hashed("list", type, value, {node, node});
    }
    EXPECT_NE(fault_of(maker.finish(type, value, node)), "");
}

TEST(HostileProofs, types_nested_too_deep_are_refused) {
    std::string type = "Int";
    for (int i = 0; i < 100'000; ++i) type = "List(" + type;
    ProofMaker maker;
    const auto node = maker.hashed("list", type, Json::array(), {});
    EXPECT_THAT(fault_of(maker.finish("Int", 1, node)), HasSubstr("not written as types are"));
}

}  // namespace
}  // namespace jobforge::verify
