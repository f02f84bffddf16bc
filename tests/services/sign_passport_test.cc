// SIGN_PASSPORT: COMPILING -> SIGNED with the key that was chosen when compilation was asked for.
#include <fmt/format.h>

#include "base/crypto/ed25519.h"
#include "base/crypto/hash.h"
#include "base/text/base64.h"
#include "handler_world.h"
#include "passport/bundle.h"
#include "passport/receipt.h"
#include "services/passport/passports.h"

namespace jobforge::services {
namespace {

constexpr char kNobody[] = "00000000-0000-4000-8000-000000000000";
// Another key: the seed of RFC 8032's first test.
constexpr char kOtherSeed[] = "nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=";

class SignPassport : public test::HandlerWorld {
protected:
    SignPassport() { hold("GENERATE_QR"); }
    std::string payload(const std::string& id) {
        return fmt::format(R"({{"passport_version_id":"{}"}})", id);
    }
    std::string bytes(const std::string& id, const std::string& column) {
        return hex_decode(version(id, fmt::format("encode({}, 'hex')", column))).value();
    }
    static std::shared_ptr<const SigningKeys> keys(std::string_view id, std::string_view seed) {
        auto out = std::make_shared<SigningKeys>();
        test::must(out->add(std::string(id), seed));
        return out;
    }
};

TEST_F(SignPassport, a_compiled_version_becomes_signed_with_one_event_and_one_qr_job) {
    hold("SIGN_PASSPORT");
    const std::string id = compiled_version();
    EXPECT_EQ(version(id, "status"), "COMPILING");
    release("SIGN_PASSPORT");
    EXPECT_EQ(end_of(job_with_key("sign-" + id)), "SUCCEEDED");
    EXPECT_EQ(version(id, "status || ' ' || signing_key_id"), "SIGNED test-key-1");
    EXPECT_EQ(version(id, "length(signature) || ' ' || (signed_at is not null)"), "64 true");
    EXPECT_EQ(events_of(id), "PASSPORT_COMPILED PASSPORT_SIGNED");
    EXPECT_EQ(event_payload(id, "PASSPORT_SIGNED"), R"({"key_id":"test-key-1"})");
    EXPECT_EQ(jobs_with_key("qr-" + id),
              fmt::format(R"(GENERATE_QR 2 5 {{"passport_version_id": "{}"}})", id));
    // Again: success, and nothing new.
    const std::string before = stored() + version(id, "signed_at");
    EXPECT_EQ(ends("SIGN_PASSPORT", payload(id)), "SUCCEEDED");
    EXPECT_EQ(stored() + version(id, "signed_at"), before);
    EXPECT_EQ(jobs_with_key("qr-" + id),
              fmt::format(R"(GENERATE_QR 2 5 {{"passport_version_id": "{}"}})", id));
}

TEST_F(SignPassport, the_signature_verifies_with_the_stored_public_key_and_covers_the_receipt) {
    const std::string id = signed_version();
    const auto key = Ed25519PublicKey::from_bytes(bytes(id, "signing_key_public"));
    ASSERT_TRUE(key.ok());
    EXPECT_EQ(*key, Ed25519PrivateKey::parse(test::kSigningSeed)->public_key());
    const std::string hash = bytes(id, "receipt_hash");
    const std::string signature = bytes(id, "signature");
    EXPECT_TRUE(key->verify(hash, signature).ok());
    // The complete receipt is the unsigned one and this signature.
    const auto document = passport::read_canonical_document(bytes(id, "receipt_signed"));
    ASSERT_TRUE(document.ok()) << document.error().describe();
    const auto receipt = passport::read_receipt(*document, passport::Signed::yes);
    ASSERT_TRUE(receipt.ok()) << receipt.error().describe();
    EXPECT_EQ(receipt->unsigned_bytes(), bytes(id, "receipt_canonical"));
    EXPECT_EQ(base64_decode(receipt->signature).value(), signature);
    EXPECT_EQ(one("select encode(public_key, 'base64') from jobforge.signing_keys"), key->base64());
}

TEST_F(SignPassport, a_worker_without_the_key_fails_the_job_and_one_with_it_retries) {
    settings_.signing_keys = keys("another-key", kOtherSeed);
    const std::string id = compiled_version();
    const std::string job = job_with_key("sign-" + id);
    EXPECT_EQ(end_of(job), "FAILED SIGNING_KEY_MISSING");
    EXPECT_NE(message_of(job).find("\"test-key-1\""), std::string::npos);
    EXPECT_EQ(version(id, "status || ' ' || (signature is null)"), "COMPILING true");
    EXPECT_EQ(events_of(id), "PASSPORT_COMPILED");
    EXPECT_EQ(jobs_with_key("qr-" + id), "");
    // With the key in place, the same job again.
    stop();
    settings_.signing_keys = keys(test::kKeyId, test::kSigningSeed);
    run("select jobforge.retry_jobs('FAILED', 'SIGN_PASSPORT')");
    EXPECT_EQ(end_of(job), "SUCCEEDED");
    EXPECT_EQ(version(id, "status"), "SIGNED");
}

TEST_F(SignPassport, no_keys_at_all_is_the_same_error) {
    settings_.signing_keys = nullptr;
    const std::string id = compiled_version();
    EXPECT_EQ(end_of(job_with_key("sign-" + id)), "FAILED SIGNING_KEY_MISSING");
    EXPECT_EQ(version(id, "status"), "COMPILING");
}

TEST_F(SignPassport, a_key_of_the_wrong_format_is_refused_and_never_quoted) {
    SigningKeys loaded;
    for (const char* text : {"", "hidden", "aGlkZGVu", "-----BEGIN PRIVATE KEY-----\nhidden\n",
                             "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHg==",
                             "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gIQ=="}) {
        const auto added = loaded.add("key", text);
        ASSERT_FALSE(added.ok()) << text;
        EXPECT_EQ(added.error().code, ErrorCode::INVALID_SIGNING_KEY) << text;
        EXPECT_EQ(added.error().to_json().find("hidden"), std::string::npos);
        EXPECT_EQ(added.error().to_json().find("AAEC"), std::string::npos);
    }
    EXPECT_TRUE(loaded.empty());
}

TEST_F(SignPassport, another_key_under_a_known_id_is_refused) {
    const std::string first = signed_version();
    stop();
    settings_.signing_keys = keys(test::kKeyId, kOtherSeed);
    const std::string second = compiled_version();
    EXPECT_EQ(end_of(job_with_key("sign-" + second)), "FAILED INVALID_SIGNING_KEY");
    EXPECT_EQ(version(second, "status || ' ' || (signature is null)"), "COMPILING true");
    EXPECT_EQ(events_of(second), "PASSPORT_COMPILED");
    EXPECT_EQ(one("select count(*) from jobforge.signing_keys"), "1");
    EXPECT_EQ(jobs_with_key("qr-" + second), "");
}

TEST_F(SignPassport, a_revoked_version_is_not_signed_again) {
    const std::string id = signed_version();
    test::must(revoke_passport_version(*calls_, *Uuid::parse(id), "recalled", ""));
    const std::string before = stored();
    EXPECT_EQ(ends("SIGN_PASSPORT", payload(id)), "FAILED INVALID_PASSPORT_STATUS");
    EXPECT_EQ(version(id, "status"), "REVOKED");
    EXPECT_EQ(stored(), before);
}

TEST_F(SignPassport, payloads_that_do_not_fit_and_unknown_ids_fail_at_once) {
    const std::string before = stored();
    for (const char* garbage : {"{}", R"({"passport_version_id":null})",
                                R"({"passport_version_id":"x"})", R"({"passport_version_id":1})"}) {
        EXPECT_EQ(ends("SIGN_PASSPORT", garbage), "FAILED JOB_PAYLOAD_INVALID") << garbage;
    }
    EXPECT_EQ(ends("SIGN_PASSPORT", payload(kNobody)), "FAILED NOT_FOUND");
    EXPECT_EQ(stored(), before);
}

TEST_F(SignPassport, the_trace_of_a_compilation_goes_through_all_its_steps) {
    release("GENERATE_QR");
    const std::string snapshot = sealed_snapshot();
    const std::string package = published_rules();
    const std::string id = one(fmt::format(
        "select passport_version_id from jobforge.request_compile('{}', '{}', '{}', '{}', "
        "p_trace_id => 'trace-77')",
        passport(), snapshot, package, test::kKeyId));
    EXPECT_EQ(end_of(job_with_key("compile-" + id)), "SUCCEEDED");
    EXPECT_EQ(end_of(job_with_key("sign-" + id)), "SUCCEEDED");
    EXPECT_EQ(end_of(job_with_key("qr-" + id)), "SUCCEEDED");
    EXPECT_EQ(one("select string_agg(type, ' ' order by created_at) from jobforge.all_jobs where "
                  "trace_id = 'trace-77'"),
              "COMPILE_PASSPORT SIGN_PASSPORT GENERATE_QR");
}

}  // namespace
}  // namespace jobforge::services
