// COMPILE_PASSPORT: sealed facts and published rules become a passport version, COMPILING.
#include <fmt/format.h>

#include "base/crypto/hash.h"
#include "handler_world.h"
#include "services/passport/passports.h"
#include "services/passport/rule_packages.h"
#include "services/passport/snapshots.h"

namespace jobforge::services {
namespace {

constexpr char kVersion[] = "0190b6a4-5c3e-7000-8000-000000000001";
constexpr char kOther[] = "0190b6a4-5c3e-7000-8000-000000000002";
constexpr char kNobody[] = "00000000-0000-4000-8000-000000000000";

class CompilePassport : public test::HandlerWorld {
protected:
    CompilePassport() { hold("SIGN_PASSPORT"); }
    std::string payload(const std::string& version = kVersion) {
        if (snapshot_.empty()) {
            snapshot_ = sealed_snapshot();
            rules_ = published_rules();
            passport_ = passport();
        }
        return compile_payload(version, snapshot_, rules_, passport_);
    }
    // Expects the job to fail with this code and to leave nothing.
    void refused(const std::string& text, const std::string& code) {
        const std::string before = stored();
        EXPECT_EQ(ends("COMPILE_PASSPORT", text), "FAILED " + code) << text;
        EXPECT_EQ(stored(), before) << code;
        EXPECT_EQ(jobs_with_key(fmt::format("sign-{}", kVersion)), "");
    }
    std::string artifacts(const std::string& version) {
        return this->version(version,
                             "encode(payload_canonical || proof_canonical || receipt_canonical, "
                             "'hex')");
    }
    std::string snapshot_, rules_, passport_;
};

TEST_F(CompilePassport, sealed_facts_and_published_rules_become_a_version_that_waits_to_be_signed) {
    EXPECT_EQ(ends("COMPILE_PASSPORT", payload()), "SUCCEEDED");
    EXPECT_EQ(version(kVersion, "status || ' ' || version_number || ' ' || compiler_build_id"),
              "COMPILING 1 test-build");
    EXPECT_EQ(version(kVersion, "signature is null and signed_at is null and qr_png is null"),
              "true");
    // What is stored is canonical, and its hashes are those of the bytes.
    EXPECT_EQ(version(kVersion,
                      "convert_from(payload_canonical, 'UTF8')::jsonb #>> '{fields,battery,mass}'"),
              "7500");
    EXPECT_EQ(version(kVersion,
                      "payload_hash = sha256(payload_canonical) and receipt_hash = "
                      "sha256(receipt_canonical)"),
              "true");
    EXPECT_EQ(version(kVersion,
                      "convert_from(receipt_canonical, 'UTF8')::jsonb ->> "
                      "'payload_hash' = encode(payload_hash, 'hex')"),
              "true");
}

// The fact keeps 7.5 as a string; the document did not.
TEST_F(CompilePassport, a_number_of_the_document_is_no_text_until_a_document_quotes_it) {
    rules_ = published_rules(
        "fact Battery { sku: Text, mass_g: Int, note: Opt(Text) }\n"
        "field battery.mass: Int = let b = requireSome(getFact(\"Battery\", \"battery:\" + "
        "product.sku), \"E001\", \"no battery\"); b.mass_g;\n");
    snapshot_ = sealed_snapshot(R"({"components":[{"sku":"SKU-1","mass_g":7500,"note":7.5}]})");
    passport_ = passport();
    refused(payload(), "FACT_SHAPE");
    document(R"({"components":[{"sku":"SKU-1","mass_g":7500,"note":"7.5"}]})");
    EXPECT_EQ(ends("COMPILE_PASSPORT", payload(kOther)), "SUCCEEDED");
}

TEST_F(CompilePassport, enqueues_signing_once_and_logs_one_event) {
    const std::string job = payload();
    EXPECT_EQ(ends("COMPILE_PASSPORT", job), "SUCCEEDED");
    const std::string follow_up =
        fmt::format(R"(SIGN_PASSPORT 1 5 {{"passport_version_id": "{}"}})", kVersion);
    EXPECT_EQ(jobs_with_key(fmt::format("sign-{}", kVersion)), follow_up);
    EXPECT_EQ(events_of(kVersion), "PASSPORT_COMPILED");
    EXPECT_EQ(event_payload(kVersion, "PASSPORT_COMPILED"),
              fmt::format(R"({{"build_id":"test-build","rules_id":"{}","snapshot_id":"{}"}})",
                          rules_, snapshot_));
    // Run again: success, and nothing new.
    const std::string before = stored();
    EXPECT_EQ(ends("COMPILE_PASSPORT", job), "SUCCEEDED");
    EXPECT_EQ(stored(), before);
    EXPECT_EQ(jobs_with_key(fmt::format("sign-{}", kVersion)), follow_up);
}

TEST_F(CompilePassport, the_event_and_the_follow_up_name_who_started_it) {
    const std::string job = one(fmt::format(
        "select jobforge.enqueue_step(jobforge.current_tenant(), 'COMPILE_PASSPORT', '{}', null, "
        "null, null, null, 'key:officer')",
        payload()));
    EXPECT_EQ(end_of(job), "SUCCEEDED");
    EXPECT_EQ(one("select actor_id from jobforge.events where event_type = 'PASSPORT_COMPILED'"),
              "key:officer");
    EXPECT_EQ(one("select created_by from jobforge.jobs where type = 'SIGN_PASSPORT'"),
              "key:officer");
}

TEST_F(CompilePassport, the_same_facts_give_the_same_payload_and_proof) {
    EXPECT_EQ(ends("COMPILE_PASSPORT", payload()), "SUCCEEDED");
    const std::string payload_hash = version(kVersion, "encode(payload_hash, 'hex')");
    const std::string proof_root = version(kVersion, "encode(proof_root_hash, 'hex')");
    // A different order and spelling of the same facts.
    const std::string shuffled = sealed_snapshot(
        " {\"components\" : [ {\"sku\":\"SKU-2\",\"mass_g\":1}, {\"mass_g\":7500, "
        "\"sku\":\"SKU-1\"} ] } ");
    EXPECT_EQ(ends("COMPILE_PASSPORT", compile_payload(kOther, shuffled, rules_, passport_)),
              "SUCCEEDED");
    EXPECT_EQ(version(kOther, "version_number"), "2");
    EXPECT_EQ(version(kOther, "encode(proof_root_hash, 'hex')"), proof_root);
    EXPECT_EQ(version(kOther, "encode(payload_hash, 'hex')"), payload_hash);
    EXPECT_NE(version(kOther, "encode(receipt_hash, 'hex')"),
              version(kVersion, "encode(receipt_hash, 'hex')"));
}

TEST_F(CompilePassport, a_snapshot_that_is_not_sealed_is_refused) {
    const std::string job = payload();
    const std::string open = test::must(create_snapshot(*calls_, {})).to_string();
    refused(compile_payload(kVersion, open, rules_, passport_), "SNAPSHOT_NOT_SEALED");
    EXPECT_EQ(end_of(test::must(build_snapshot(*calls_, *Uuid::parse(open), "")).to_string()),
              "SUCCEEDED");
    refused(compile_payload(kVersion, open, rules_, passport_), "SNAPSHOT_NOT_SEALED");
}

TEST_F(CompilePassport, rules_that_are_not_published_are_refused) {
    const std::string job = payload();
    const std::string draft = rules(std::string(test::kRules) + "field x: Int = 1;\n");
    refused(compile_payload(kVersion, snapshot_, draft, passport_), "RULE_PKG_NOT_PUBLISHED");
    test::must(deprecate_rules(*calls_, *Uuid::parse(rules_), ""));
    refused(job, "RULE_PKG_NOT_PUBLISHED");
    test::must(retire_rules(*calls_, *Uuid::parse(rules_), ""));
    refused(job, "RULE_PKG_NOT_PUBLISHED");
}

TEST_F(CompilePassport, a_payload_over_its_limit_is_refused) {
    settings_.limits.payload_max_bytes = 50;
    refused(payload(), "PAYLOAD_TOO_LARGE");
}

TEST_F(CompilePassport, a_proof_over_its_limit_is_refused) {
    settings_.limits.proof_max_bytes = 50;
    refused(payload(), "PROOF_TOO_LARGE");
}

TEST_F(CompilePassport, a_receipt_over_its_limit_is_refused) {
    settings_.limits.receipt_max_bytes = 50;
    refused(payload(), "RECEIPT_TOO_LARGE");
}

TEST_F(CompilePassport, what_the_rules_refuse_is_the_error_of_the_job_with_their_own_code) {
    (void)payload();
    const std::string nobodys = passport("SKU-9");  // no such battery among the facts
    const std::string text = compile_payload(kVersion, snapshot_, rules_, nobodys);
    const std::string job = enqueue("COMPILE_PASSPORT", text);
    EXPECT_TRUE(end_of(job).starts_with("FAILED ")) << end_of(job);
    const std::string error =
        one(fmt::format("select last_error from jobforge.finished_jobs where job_id = '{}'", job));
    EXPECT_NE(error.find("E001"), std::string::npos) << error;
    EXPECT_NE(error.find("no battery"), std::string::npos) << error;
    EXPECT_EQ(version(kVersion, "status"), "");
}

TEST_F(CompilePassport, another_receipt_for_a_version_that_exists_is_refused) {
    EXPECT_EQ(ends("COMPILE_PASSPORT", payload()), "SUCCEEDED");
    const std::string before = stored() + artifacts(kVersion);
    std::string later = payload();
    later.replace(later.find("09:30"), 5, "09:31");
    EXPECT_EQ(ends("COMPILE_PASSPORT", later), "FAILED INVALID_TRANSITION");
    // And another version with the very same inputs.
    EXPECT_EQ(ends("COMPILE_PASSPORT", payload(kOther)), "FAILED INVALID_TRANSITION");
    EXPECT_EQ(stored() + artifacts(kVersion), before);
}

TEST_F(CompilePassport, payloads_that_do_not_fit_fail_at_once) {
    const std::string good = payload();
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        return text.replace(text.find(from), from.size(), to);
    };
    for (const std::string& bad :
         {std::string("{}"), with("\"passport_id\"", "\"passport\""), with(kVersion, "no-uuid"),
          with("\"2027-02-18T09:30:00.000000Z\"", "1802943000"), with(".000000Z", "Z"),
          with("T09", " 09"), with("2027-02-18", "2027-02-30"), with(".000000Z", ".000000+00:00"),
          with("\"test-key-1\"", "\"\""), with("\"test-key-1\"", "{}")}) {
        refused(bad, "JOB_PAYLOAD_INVALID");
    }
}

TEST_F(CompilePassport, unknown_ids_are_named) {
    (void)payload();
    for (const auto& [text, name] :
         {std::pair{compile_payload(kVersion, kNobody, rules_, passport_), "snapshot"},
          std::pair{compile_payload(kVersion, snapshot_, kNobody, passport_), "rule version"},
          std::pair{compile_payload(kVersion, snapshot_, rules_, kNobody), "passport"}}) {
        const std::string job = enqueue("COMPILE_PASSPORT", text);
        EXPECT_EQ(end_of(job), "FAILED NOT_FOUND");
        EXPECT_NE(message_of(job).find(name), std::string::npos) << message_of(job);
    }
    EXPECT_EQ(version(kVersion, "status"), "");
}

TEST_F(CompilePassport, a_request_is_one_job_with_its_key_and_priority) {
    (void)payload();
    const CompileRequest request{.passport_id = *Uuid::parse(passport_),
                                 .snapshot_id = *Uuid::parse(snapshot_),
                                 .rule_package_version_id = *Uuid::parse(rules_),
                                 .signing_key_id = std::string(test::kKeyId),
                                 .passport_version_id = *Uuid::parse(kVersion)};
    const auto first = test::must(request_compile(*calls_, request));
    const auto second = test::must(request_compile(*calls_, request));
    EXPECT_EQ(first.job_id, second.job_id);
    EXPECT_EQ(end_of(first.job_id.to_string()), "SUCCEEDED");
    EXPECT_TRUE(
        jobs_with_key(fmt::format("compile-{}", kVersion)).starts_with("COMPILE_PASSPORT 1 5 {"));
    EXPECT_EQ(events_of(kVersion), "PASSPORT_COMPILED");
}

}  // namespace
}  // namespace jobforge::services
