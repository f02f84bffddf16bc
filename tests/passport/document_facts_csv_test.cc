#include <gtest/gtest.h>

#include "base/json/canonical.h"
#include "passport/documents/document_facts.h"

namespace jobforge::passport {
namespace {

using Facts = std::vector<DocumentFact>;

Result<Facts> read_csv(std::string_view bytes, std::string_view kind = "BOM") {
    return facts_of_document(kind, "text/csv", bytes);
}

std::string payload(const DocumentFact& fact) {
    return canonical(fact.payload).value();
}

struct Rejection {
    std::string bytes;
    std::size_t line;
    std::size_t column;
    std::string words;
    std::string_view kind = "BOM";
};

void expect_rejected(const Rejection& rejection) {
    const auto facts = read_csv(rejection.bytes, rejection.kind);
    ASSERT_FALSE(facts.ok()) << rejection.bytes.substr(0, 200);
    EXPECT_EQ(facts.error().code, ErrorCode::DOCUMENT_REJECTED);
    EXPECT_EQ(facts.error().details, "{\"line\":" + std::to_string(rejection.line) +
                                         ",\"column\":" + std::to_string(rejection.column) + "}")
        << facts.error().message;
    EXPECT_NE(facts.error().message.find(rejection.words), std::string::npos)
        << facts.error().message;
}

TEST(DocumentFactsCsv, each_row_is_a_fact_and_dots_nest) {
    const auto facts = read_csv(
                           "sku,mass.value,mass.unit,name\r\n"
                           "CELL-1,75.50,g,\"Cell, \"\"NMC\"\"\r\nblue\"\r\n"
                           "CELL-2,,,\r\n")
                           .value();
    ASSERT_EQ(facts.size(), 2U);
    EXPECT_EQ(facts[0].fact_type, "Battery");
    EXPECT_EQ(facts[0].fact_key, "battery:CELL-1");
    EXPECT_EQ(facts[0].place, "line 2");
    EXPECT_EQ(payload(facts[0]),
              R"({"mass":{"unit":"g","value":"75.50"},"name":"Cell, \"NMC\"\r\nblue",)"
              R"("sku":"CELL-1"})");
    // Empty cells are members that are absent, and so is an object of nothing else.
    EXPECT_EQ(payload(facts[1]), R"({"sku":"CELL-2"})");
    EXPECT_EQ(facts[1].place, "line 4");
}

TEST(DocumentFactsCsv, reads_the_example_of_the_formats_page) {
    const auto facts = read_csv(
                           "sku,mass.value,mass.unit,name\n"
                           "CELL-1,75.50,g,\"Cell, \"\"blue\"\"\"\n"
                           "CELL-2,,,=1+1\n")
                           .value();
    EXPECT_EQ(payload(facts[0]),
              R"({"mass":{"unit":"g","value":"75.50"},"name":"Cell, \"blue\"","sku":"CELL-1"})");
    EXPECT_EQ(payload(facts[1]), R"({"name":"=1+1","sku":"CELL-2"})");
    EXPECT_EQ(facts[1].place, "line 3");
}

TEST(DocumentFactsCsv, every_kind_has_its_key_column) {
    EXPECT_EQ(read_csv("sku\nA\n", "PCF").value()[0].fact_key, "pcf:A");
    EXPECT_EQ(read_csv("name,id\nx,S-1\n", "DUE_DILIGENCE").value()[0].fact_key, "dd:S-1");
    EXPECT_EQ(read_csv("sku,gtin\nA,0952\n", "BATTERY_DATA").value()[0].fact_key, "data:0952");
    EXPECT_EQ(read_csv("sku,gtin\nA,\n", "BATTERY_DATA").value()[0].fact_key, "data:A");
    EXPECT_EQ(read_csv("sku\nA\n", "BATTERY_DATA").value()[0].fact_type, "BatteryData");
}

TEST(DocumentFactsCsv, cells_stay_text_whatever_they_look_like) {
    const auto facts =
        read_csv("sku,a,b,c,d\n007,=cmd|'/C calc'!A0,+1e309,true,\"{\"\"x\"\":1}\"\n").value();
    EXPECT_EQ(facts[0].fact_key, "battery:007");
    EXPECT_EQ(payload(facts[0]),
              R"({"a":"=cmd|'/C calc'!A0","b":"+1e309","c":"true","d":"{\"x\":1}","sku":"007"})");
}

TEST(DocumentFactsCsv, a_byte_order_mark_is_fine_and_a_header_alone_is_an_empty_list) {
    EXPECT_EQ(read_csv("\xEF\xBB\xBFsku\r\nA\r\n").value()[0].fact_key, "battery:A");
    EXPECT_TRUE(read_csv("sku,name\n").value().empty());
}

TEST(DocumentFactsCsv, bad_headers_are_rejected_where_they_are_bad) {
    const Rejection rejections[] = {
        {"", 1, 1, "the document is empty"},
        {"name,mass\nA,1\n", 1, 1, "a column \"sku\" is missing"},
        {"sku.a\nA\n", 1, 1, "a column \"sku\" is missing"},
        {"name\nA\n", 1, 1, "a column \"gtin\" or \"sku\" is missing", "BATTERY_DATA"},
        {"sku,a,a\nA,1,2\n", 1, 7, "the column \"a\" is there twice"},
        {"sku,a.b,a.b\nA,1,2\n", 1, 9, "the column \"a.b\" is there twice"},
        {"sku,a,a.b\nA,1,2\n", 1, 7, "the column \"a\" is also part of another"},
        {"sku,a.b,a\nA,1,2\n", 1, 9, "the column \"a\" is also part of another"},
        {"sku,a.b.c,a.b\nA,1,2\n", 1, 11, "the column \"a.b\" is also part of another"},
        {"sku,,b\nA,1,2\n", 1, 5, "name is missing"},
        {"sku,a.\nA,1\n", 1, 5, "name is missing"},
        {"sku,.a\nA,1\n", 1, 5, "name is missing"},
        {"sku,a..b\nA,1\n", 1, 5, "name is missing"},
        {"sku, a\nA,1\n", 1, 5, "with a space"},
        {"sku,a \nA,1\n", 1, 5, "with a space"},
        {"sku,a.b.c.d.e.f.g.h.i\nA,1\n", 1, 5, "at most 8 parts"},
        {"sku;name\nA;B\n", 1, 1, "semicolons"},
    };
    for (const Rejection& rejection : rejections) {
        expect_rejected(rejection);
    }
    EXPECT_TRUE(read_csv("sku,a.b.c.d.e.f.g.h\nA,1\n").ok());
}

TEST(DocumentFactsCsv, bad_rows_are_rejected_where_they_are_bad) {
    const Rejection rejections[] = {
        {"sku,a\nA,1\n,2\n", 3, 1, "is empty"},
        {"a,sku\n1,\n", 2, 3, "is empty"},
        {"sku\n A\n", 2, 1, "a space"},
        {"sku\n\"A\nB\"\n", 2, 1, "control"},
        {"sku,a\nA,1\nB,2\nA,3\n", 4, 1,
         "battery:A is described twice in this document, first in "
         "line 2"},
        {"sku,a\nA\n", 2, 1, "has 1 cells"},
        {"sku,a\nA,1,2\n", 2, 5, "more cells"},
        {"sku,a\nA,\"1\n", 2, 3, "never closed"},
        {"sku\nA\nB\n", 3, 1, "about one battery", "BATTERY_DATA"},
        {"sku\n", 1, 1, "about one battery", "BATTERY_DATA"},
        {std::string("sku\nA\0\n", 7), 2, 2, "U+0000"},
        {"sku\n\xC4\n", 2, 1, "not UTF-8"},
        {std::string("s\0k\0u\0\n\0", 8), 1, 1, "UTF-16"},
        {R"({"components":[{"sku":"A"}]})", 1, 2, "must stand in quotes"},
    };
    for (const Rejection& rejection : rejections) {
        expect_rejected(rejection);
    }
}

TEST(DocumentFactsCsv, the_limits_hold_for_tables_too) {
    std::string rows = "sku\n";
    for (std::size_t i = 0; i < kMaximumDocumentFacts; ++i) {
        rows += std::to_string(i) + "\n";
    }
    EXPECT_EQ(read_csv(rows).value().size(), kMaximumDocumentFacts);
    expect_rejected({rows + "more\n", 100'002, 1, "at most 100000 entries"});
    const auto large =
        facts_of_document("BOM", "text/csv", "sku\n" + std::string(kMaximumDocumentBytes, 'x'));
    ASSERT_FALSE(large.ok());
    EXPECT_NE(large.error().message.find("64 MiB"), std::string::npos);
    // 1,000 columns of one character: few bytes, many values.
    std::string header = "sku";
    std::string cells;
    for (int i = 1; i < 1000; ++i) {
        header += ",c" + std::to_string(i);
        cells += ",1";
    }
    std::string table = header + "\n";
    for (int i = 0; i < 2000; ++i) {
        table += std::to_string(i) + cells + "\n";
    }
    // An object and 1,000 members a row: the 1,999th makes it too many.
    expect_rejected({table, 2000, 1, "more than 2000000 values"});
}

}  // namespace
}  // namespace jobforge::passport
