#include "rules/eval/proof_builder.h"

#include <gtest/gtest.h>
#include <jobforge/json.h>

#include "base/crypto/hash.h"

namespace jobforge::rules {
namespace {

using rules::Value;

const ProofType kInt{"Int", true, 0};
const ProofType kInts{"List(Int)", false, 0};

Proof one_field() {
    ProofBuilder builder;
    const auto one = builder.constant(kInt, Value(std::int64_t{1}));
    const std::array children{one, builder.constant(kInt, Value(std::int64_t{1}))};
    const Value two(std::int64_t{2});
    const std::array value{builder.operation("+", kInt, two, children)};
    builder.field("x", kInt, two, value);
    return std::move(builder).finish({"Record(x: Int)", false, 0}, Value::of_members({{"x", two}}));
}

TEST(ProofBuilder, writes_a_node_that_occurs_twice_once) {
    const Proof proof = one_field();
    ASSERT_EQ(proof.nodes.size(), 4U);  // 1, 1 + 1, field x, root
    EXPECT_EQ(proof.nodes[1].children, (std::vector<std::uint32_t>{0, 0}));
}

// By hand, from docs/formats.md.
TEST(ProofBuilder, a_hash_covers_children_data_id_and_type) {
    const Proof proof = one_field();
    const std::string constant = sha256_hex(
        R"({"children_hashes":[],"data":{"type":"Int","value":1},"id":0,"type":"CONST"})");
    EXPECT_EQ(proof.nodes[0].hash, constant);
    EXPECT_EQ(proof.nodes[1].hash,
              sha256_hex("{\"children_hashes\":[\"" + constant + "\",\"" + constant +
                         R"("],"data":{"op":"+","result":2,"type":"Int"},"id":1,"type":"OP"})"));
    EXPECT_EQ(proof.root_hash, proof.nodes.back().hash);
}

TEST(ProofBuilder, lists_and_long_texts_are_hashed_scalars_are_written) {
    ProofBuilder builder;
    const Value list(Value::List{Value(std::int64_t{1})});
    const std::array children{builder.constant(kInt, Value(std::int64_t{1}))};
    const std::array made{builder.operation("list", kInts, list, children)};
    const Value long_text(std::string(257, 'x'));
    const ProofType text{"Text", true, 0};
    const std::array parts{builder.constant(text, Value("x"))};
    const std::array joined{builder.operation("+", text, long_text, parts)};
    builder.field("a", kInts, list, made);
    builder.field("b", text, long_text, joined);
    const Proof proof = std::move(builder).finish({"Record()", false, 0}, Value::of_members({}));
    EXPECT_EQ(proof.nodes[1].data, "{\"op\":\"list\",\"result_hash\":\"" + sha256_hex("[1]") +
                                       R"x(","type":"List(Int)"})x");
    EXPECT_NE(proof.nodes[3].data.find("result_hash"), std::string::npos);
}

TEST(ProofBuilder, the_whole_is_canonical_json) {
    const std::string bytes = one_field().canonical();
    const auto json = Json::parse(bytes);
    ASSERT_TRUE(json.ok());
    EXPECT_EQ(json->dump(), bytes);
    EXPECT_EQ(json->find("field_index")->find("x")->as_int64(), 2);
}

}  // namespace
}  // namespace jobforge::rules
