#include "passport/documents/document_facts.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/json/canonical.h"
#include "test_paths.h"

namespace jobforge::passport {
namespace {

constexpr std::string_view kJson = "application/json";
using Facts = std::vector<DocumentFact>;

Result<Facts> read_json(std::string_view kind, std::string_view bytes) {
    return facts_of_document(kind, kJson, bytes);
}

struct Rejection {
    std::string_view kind;
    std::string bytes;
    std::string place;  // the details
    std::string words;  // in the message
};

void expect_rejected(const Rejection& rejection) {
    const auto facts = read_json(rejection.kind, rejection.bytes);
    ASSERT_FALSE(facts.ok()) << rejection.bytes.substr(0, 200);
    EXPECT_EQ(facts.error().code, ErrorCode::DOCUMENT_REJECTED);
    EXPECT_FALSE(facts.error().retryable);
    EXPECT_EQ(facts.error().details, rejection.place) << facts.error().message;
    EXPECT_NE(facts.error().message.find(rejection.words), std::string::npos)
        << facts.error().message;
}

std::string pointer(std::string_view to) {
    return R"({"pointer":")" + std::string(to) + R"("})";
}

std::string file(const std::string& path) {
    std::ifstream stream(std::string(JOBFORGE_SOURCE_DIR) + "/" + path, std::ios::binary);
    std::stringstream bytes;
    bytes << stream.rdbuf();
    return bytes.str();
}

TEST(DocumentFacts, a_bom_gives_a_battery_for_each_component) {
    const auto facts = read_json("BOM", R"({"bom_id": "B-7", "components": [
        {"sku": "CELL-1", "mass": {"value": 75.50, "unit": "g"}, "cells": 96},
        {"sku": "größe 2", "exact": 12345678901234567890, "tiny": 5e-3}]})");
    ASSERT_TRUE(facts.ok());
    ASSERT_EQ(facts->size(), 2U);
    EXPECT_EQ((*facts)[0].fact_type, "Battery");
    EXPECT_EQ((*facts)[0].fact_key, "battery:CELL-1");
    EXPECT_EQ((*facts)[0].place, "/components/0");
    EXPECT_EQ(canonical((*facts)[0].payload).value(),
              R"({"cells":96,"mass":{"unit":"g","value":"75.50"},"sku":"CELL-1"})");
    EXPECT_EQ((*facts)[1].fact_key, "battery:größe 2");
    EXPECT_EQ((*facts)[1].place, "/components/1");
    EXPECT_EQ(canonical((*facts)[1].payload).value(),
              R"({"exact":"12345678901234567890","sku":"größe 2","tiny":"0.005"})");
}

TEST(DocumentFacts, a_pcf_gives_a_footprint_for_each_product) {
    const auto facts =
        read_json("PCF", R"({"products":[{"sku":"SKU-1","total_gco2e":5952000}]})").value();
    ASSERT_EQ(facts.size(), 1U);
    EXPECT_EQ(facts[0].fact_type, "PCF");
    EXPECT_EQ(facts[0].fact_key, "pcf:SKU-1");
    EXPECT_EQ(facts[0].place, "/products/0");
    EXPECT_EQ(canonical(facts[0].payload).value(), R"({"sku":"SKU-1","total_gco2e":5952000})");
}

TEST(DocumentFacts, due_diligence_gives_a_fact_for_each_supplier) {
    const auto facts =
        read_json("DUE_DILIGENCE", R"({"suppliers":[{"id":"S-1"},{"id":"S-2"}]})").value();
    ASSERT_EQ(facts.size(), 2U);
    EXPECT_EQ(facts[1].fact_type, "DueDiligence");
    EXPECT_EQ(facts[1].fact_key, "dd:S-2");
    EXPECT_EQ(facts[1].place, "/suppliers/1");
}

TEST(DocumentFacts, an_empty_list_says_nothing_and_is_no_fault) {
    EXPECT_TRUE(read_json("BOM", R"({"components":[]})").value().empty());
}

TEST(DocumentFacts, battery_data_is_one_fact_under_its_gtin_else_its_sku) {
    const auto key = [](std::string_view bytes) {
        const auto facts = read_json("BATTERY_DATA", bytes).value();
        EXPECT_EQ(facts.size(), 1U);
        EXPECT_EQ(facts[0].fact_type, "BatteryData");
        EXPECT_EQ(facts[0].place, "");
        return facts[0].fact_key;
    };
    EXPECT_EQ(key(R"({"gtin":"09521234010012","sku":"VD-75"})"), "data:09521234010012");
    EXPECT_EQ(key(R"({"sku":"VD-75"})"), "data:VD-75");
    EXPECT_EQ(key(R"({"gtin":null,"sku":"VD-75"})"), "data:VD-75");
}

TEST(DocumentFacts, the_example_documents_have_the_keys_that_the_battery_rules_look_up) {
    for (const std::string name : {"ev", "lmt", "industrial"}) {
        const auto facts =
            read_json("BATTERY_DATA", file("examples/battery-eu/documents/" + name + ".json"));
        ASSERT_TRUE(facts.ok()) << name << ": " << facts.error().message;
        const auto product = Json::parse(file("examples/battery-eu/products/" + name + ".json"));
        // field duty.document: Text = "data:" + product.sku;
        EXPECT_EQ((*facts)[0].fact_key, "data:" + *product->find("sku")->as_string());
        EXPECT_TRUE(canonical((*facts)[0].payload).ok());
    }
}

TEST(DocumentFacts, the_order_of_members_leaves_no_trace_in_the_canonical_bytes) {
    const auto one = read_json("BOM", R"({"components":[{"sku":"A","x":1,"y":2.50}]})").value();
    const auto two =
        read_json("BOM", " {\n\"components\" : [ {\"y\":2.50, \"x\":1, \"sku\":\"A\"} ] } ")
            .value();
    EXPECT_EQ(canonical(one[0].payload).value(), canonical(two[0].payload).value());
}

TEST(DocumentFacts, other_kinds_are_unsupported) {
    for (const std::string_view kind : {"OTHER", "", "bom", "BOM "}) {
        const auto facts = read_json(kind, R"({"components":[]})");
        ASSERT_FALSE(facts.ok());
        EXPECT_EQ(facts.error().code, ErrorCode::UNSUPPORTED_DOCUMENT_KIND) << kind;
    }
}

TEST(DocumentFacts, other_media_types_are_rejected) {
    for (const std::string_view type : {"application/pdf", "", "text/csv; charset=utf-8"}) {
        const auto facts = facts_of_document("BOM", type, R"({"components":[]})");
        ASSERT_FALSE(facts.ok());
        EXPECT_EQ(facts.error().code, ErrorCode::DOCUMENT_REJECTED) << type;
    }
}

TEST(DocumentFacts, wrong_shapes_are_rejected_where_they_are_wrong) {
    const Rejection rejections[] = {
        {"BOM", "[]", pointer(""), "The document is a list; a BOM is an object."},
        {"BOM", "null", pointer(""), "is null"},
        {"BOM", "\"text\"", pointer(""), "is a text"},
        {"BOM", "{}", pointer(""), "has a list \"components\", and this document has none."},
        {"BOM", R"({"products":[]})", pointer(""), "as a PCF has"},
        {"PCF", R"({"components":[{"sku":"A"}]})", pointer(""), "as a BOM has"},
        {"BOM", R"({"components":{"sku":"A"}})", pointer("/components"),
         "is an object; it must be"},
        {"BOM", R"({"components":[{"sku":"A"},"B"]})", pointer("/components/1"), "Here is a text"},
        {"BOM", R"({"components":[[]]})", pointer("/components/0"), "Here is a list"},
        {"BOM", R"({"components":[true]})", pointer("/components/0"), "true or false"},
    };
    for (const Rejection& rejection : rejections) {
        expect_rejected(rejection);
    }
}

TEST(DocumentFacts, missing_empty_and_foreign_keys_are_rejected_where_they_are) {
    const std::string long_key(kMaximumKeyBytes + 1, 'k');
    const Rejection rejections[] = {
        {"BOM", R"({"components":[{"sku":"A"},{"name":"B"}]})", pointer("/components/1"),
         "needs a \"sku\", and here is none"},
        {"BOM", R"({"components":[{"sku":null}]})", pointer("/components/0"), "needs a \"sku\""},
        {"BOM", R"({"components":[{"sku":""}]})", pointer("/components/0/sku"), "is empty"},
        {"BOM", R"({"components":[{"sku":12}]})", pointer("/components/0/sku"), "is a number"},
        {"BOM", R"({"components":[{"sku":12.50}]})", pointer("/components/0/sku"), "is a number"},
        {"BOM", R"({"components":[{"sku":["A"]}]})", pointer("/components/0/sku"), "is a list"},
        {"BOM", R"({"components":[{"sku":" A"}]})", pointer("/components/0/sku"), "a space"},
        {"BOM", R"({"components":[{"sku":"A "}]})", pointer("/components/0/sku"), "a space"},
        {"BOM", R"({"components":[{"sku":"A\nB"}]})", pointer("/components/0/sku"), "control"},
        {"BOM", R"({"components":[{"sku":")" + long_key + R"("}]})", pointer("/components/0/sku"),
         "has 201 bytes; at most 200"},
        {"DUE_DILIGENCE", R"({"suppliers":[{"sku":"A"}]})", pointer("/suppliers/0"),
         "needs a \"id\""},
        {"BATTERY_DATA", R"({"model":"VD-75"})", pointer(""), "needs a \"gtin\" or a \"sku\""},
        {"BATTERY_DATA", R"({"gtin":9521234010012,"sku":"A"})", pointer("/gtin"), "is a number"},
        {"BATTERY_DATA", R"({"gtin":"","sku":"A"})", pointer("/gtin"), "is empty"},
    };
    for (const Rejection& rejection : rejections) {
        expect_rejected(rejection);
    }
    const std::string longest(kMaximumKeyBytes, 'k');
    EXPECT_TRUE(read_json("BOM", R"({"components":[{"sku":")" + longest + R"("}]})").ok());
}

TEST(DocumentFacts, a_bom_uploaded_as_battery_data_is_rejected) {
    expect_rejected({"BATTERY_DATA", R"({"sku":"A","components":[{"sku":"B"}]})", pointer(""),
                     "as a BOM has: was the right kind chosen?"});
    expect_rejected({"BATTERY_DATA", "[]", pointer(""), "a BATTERY_DATA is an object"});
}

TEST(DocumentFacts, a_key_that_comes_twice_is_rejected_naming_both_places) {
    expect_rejected({"BOM", R"({"components":[{"sku":"A"},{"sku":"B"},{"sku":"A","x":1}]})",
                     pointer("/components/2"),
                     "battery:A is described twice in this document, first at /components/0"});
}

TEST(DocumentFacts, hostile_texts_are_rejected_with_line_and_column) {
    using namespace std::string_literals;
    const Rejection rejections[] = {
        {"BOM", "", R"({"offset":0,"line":1,"column":1})", ""},
        {"BOM", "{\"components\":[\n{\"sku\":\"A\",}]}", R"({"offset":27,"line":2,"column":12})",
         ""},
        {"BOM", R"({"components":[{"sku":"A","sku":"B"}]})",
         R"({"offset":26,"line":1,"column":27})", "sku"},
        {"BOM", "\xEF\xBB\xBF{\"components\":[]}", R"({"offset":0,"line":1,"column":1})",
         "byte order mark"},
        {"BOM", "\xFF\xFE{\0}\0"s, R"({"offset":0,"line":1,"column":1})", "UTF-16"},
        {"BOM", "{\0}\0"s, R"({"offset":0,"line":1,"column":1})", "UTF-16"},
        {"BOM", "{\"components\":[{\"sku\":\"A\\u0000\"}]}",
         R"({"offset":24,"line":1,"column":25})", "U+0000"},
        {"BOM", "sku,name\nA,B\n", R"({"offset":0,"line":1,"column":1})", "not a JSON value"},
        {"BOM", "%PDF-1.7", R"({"offset":0,"line":1,"column":1})", "not a JSON value"},
    };
    for (const Rejection& rejection : rejections) {
        expect_rejected(rejection);
    }
}

TEST(DocumentFacts, deep_nesting_is_rejected) {
    const std::string deep = R"({"components":[{"sku":"A","x":)" + std::string(100'000, '[') +
                             std::string(100'000, ']') + "}]}";
    const auto facts = read_json("BOM", deep);
    ASSERT_FALSE(facts.ok());
    EXPECT_EQ(facts.error().code, ErrorCode::DOCUMENT_REJECTED);
    EXPECT_NE(facts.error().details.find("\"column\""), std::string::npos);
}

// The bundle puts three levels around a fact, and canonical JSON ends at 128.
TEST(DocumentFacts, a_fact_that_is_taken_can_be_exported_however_deep_it_is) {
    const auto document = [](int levels) {
        return R"({"components":[{"sku":"A","x":)" +
               std::string(static_cast<std::size_t>(levels - 1), '[') +
               std::string(static_cast<std::size_t>(levels - 1), ']') + "}]}";
    };
    const auto facts = read_json("BOM", document(kMaximumFactDepth));
    ASSERT_TRUE(facts.ok());
    EXPECT_TRUE(
        canonical(Json::object(
                      {{"facts", Json::array({Json::object({{"payload", (*facts)[0].payload}})})}}))
            .ok());
    std::string place = "/components/0/x";
    for (int level = 2; level < kMaximumFactDepth + 1; ++level) place += "/0";
    expect_rejected({"BOM", document(kMaximumFactDepth + 1), pointer(place), "deeper than 125"});
}

TEST(DocumentFacts, numbers_that_became_text_are_remembered_with_their_place) {
    const auto facts =
        read_json("BOM", R"({"components":[{"sku":"A","b":7.5,"a":[7,1e2,"7.5"]},{"sku":"B"}]})");
    ASSERT_TRUE(facts.ok());
    EXPECT_EQ((*facts)[0].numbers, (std::vector<std::string>{"/a/1", "/b"}));
    EXPECT_TRUE((*facts)[1].numbers.empty());
    const auto whole = read_json("BATTERY_DATA", R"({"gtin":"1","x":{"/":0.5}})");
    ASSERT_TRUE(whole.ok());
    EXPECT_EQ((*whole)[0].numbers, std::vector<std::string>{"/x/~1"});
}

TEST(DocumentFacts, numbers_of_309_digits_are_rejected_wherever_they_stand) {
    const std::string number = "1" + std::string(308, '0');
    expect_rejected({"BOM", R"({"components":[{"sku":"A","x":[0,)" + number + "]}]}",
                     pointer("/components/0/x/1"), "38 digits"});
    expect_rejected({"BOM", R"({"components":[{"sku":"A"}],"total":)" + number + "}",
                     pointer("/total"), "38 digits"});
    expect_rejected({"BATTERY_DATA", R"({"gtin":"1","x":1e309})", pointer("/x"), "38 digits"});
}

TEST(DocumentFacts, documents_beyond_the_limits_are_rejected_before_they_cost_memory) {
    expect_rejected({"BOM", std::string(kMaximumDocumentBytes + 1, ' '), pointer(""), "64 MiB"});
    const auto with_values = [](std::size_t count) {
        std::string values = R"({"components":[],"x":[0)";
        for (std::size_t i = 5; i < count; ++i) {
            values += ",0";
        }
        return values + "]}";
    };
    EXPECT_TRUE(read_json("BOM", with_values(kMaximumDocumentValues)).ok());
    expect_rejected(
        {"BOM", with_values(kMaximumDocumentValues + 1), pointer(""), "more than 2000000 values"});
    // Commas and brackets inside texts are not values.
    const std::string text(kMaximumDocumentValues, ',');
    EXPECT_TRUE(read_json("BOM", R"({"components":[{"sku":"A","x":"\"[)" + text + R"("}]})").ok());
}

TEST(DocumentFacts, a_document_has_a_limited_number_of_facts) {
    std::string bytes = R"({"components":[{"sku":"0"})";
    for (std::size_t i = 1; i < kMaximumDocumentFacts; ++i) {
        bytes += R"(,{"sku":")" + std::to_string(i) + "\"}";
    }
    EXPECT_EQ(read_json("BOM", bytes + "]}").value().size(), kMaximumDocumentFacts);
    expect_rejected(
        {"BOM", bytes + R"(,{"sku":"more"}]})", pointer("/components"), "at most 100000 entries"});
}

}  // namespace
}  // namespace jobforge::passport
