// PARSE_FACTS: documents become facts, and documents that cannot be read are REJECTED.
#include <array>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "handler_world.h"
#include "services/passport/documents.h"
#include "test_paths.h"

namespace jobforge::services {
namespace {

constexpr char kNobody[] = "00000000-0000-4000-8000-000000000000";

class ParseFacts : public test::HandlerWorld {
protected:
    std::string payload(const std::string& id) {
        return fmt::format(R"({{"document_version_id":"{}"}})", id);
    }
    std::string parsed(const std::string& document) {
        return end_of(job_with_key("parse-" + document));
    }
    std::string status(const std::string& document) {
        return one(
            fmt::format("select status from jobforge.document_versions where "
                        "document_version_id = '{}'",
                        document));
    }
    // "type key canonical" of each fact of the document, in its order.
    std::string facts(const std::string& document) {
        return one(
            fmt::format("select string_agg(format('%s %s %s', f.fact_type, f.fact_key, "
                        "convert_from(f.payload_canonical, 'UTF8')), E'\\n' order by s.place) from "
                        "jobforge.fact_sources s join jobforge.facts f using (tenant_id, fact_id) "
                        "where s.document_version_id = '{}'",
                        document));
    }
};

TEST_F(ParseFacts, a_bom_becomes_a_fact_a_component_with_canonical_bytes) {
    const std::string id = upload("BOM", R"({"components":[
        {"sku":"SKU-1","mass":{"value":75.50,"unit":"g"}}, {"sku":"SKU-2","cells":96}]})");
    EXPECT_EQ(jobs_with_key("parse-" + id),
              fmt::format(R"(PARSE_FACTS 2 5 {{"document_version_id": "{}"}})", id));
    EXPECT_EQ(parsed(id), "SUCCEEDED");
    EXPECT_EQ(facts(id),
              "Battery battery:SKU-1 {\"mass\":{\"unit\":\"g\",\"value\":\"75.50\"},\"sku\":"
              "\"SKU-1\"}\n"
              "Battery battery:SKU-2 {\"cells\":96,\"sku\":\"SKU-2\"}");
}

TEST_F(ParseFacts, a_pcf_becomes_a_fact_a_product_and_due_diligence_a_fact_a_supplier) {
    const std::string pcf =
        upload("PCF", R"({"products":[{"sku":"SKU-1","total_gco2e":5952000}]})");
    const std::string care =
        upload("DUE_DILIGENCE", "id,name\nS-1,\"Mine, \"\"deep\"\"\"\n", "text/csv");
    const std::string data = upload("BATTERY_DATA", R"({"sku":"VD-75","gtin":"09521234010012"})");
    EXPECT_EQ(parsed(pcf), "SUCCEEDED");
    EXPECT_EQ(parsed(care), "SUCCEEDED");
    EXPECT_EQ(parsed(data), "SUCCEEDED");
    EXPECT_EQ(facts(pcf), R"(PCF pcf:SKU-1 {"sku":"SKU-1","total_gco2e":5952000})");
    EXPECT_EQ(facts(care), R"(DueDiligence dd:S-1 {"id":"S-1","name":"Mine, \"deep\""})");
    EXPECT_EQ(facts(data),
              R"(BatteryData data:09521234010012 {"gtin":"09521234010012","sku":"VD-75"})");
}

TEST_F(ParseFacts, a_batterypass_in_each_encoding_with_a_mark_becomes_the_same_fact) {
    std::ifstream file(JOBFORGE_SOURCE_DIR "/examples/battery-eu/documents/ev.batterypass.json");
    const std::string utf8{std::istreambuf_iterator<char>(file), {}};
    std::string little = "\xFF\xFE";
    std::string big = "\xFE\xFF";
    for (std::size_t at = 0; at < utf8.size(); ++at) {
        unsigned unit = static_cast<unsigned char>(utf8[at]);
        if (unit >= 0x80) {  // the example has letters of two bytes, and no others beyond ASCII
            ASSERT_EQ(unit & 0xE0, 0xC0U);
            unit = ((unit & 0x1F) << 6) | (static_cast<unsigned char>(utf8[++at]) & 0x3F);
        }
        const std::array<char, 2> bytes{static_cast<char>(unit & 0xFF),
                                        static_cast<char>(unit >> 8)};
        little += {bytes[0], bytes[1]};
        big += {bytes[1], bytes[0]};
    }
    ASSERT_NE(utf8.find("Skellefte\xC3\xA5"), std::string::npos);
    std::string first;
    for (const std::string& content : {utf8, "\xEF\xBB\xBF" + utf8, little, big}) {
        const std::string id = upload("BATTERY_DATA", content);
        EXPECT_EQ(parsed(id), "SUCCEEDED");
        EXPECT_EQ(status(id), "VALIDATED");
        EXPECT_THAT(facts(id), ::testing::StartsWith("BatteryData data:09524000001016 {"));
        EXPECT_THAT(facts(id), ::testing::HasSubstr("Skellefte\xC3\xA5"));
        first = first.empty() ? facts(id) : first;
        EXPECT_EQ(facts(id), first);
    }
    EXPECT_EQ(one("select count(*) from jobforge.facts where fact_type = 'BatteryData'"), "1");
    // Without its mark it is refused, and a number of a sample with its place.
    const std::string unmarked = upload("BATTERY_DATA", little.substr(2));
    EXPECT_EQ(parsed(unmarked), "FAILED DOCUMENT_REJECTED");
    EXPECT_EQ(status(unmarked), "REJECTED");
}

TEST_F(ParseFacts, the_hash_of_a_fact_is_the_sha_256_of_its_canonical_bytes) {
    const std::string id = document();
    EXPECT_EQ(one("select count(*) from jobforge.facts where payload_hash = "
                  "sha256(payload_canonical) and convert_from(payload_canonical, 'UTF8')::jsonb = "
                  "payload"),
              "2");
    // printf '{"mass_g":7500,"sku":"SKU-1"}' | sha256sum
    EXPECT_EQ(one("select encode(payload_hash, 'hex') from jobforge.facts where fact_key = "
                  "'battery:SKU-1'"),
              "15d6c533c6d1ed9115f09956c3681a0be447fe1376ce84c4941b3715cdde56c9");
}

TEST_F(ParseFacts, the_same_facts_in_another_order_and_spelling_are_the_same_bytes) {
    const std::string first = document();
    const std::string second = document(
        "\n{ \"components\": [ {\"mass_g\": 1, \"sku\": \"SKU-2\"},"
        " {\"sku\": \"SKU\\u002d1\", \"mass_g\": 7500} ] }");
    EXPECT_EQ(one("select count(*) from jobforge.facts"), "2") << "stored once";
    EXPECT_EQ(one("select count(*) from jobforge.fact_sources"), "4") << "both documents said it";
    EXPECT_EQ(one(fmt::format("select string_agg(place, ' ' order by place) from "
                              "jobforge.fact_sources where document_version_id = '{}'",
                              second)),
              "/components/0 /components/1");
    EXPECT_EQ(events_of(second), "DOCUMENT_UPLOADED FACTS_PARSED");
}

TEST_F(ParseFacts, a_parsed_document_is_validated_with_one_event_that_counts_its_facts) {
    const std::string id = upload("BOM", test::kBom);
    EXPECT_EQ(status(id), "UPLOADED");
    EXPECT_EQ(parsed(id), "SUCCEEDED");
    EXPECT_EQ(status(id), "VALIDATED");
    EXPECT_EQ(events_of(id), "DOCUMENT_UPLOADED FACTS_PARSED");
    EXPECT_EQ(event_payload(id, "FACTS_PARSED"), R"({"fact_count":2})");
    // Again: success, and nothing new.
    const std::string before = stored();
    const std::string job = enqueue("PARSE_FACTS", payload(id));
    EXPECT_EQ(end_of(job), "SUCCEEDED");
    EXPECT_EQ(
        one(fmt::format(
            "select result ->> 'fact_count' from jobforge.finished_jobs where job_id = '{}'", job)),
        "2");
    EXPECT_EQ(stored(), before);
}

TEST_F(ParseFacts,
       a_document_that_cannot_be_read_is_rejected_with_one_event_however_often_it_runs) {
    const std::string id = upload("BOM", R"({"components":[{"sku":"A"},{"name":"B"}]})");
    EXPECT_EQ(parsed(id), "FAILED DOCUMENT_REJECTED");
    EXPECT_EQ(status(id), "REJECTED");
    EXPECT_EQ(events_of(id), "DOCUMENT_UPLOADED DOCUMENT_REJECTED");
    const std::string before = stored();
    EXPECT_EQ(ends("PARSE_FACTS", payload(id)), "FAILED DOCUMENT_REJECTED");
    EXPECT_EQ(stored(), before);
    EXPECT_EQ(one("select count(*) from jobforge.facts"), "0") << "not the good half either";
}

TEST_F(ParseFacts, the_same_bytes_again_are_the_same_version_and_one_job) {
    const NewDocument wanted{.kind = "BOM", .name = "b", .content = std::string(test::kBom)};
    const auto first = test::must(upload_document(*calls_, wanted));
    EXPECT_EQ(parsed(first.document_version_id.to_string()), "SUCCEEDED");
    NewDocument again = wanted;
    again.document_id = first.document_id;
    const auto second = test::must(upload_document(*calls_, again));
    EXPECT_TRUE(second.deduplicated);
    EXPECT_EQ(second.document_version_id, first.document_version_id);
    EXPECT_EQ(one("select count(*) from jobforge.all_jobs where type = 'PARSE_FACTS'"), "1");
    EXPECT_EQ(events_of(first.document_version_id.to_string()), "DOCUMENT_UPLOADED FACTS_PARSED");
}

TEST_F(ParseFacts, payloads_that_do_not_fit_and_unknown_ids_fail_at_once) {
    const std::string before = stored();
    for (const char* garbage :
         {"{}", R"({"document_version_id":null})", R"({"document_version_id":"x"})",
          R"({"document_version_id":1})", R"({"document_version_id":{}})"}) {
        EXPECT_EQ(ends("PARSE_FACTS", garbage), "FAILED JOB_PAYLOAD_INVALID") << garbage;
    }
    EXPECT_EQ(ends("PARSE_FACTS", payload(kNobody)), "FAILED NOT_FOUND");
    EXPECT_EQ(stored(), before);
}

TEST_F(ParseFacts, another_tenants_document_is_not_found) {
    hold("PARSE_FACTS");
    const std::string id = upload("BOM", test::kBom);
    const std::string other = one("select jobforge.create_tenant('other')");
    run(fmt::format("select set_config('app.tenant_id', '{}', false)", other));
    const std::string job = enqueue("PARSE_FACTS", payload(id));
    run(fmt::format("select set_config('app.tenant_id', '{}', false)", tenant_.to_string()));
    release("PARSE_FACTS");
    EXPECT_EQ(end_of(job), "FAILED NOT_FOUND");
    EXPECT_EQ(parsed(id), "SUCCEEDED");
    EXPECT_EQ(one(fmt::format("select count(*) from jobforge.facts where tenant_id = '{}'", other)),
              "0");
}

}  // namespace
}  // namespace jobforge::services
