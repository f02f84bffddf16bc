// The form of a proof: every rule of docs/formats.md about members, ids, order and hashes, broken
// once in an otherwise well-formed proof.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proof_maker.h"

namespace jobforge::verify {
namespace {

using ::testing::HasSubstr;

// x = 1 + 2, with an assertion and an emission.
ProofMaker sample() {
    ProofMaker maker;
    const auto one = maker.constant("Int", 1);
    const auto two = maker.constant("Int", 2);
    const auto sum = maker.op("+", "Int", 3, {one, two});
    const auto holds = maker.op(">", "Bool", true, {sum, two});
    const auto code = maker.text("PASS");
    const auto message = maker.text("three is more than two");
    const auto asserted = maker.node(
        "ASSERT", Json::object({{"code", "PASS"}, {"condition", true}}), {holds, code, message});
    const auto emitted = maker.node(
        "COMPLIANCE_EMIT",
        Json::object({{"evidence", "three is more than two"}, {"id", "PASS"}, {"status", "PASS"}}),
        {code, code, message});
    const auto field = maker.field("x", "Int", {sum, asserted, emitted, emitted});
    maker.hashed("root", "Record(x: Int)", Json::object({{"x", 3}}), {field});
    return maker;
}
constexpr std::size_t kSum = 2;
constexpr std::size_t kAssert = 6;
constexpr std::size_t kEmit = 7;
constexpr std::size_t kField = 8;
constexpr std::size_t kRoot = 9;

std::string fault_with(std::size_t node, const std::string& member, Json value) {
    ProofMaker maker = sample();
    maker.nodes()[node].set(member, std::move(value));
    return fault_of(maker.document());
}

std::string fault_with_data(std::size_t node, const std::string& member, Json value) {
    ProofMaker maker = sample();
    Json data = *maker.nodes()[node].find("data");
    maker.nodes()[node].set("data", data.set(member, std::move(value)));
    return fault_of(maker.document());
}

std::string fault_with_top(const std::string& member, Json value) {
    Json proof = sample().document();
    return fault_of(proof.set(member, std::move(value)));
}

TEST(ProofStructure, a_right_proof_gives_its_fields_and_compliance) {
    const auto checked = check_proof(sample().document(), inputs());
    ASSERT_TRUE(checked.ok()) << checked.error().message;
    EXPECT_EQ(checked->fields.dump(), R"({"x":3})");
    EXPECT_EQ(checked->compliance.as_array()->size(), 2U) << "repeats are kept";
    EXPECT_EQ(checked->root_hash.size(), 64U);
}

TEST(ProofStructure, the_document_has_exactly_its_members) {
    EXPECT_THAT(fault_with_top("more", 1), HasSubstr("exactly the members"));
    EXPECT_THAT(fault_with_top("proof_version", "BPC-PROOF-2"), HasSubstr("proof_version"));
    EXPECT_THAT(fault_with_top("nodes", Json::array()), HasSubstr("empty"));
    EXPECT_THAT(fault_with_top("nodes", 7), HasSubstr("not a list"));
    EXPECT_THAT(fault_of(Json::array()), HasSubstr("exactly the members"));
}

TEST(ProofStructure, a_node_has_exactly_its_members) {
    EXPECT_THAT(fault_with(kSum, "more", 1), HasSubstr("node 2: not an object"));
    EXPECT_THAT(fault_with_data(kSum, "more", 1), HasSubstr("node 2: not an object"));
    EXPECT_THAT(fault_with_data(kSum, "op", 1), HasSubstr("node 2: op, type"));
    EXPECT_THAT(fault_with_data(kEmit, "id", 1), HasSubstr("node 7: a member of data"));
    EXPECT_THAT(fault_with(kSum, "type", "SUM"), HasSubstr("node 2: there is no such type"));
    EXPECT_THAT(fault_with_data(kAssert, "message", "m"), HasSubstr("node 6: not an object"));
}

TEST(ProofStructure, ids_are_places_and_children_come_first) {
    EXPECT_THAT(fault_with(kSum, "id", 3), HasSubstr("node 2: its id is not its place"));
    for (const int child : {2, 3, -1, 99}) {
        EXPECT_THAT(fault_with(kSum, "children", Json::array({0, child})),
                    HasSubstr("node 2: its children are not earlier nodes"));
    }
    EXPECT_THAT(fault_with(kSum, "children", "0"), HasSubstr("node 2: its children"));
}

TEST(ProofStructure, every_hash_is_that_of_the_content) {
    ProofMaker maker = sample();
    Json proof = maker.document();
    Json::Array nodes = *proof.find("nodes")->as_array();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        Json::Array changed = nodes;
        std::string hash = *changed[i].find("hash")->as_string();
        hash[63] = hash[63] == '0' ? '1' : '0';
        changed[i].set("hash", hash);
        Json copy = proof;
        EXPECT_THAT(fault_of(copy.set("nodes", changed)),
                    HasSubstr("node " + std::to_string(i) + ": its hash"));
    }
    EXPECT_THAT(fault_with_top("root_hash", std::string(64, '0')), HasSubstr("root_hash"));
}

TEST(ProofStructure, nothing_is_written_twice) {
    ProofMaker maker;
    const auto one = maker.constant("Int", 1);
    const auto again = maker.constant("Int", 1);
    const auto sum = maker.op("+", "Int", 2, {one, again});
    EXPECT_THAT(fault_of(maker.finish("Int", 2, sum)),
                HasSubstr("node 1: it is the same as node 0"));
}

TEST(ProofStructure, nothing_lies_beside_the_derivation) {
    ProofMaker maker;
    maker.constant("Int", 7);
    const auto one = maker.constant("Int", 1);
    EXPECT_THAT(fault_of(maker.finish("Int", 1, one)), HasSubstr("node 0: nothing leads to it"));
}

TEST(ProofStructure, the_root_is_last_and_alone_and_has_all_fields_in_order) {
    ProofMaker early;
    const auto root = early.hashed("root", "Record()", Json::object(), {});
    const auto field = early.field("x", "Record()", {root});
    early.hashed("root", "Record(x: Record())", Json::object({{"x", Json::object()}}), {field});
    EXPECT_THAT(fault_of(early.document()), HasSubstr("node 0: OP root is the last"));

    ProofMaker none;
    none.constant("Int", 1);
    EXPECT_THAT(fault_of(none.document()), HasSubstr("OP root is the last"));

    ProofMaker swapped;
    const auto one = swapped.constant("Int", 1);
    const auto a = swapped.field("a", "Int", {one});
    const auto b = swapped.field("b", "Int", {one});
    const Json fields = Json::object({{"a", 1}, {"b", 1}});
    swapped.hashed("root", "Record(a: Int, b: Int)", fields, {b, a});
    EXPECT_THAT(fault_of(swapped.document()), HasSubstr("not all FIELD nodes in order"));
    EXPECT_THAT(fault_with(kRoot, "children", Json::array({8, 8})),
                HasSubstr("not all FIELD nodes in order"));
}

TEST(ProofStructure, field_index_says_where_the_fields_are) {
    EXPECT_THAT(fault_with_top("field_index", Json::object()), HasSubstr("field_index"));
    EXPECT_THAT(fault_with_top("field_index", Json::object({{"x", 7}})), HasSubstr("\"x\""));
    EXPECT_THAT(fault_with_top("field_index", Json::object({{"y", 8}})), HasSubstr("\"y\""));
    EXPECT_THAT(fault_with_top("field_index", Json::object({{"x", "8"}})), HasSubstr("\"x\""));
    EXPECT_THAT(fault_with_top("field_index", Json::array()), HasSubstr("field_index"));
}

TEST(ProofStructure, two_fields_of_one_path_are_refused) {
    ProofMaker maker;
    const auto one = maker.constant("Int", 1);
    const auto two = maker.constant("Int", 2);
    const auto a = maker.field("x", "Int", {one});
    const auto b = maker.field("x", "Int", {two});
    maker.hashed("root", "Record(x: Int)", Json::object({{"x", 1}}), {a, b});
    EXPECT_THAT(fault_of(maker.document()), HasSubstr("node 3: a second FIELD"));
}

TEST(ProofStructure, an_assertion_is_true_and_says_its_code) {
    EXPECT_THAT(fault_with_data(kAssert, "condition", false), HasSubstr("node 6: its condition"));
    EXPECT_THAT(fault_with_data(kAssert, "code", "E2"), HasSubstr("node 6: its code is another"));
    EXPECT_THAT(fault_with(kAssert, "children", Json::array({3, 4})),
                HasSubstr("node 6: it has not"));
    EXPECT_THAT(fault_with(kAssert, "children", Json::array({3, 4, 2})),
                HasSubstr("node 6: its code and its message are literals"));
    ProofMaker maker = sample();
    Json data = *maker.nodes()[3].find("data");
    maker.nodes()[3].set("data", data.set("op", "<").set("result", false));
    EXPECT_THAT(fault_of(maker.document()), HasSubstr("node 6: what it asserts is not true"));
}

TEST(ProofStructure, an_emission_says_what_its_arguments_are) {
    EXPECT_THAT(fault_with_data(kEmit, "status", "WARN"),
                HasSubstr("node 7: its status is another"));
    EXPECT_THAT(fault_with_data(kEmit, "id", "E2"), HasSubstr("node 7: its id is another"));
    EXPECT_THAT(fault_with_data(kEmit, "evidence", ""),
                HasSubstr("node 7: its evidence is another"));
    EXPECT_THAT(fault_with(kEmit, "children", Json::array({4, 4})),
                HasSubstr("node 7: it has not"));
}

TEST(ProofStructure, an_emission_has_one_of_the_statuses) {
    const auto proof_with = [](const std::string& status) {
        ProofMaker maker;
        const auto text = maker.text("X");
        const auto state = maker.text(status);
        const auto emitted = maker.node(
            "COMPLIANCE_EMIT", Json::object({{"evidence", "X"}, {"id", "X"}, {"status", status}}),
            {text, state, text});
        const auto field = maker.field("x", "Bool", {emitted, emitted});
        maker.hashed("root", "Record(x: Bool)", Json::object({{"x", status != "FAIL"}}), {field});
        return maker.document();
    };
    for (const char* status : {"PASS", "FAIL", "WARN", "PENDING", "NOT_APPLICABLE"}) {
        EXPECT_EQ(fault_of(proof_with(status)), "");
    }
    for (const char* status : {"INFO", "pass", "", "PASSED"}) {
        EXPECT_THAT(fault_of(proof_with(status)), HasSubstr("node 2: its status is not one of"));
    }
}

TEST(ProofStructure, an_emission_that_no_field_lists_is_refused) {
    ProofMaker maker;
    const auto text = maker.text("PASS");
    const auto emitted = maker.node(
        "COMPLIANCE_EMIT", Json::object({{"evidence", "PASS"}, {"id", "PASS"}, {"status", "PASS"}}),
        {text, text, text});
    EXPECT_THAT(fault_of(maker.finish("Bool", true, emitted)), HasSubstr("node 1: no FIELD lists"));
}

TEST(ProofStructure, a_field_has_its_values_type_and_only_records_behind_it) {
    EXPECT_THAT(fault_with_data(kField, "type", "Text"), HasSubstr("node 8: its type"));
    EXPECT_THAT(fault_with_data(kField, "type", "Integer"),
                HasSubstr("node 8: its type is not written"));
    EXPECT_THAT(fault_with(kField, "children", Json::array({2, 6, 7, 0})),
                HasSubstr("node 8: a child behind its value"));
    EXPECT_THAT(fault_with(kField, "children", Json::array({6, 2, 7})),
                HasSubstr("node 8: its type"));
}

TEST(ProofStructure, the_root_has_the_type_and_the_hash_of_the_fields) {
    EXPECT_THAT(fault_with_data(kRoot, "type", "Record(1x: Int)"),
                HasSubstr("its type is not written as types are"));
    EXPECT_THAT(fault_with_data(kRoot, "type", "Record(x: Text)"),
                HasSubstr("node 9: root: its type"));
    EXPECT_THAT(fault_with_data(kRoot, "type", "Record(x: Int, y: Int)"),
                HasSubstr("node 9: root: its type"));
    EXPECT_THAT(fault_with_data(kRoot, "result_hash", std::string(64, 'a')),
                HasSubstr("node 9: root: its result_hash"));
}

TEST(ProofStructure, fields_nest_by_their_dots_and_no_path_begins_another) {
    ProofMaker maker;
    const auto one = maker.constant("Int", 1);
    const auto a = maker.field("a.b", "Int", {one});
    const auto b = maker.field("a.c.d", "Int", {one});
    const Json nested =
        Json::object({{"a", Json::object({{"b", 1}, {"c", Json::object({{"d", 1}})}})}});
    maker.hashed("root", "Record(a: Record(b: Int, c: Record(d: Int)))", nested, {a, b});
    EXPECT_EQ(fault_of(maker.document()), "");

    for (const std::string path : {"a.b.c", "a", "a..b", "", "a.b."}) {
        ProofMaker other;
        const auto value = other.constant("Int", 1);
        const auto first = other.field("a.b", "Int", {value});
        const auto second = other.field(path, "Int", {value});
        other.hashed("root", "Record(a: Record(b: Int))", nested, {first, second});
        EXPECT_THAT(fault_of(other.document()), HasSubstr("is not free")) << path;
    }
}

}  // namespace
}  // namespace jobforge::verify
