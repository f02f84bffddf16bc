// Every byte of a passport, against values worked out outside this program (golden/make.py).
#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <ctime>
#include <cwctype>
#include <optional>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "base/json/canonical.h"
#include "golden_case.h"
#include "locale_support.h"
#include "passport/bundle.h"
#include "passport/bundle_verify.h"
#include "passport/qr_text.h"

namespace jobforge::passport {
namespace {

class Golden : public ::testing::TestWithParam<std::string> {};

void expect_golden(const GoldenCase& golden, const CompileInputs& inputs) {
    const auto compiled = compile_passport(inputs);
    ASSERT_TRUE(compiled.ok()) << compiled.error().describe();
    EXPECT_EQ(compiled->snapshot, golden.expected("snapshot.json"));
    EXPECT_EQ(compiled->payload, golden.expected("payload.json"));
    EXPECT_EQ(compiled->proof, golden.expected("proof.json"));
    EXPECT_EQ(compiled->receipt.unsigned_bytes(), golden.expected("unsigned_receipt.json"));
}

TEST_P(Golden, compile_gives_the_bytes_worked_out_outside) {
    const GoldenCase golden(GetParam());
    expect_golden(golden, golden.inputs);
}

TEST_P(Golden, the_signed_receipt_the_bundle_and_the_qr_text_too) {
    const GoldenCase golden(GetParam());
    const auto compiled = compile_passport(golden.inputs);
    ASSERT_TRUE(compiled.ok()) << compiled.error().describe();
    const Receipt receipt = sign_receipt(compiled->receipt, golden_key());
    EXPECT_EQ(canonical(receipt.document()).value(), golden.expected("receipt.json"));
    EXPECT_EQ(write_bundle(golden.inputs, *compiled, receipt).value(),
              golden.expected("bundle.json"));
    EXPECT_EQ(qr_text(receipt), golden.expected("qr.txt"));
    EXPECT_EQ(qr_text(receipt).size(), 212U);
    EXPECT_EQ(qr_text(receipt, "https://example.org"), golden.expected("qr_url.txt"));
    EXPECT_EQ(qr_text(receipt, "https://example.org/"), golden.expected("qr_url.txt"));
}

TEST_P(Golden, a_code_is_known_in_each_form_that_was_ever_printed_and_in_no_other) {
    const GoldenCase golden(GetParam());
    const auto compiled = compile_passport(golden.inputs);
    ASSERT_TRUE(compiled.ok()) << compiled.error().describe();
    const Receipt& receipt = compiled->receipt;
    const std::string link = golden.expected("qr_url.txt");
    const std::string hashes = link.substr(link.find('#'));
    const std::string of_version = "https://example.org/p/" + receipt.passport_version_id + hashes;
    for (const std::string& text : {golden.expected("qr.txt"), link, of_version,
                                    "http://10.0.0.1:8080/x/p/" + receipt.passport_id + hashes}) {
        EXPECT_TRUE(is_qr_text_of(receipt, text)) << text;
        std::string other = text;
        other.back() = other.back() == 'A' ? 'Q' : 'A';
        EXPECT_FALSE(is_qr_text_of(receipt, other)) << other;
        EXPECT_FALSE(is_qr_text_of(receipt, text + " ")) << text;
    }
    EXPECT_FALSE(is_qr_text_of(receipt, ""));
    EXPECT_FALSE(is_qr_text_of(receipt, "https://example.org/p/" + receipt.snapshot_id + hashes));
    EXPECT_FALSE(is_qr_text_of(receipt, "BPC1|" + hashes));
}

TEST_P(Golden, the_bundle_made_outside_verifies) {
    const auto report =
        verify_bundle(GoldenCase(GetParam()).expected("bundle.json"), golden_key().public_key());
    EXPECT_EQ(report.checks.size(), 10U);
    for (const BundleCheck& check : report.checks) {
        EXPECT_TRUE(check.passed) << check.name << ": " << check.detail;
    }
    EXPECT_TRUE(report.ok());
}

TEST_P(Golden, the_order_of_the_facts_leaves_no_trace) {
    const GoldenCase golden(GetParam());
    std::mt19937 random(7);
    for (int i = 0; i < 20; ++i) {
        CompileInputs shuffled = golden.inputs;
        std::ranges::shuffle(shuffled.facts, random);
        expect_golden(golden, shuffled);
    }
}

class TimeZoneChanger final {
public:
    TimeZoneChanger() {
        if (const char* zone = std::getenv("TZ")) before_ = zone;
    }
    TimeZoneChanger(const TimeZoneChanger&) = delete;
    TimeZoneChanger& operator=(const TimeZoneChanger&) = delete;
    ~TimeZoneChanger() {
        (void)(before_ ? setenv("TZ", before_->c_str(), 1) : unsetenv("TZ"));
        tzset();
    }
    [[nodiscard]] static bool set(const char* zone) {
        const bool done = setenv("TZ", zone, 1) == 0;
        tzset();
        return done;
    }

private:
    std::optional<std::string> before_;
};

void expect_golden_in_other_time_zones(const GoldenCase& golden) {
    const TimeZoneChanger zones;
    for (const char* zone : {"Pacific/Kiritimati", "America/Los_Angeles"}) {
        ASSERT_TRUE(TimeZoneChanger::set(zone));
        expect_golden(golden, golden.inputs);
    }
}

// Turkish changes the case of i, German the decimal point.
TEST_P(Golden, locale_and_time_zone_leave_no_trace) {
    const GoldenCase golden(GetParam());
    LocaleChanger locales;
    ASSERT_TRUE(locales.set_utf8("tr_TR")) << "install the Debian package locales";
    ASSERT_EQ(std::towupper(L'i'), L'\u0130');
    expect_golden_in_other_time_zones(golden);
    ASSERT_TRUE(locales.set_utf8("de_DE")) << "install the Debian package locales";
    ASSERT_STREQ(std::localeconv()->decimal_point, ",");
    expect_golden_in_other_time_zones(golden);
    ASSERT_TRUE(LocaleChanger::set("C"));
    expect_golden_in_other_time_zones(golden);
}

TEST_P(Golden, many_threads_at_once_give_the_same_bytes) {
    const GoldenCase golden(GetParam());
    std::vector<Result<Compiled>> results(8, Result<Compiled>(Error{}));
    {
        std::vector<std::jthread> threads;
        for (auto& result : results) {
            threads.emplace_back([&golden, &result] { result = compile_passport(golden.inputs); });
        }
    }
    for (const auto& result : results) {
        ASSERT_TRUE(result.ok());
        EXPECT_EQ(result->payload, golden.expected("payload.json"));
        EXPECT_EQ(result->proof, golden.expected("proof.json"));
        EXPECT_EQ(result->receipt.unsigned_bytes(), golden.expected("unsigned_receipt.json"));
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(kGoldenCases),
                         [](const auto& case_name) { return case_name.param; });

}  // namespace
}  // namespace jobforge::passport
