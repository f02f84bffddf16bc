// Documents that mean harm, or come from broken tools: each is REJECTED with the reason and the
// place, its job FAILED, and nothing of it stored as a fact.
#include <fmt/format.h>

#include "handler_world.h"
#include "services/passport/documents.h"

namespace jobforge::services {
namespace {

using namespace std::string_literals;

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kCsv = "text/csv";

struct Hostile {
    std::string name;
    std::string_view kind;
    std::string_view media_type;
    std::string content;
    std::string words;  // in the message
    std::string place;  // members of the rejection, as SQL writes them; empty: none
    std::string code = "DOCUMENT_REJECTED";
};

std::string utf16(std::string_view text, bool mark) {
    std::string out = mark ? "\xFF\xFE"s : ""s;
    for (const char c : text) {
        out += c;
        out += '\0';
    }
    return out;
}

std::string nested(std::size_t depth) {
    return R"({"components":[{"sku":"A","x":)" + std::string(depth, '[') + std::string(depth, ']') +
           "}]}";
}

std::string pointer(std::string_view to) {
    return fmt::format(R"({{"pointer": "{}"}})", to);
}

std::string at(int line, int column) {
    return fmt::format(R"({{"line": {}, "column": {}}})", line, column);
}

std::vector<Hostile> hostile_json() {
    const std::string digits(309, '9');
    return {
        {"other kind", "OTHER", kJson, "{}", "OTHER", "", "UNSUPPORTED_DOCUMENT_KIND"},
        {"a PCF as BOM", "BOM", kJson, R"({"products":[{"sku":"A"}]})", "as a PCF has",
         pointer("")},
        {"a BOM as battery data", "BATTERY_DATA", kJson, R"({"sku":"A","components":[]})",
         "as a BOM has", pointer("")},
        {"a list", "BOM", kJson, "[]", "is a list", pointer("")},
        {"an element of another kind", "BOM", kJson, R"({"components":[{"sku":"A"},7]})",
         "is a number", pointer("/components/1")},
        {"a number as key", "PCF", kJson, R"({"products":[{"sku":7}]})", "is a number",
         pointer("/products/0/sku")},
        {"the same key twice", "BOM", kJson, R"({"components":[{"sku":"A"},{"sku":"A"}]})",
         "described twice", pointer("/components/1")},
        {"empty", "BOM", kJson, " ", "", R"({"line": 1, "column": 2, "offset": 1})"},
        {"a PDF", "BOM", kJson, "%PDF-1.7\n\xE2\xE3\xCF\xD3", "not a JSON value",
         R"({"line": 1, "column": 1, "offset": 0})"},
        {"UTF-16 with a mark", "BOM", kJson, utf16(test::kBom, true), "UTF-16",
         R"({"line": 1, "column": 1, "offset": 0})"},
        {"UTF-16 without a mark", "BOM", kJson, utf16(test::kBom, false), "UTF-16",
         R"({"line": 1, "column": 1, "offset": 0})"},
        {"not UTF-8", "BOM", kJson, "{\"components\":[{\"sku\":\"\xC3\x28\"}]}", "UTF-8",
         R"({"line": 1, "column": 24, "offset": 23})"},
        {"deep nesting", "BOM", kJson, nested(1'000'000), "deep",
         R"({"line": 1, "column": @, "offset": @})"},
        {"309 digits", "BOM", kJson, R"({"components":[{"sku":"A","x":)" + digits + "}]}",
         "38 digits", pointer("/components/0/x")},
        {"1e309", "BATTERY_DATA", kJson, R"({"sku":"A","x":[0,1e309]})", "38 digits",
         pointer("/x/1")},
        {"a duplicate member", "BOM", kJson, R"({"components":[{"sku":"A","sku":"B"}]})", "sku",
         R"({"line": 1, "column": 27, "offset": 26})"},
        {"U+0000 escaped", "BOM", kJson, "{\"components\":[{\"sku\":\"A\\u0000\"}]}", "U+0000",
         R"({"line": 1, "column": 25, "offset": 24})"},
        {"U+0000 raw", "BOM", kJson, "{\"components\":[{\"sku\":\"A\0\"}]}"s, "",
         R"({"line": 1, "column": 25, "offset": 24})"},
        {"cut off", "BOM", kJson, R"({"components":[{"sku":"A")", "",
         R"({"line": 1, "column": 26, "offset": 25})"},
    };
}

std::vector<Hostile> hostile_csv() {
    return {
        {"an open quote", "BOM", kCsv, "sku,a\nA,\"1\n", "never closed", at(2, 3)},
        {"a quote inside", "BOM", kCsv, "sku,a\nA,1\"2\n", "quotes", at(2, 4)},
        {"text behind a quote", "BOM", kCsv, "sku,a\nA,\"1\"2\n", "", at(2, 6)},
        {"a newline in the key", "BOM", kCsv, "sku\n\"A\nB\"\n", "control", at(2, 1)},
        {"short row", "BOM", kCsv, "sku,a\nA\n", "has 1 cells", at(2, 1)},
        {"long row", "BOM", kCsv, "sku,a\nA,1,2\n", "more cells", at(2, 5)},
        {"semicolons", "BOM", kCsv, "sku;a\nA;1\n", "semicolons", at(1, 1)},
        {"no key column", "BOM", kCsv, "name\nA\n", "\"sku\" is missing", at(1, 1)},
        {"U+0000", "BOM", kCsv, "sku\nA\0\n"s, "U+0000", at(2, 2)},
        {"UTF-16", "BOM", kCsv, utf16("sku\nA\n", false), "UTF-16", at(1, 1)},
        {"JSON", "BOM", kCsv, R"({"components":[{"sku":"A"}]})", "quotes", at(1, 2)},
        {"the same key twice", "BOM", kCsv, "sku\nA\nA\n", "described twice", at(3, 1)},
    };
}

class HostileDocuments : public test::HandlerWorld {
protected:
    // Uploads all, waits for all, and looks at each.
    void expect_rejected(const std::vector<Hostile>& documents) {
        std::vector<std::string> ids;
        for (const Hostile& document : documents) {
            ids.push_back(upload(document.kind, document.content, document.media_type));
        }
        for (std::size_t i = 0; i < documents.size(); ++i) {
            SCOPED_TRACE(documents[i].name);
            expect_rejected(documents[i], ids[i]);
        }
        EXPECT_EQ(one("select count(*) from jobforge.facts"), "0");
        EXPECT_EQ(one("select count(*) from jobforge.fact_sources"), "0");
    }
    std::string rejection(const std::string& id, std::string_view expression) {
        return one(
            fmt::format("select {} from jobforge.document_versions where "
                        "document_version_id = '{}'",
                        expression, id));
    }

private:
    void expect_rejected(const Hostile& document, const std::string& id) {
        const std::string job = job_with_key("parse-" + id);
        EXPECT_EQ(end_of(job), "FAILED " + document.code);
        EXPECT_NE(message_of(job).find(document.words), std::string::npos) << message_of(job);
        EXPECT_EQ(rejection(id, "status"), "REJECTED");
        EXPECT_EQ(rejection(id, "rejection ->> 'code'"), document.code);
        EXPECT_EQ(rejection(id, "rejection ->> 'message'"), message_of(job));
        const std::string place = rejection(id, "rejection - 'code' - 'message'");
        if (document.place.find('@') == std::string::npos) {
            EXPECT_EQ(place, document.place.empty() ? "{}" : document.place);
        } else {
            EXPECT_NE(place.find("\"offset\""), std::string::npos) << place;
        }
        EXPECT_EQ(events_of(id), "DOCUMENT_UPLOADED DOCUMENT_REJECTED");
        EXPECT_EQ(
            one(fmt::format("select attempts from jobforge.all_jobs where job_id = '{}'", job)),
            "1");
    }
};

TEST_F(HostileDocuments, json_is_rejected_with_reason_and_place) {
    expect_rejected(hostile_json());
}

TEST_F(HostileDocuments, csv_is_rejected_with_reason_and_place) {
    expect_rejected(hostile_csv());
}

TEST_F(HostileDocuments, formulas_quotes_and_newlines_in_csv_stay_text) {
    const std::string id =
        upload("BOM", "sku,a,b\n=1+1,\"=HYPERLINK(\"\"http://x\"\")\",\"two\r\nlines\"\n", kCsv);
    EXPECT_EQ(end_of(job_with_key("parse-" + id)), "SUCCEEDED");
    EXPECT_EQ(one("select convert_from(payload_canonical, 'UTF8') from jobforge.facts"),
              R"x({"a":"=HYPERLINK(\"http://x\")","b":"two\r\nlines","sku":"=1+1"})x");
}

TEST_F(HostileDocuments, over_64_mib_are_refused_at_the_upload_and_nothing_is_stored) {
    for (const std::size_t megabytes : {65U, 100U}) {
        const auto refused = upload_document(
            *calls_, {.kind = "BOM", .name = "big", .content = std::string(megabytes << 20, ' ')});
        ASSERT_FALSE(refused.ok());
        EXPECT_EQ(refused.error().code, ErrorCode::PAYLOAD_LIMIT) << refused.error().describe();
        EXPECT_FALSE(refused.error().retryable);
    }
    EXPECT_EQ(one("select count(*) from jobforge.documents"), "0");
    EXPECT_EQ(one("select count(*) from jobforge.events"), "0");
    EXPECT_EQ(one("select count(*) from jobforge.all_jobs"), "0");
}

TEST_F(HostileDocuments, the_largest_document_that_is_taken_is_read_and_rejected_in_time) {
    std::string large = R"({"components":[{"sku":"A","x":")";
    large += std::string((std::size_t{64} << 20) - large.size() - 5, 'x') + "\"}]}";
    large.back() = ' ';  // never closed
    const std::string id = upload("BOM", large);
    EXPECT_EQ(end_of(job_with_key("parse-" + id)), "FAILED DOCUMENT_REJECTED");
    EXPECT_EQ(rejection(id, "status"), "REJECTED");
    EXPECT_EQ(one("select count(*) from jobforge.facts"), "0");
}

}  // namespace
}  // namespace jobforge::services
