// Rows of the passport pipeline in the state a test needs, made through the functions that workers
// and clients call: nothing is inserted by hand.
#pragma once

#include <string>
#include <string_view>

#include "sql_session.h"

namespace jobforge::test {

// A document and its facts, a snapshot, rules, a passport version, a webhook, of the tenant the
// session acts for. Every call makes new rows. Aborts the test where a function fails.
class PipelineWorld final {
public:
    explicit PipelineWorld(Session& sql) : sql_(sql) {}

    // A document version that is UPLOADED, VALIDATED (with one fact battery:<n>) or REJECTED.
    std::string document(std::string_view status = "VALIDATED");
    // The one fact of a validated document.
    std::string fact_of(const std::string& document_version);
    // A snapshot that is BUILDING, READY or SEALED, with one fact.
    std::string snapshot(std::string_view status = "SEALED");
    // A rule version in any status of its graph.
    std::string rules(std::string_view status = "PUBLISHED");
    // A run of the tests of a rule version; answers PASSED or FAILED.
    std::string run_tests(const std::string& rules, int passed, int failed);
    std::string product();
    std::string passport();
    // A passport version in any status of its graph; SIGNED has its QR code. Without a passport it
    // gets one of its own.
    std::string version(std::string_view status = "SIGNED", std::string passport = "",
                        std::string_view payload = R"({"compliance":[]})");
    // An ACTIVE version with a failing entry, A, that ann has accepted.
    std::string version_with_acceptance();
    // The steps of one version, as SQL, so that a test can also expect them to fail.
    static std::string sign_call(const std::string& version, std::string_view key = "dev-key-1",
                                 std::string_view signature = "ab",
                                 std::string_view key_seed = "k");
    static std::string qr_call(const std::string& version, std::string_view text = "BPC1|");
    // An active endpoint that is subscribed to these events.
    std::string endpoint(const std::string& events = "'*'");
    // A delivery that is PENDING, DELIVERED or FAILED, to a new endpoint.
    std::string delivery(std::string_view status = "PENDING");

    std::string status(const std::string& table, const std::string& id);

private:
    std::string call(const std::string& expression);
    int next_ = 0;
    Session& sql_;
};

}  // namespace jobforge::test
