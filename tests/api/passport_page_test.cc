// The public page as text: everything a tenant may have written stays text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api/pages/html_text.h"
#include "api/pages/passport_page.h"
#include "api/pages/passport_verdict.h"
#include "base/crypto/hash.h"
#include "base/text/base64.h"

namespace jobforge::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "</title></style><script>alert(\"1\")</script>'&\x01";

std::string hash(char digit) {
    return std::string(64, digit);
}

PassportHashes hashes(char digit) {
    return {hash(digit), hash(static_cast<char>(digit + 1)), hash(static_cast<char>(digit + 2))};
}

// In force, with as few fields as may be and one check that passed: nothing to complain of.
PublicPassport passport(std::string status = "ACTIVE") {
    PublicPassport passport;
    passport.passport_id = "0190aaaa-0000-7000-8000-00000000000a";
    passport.passport_version_id = "0190aaaa-0000-7000-8000-000000000001";
    passport.version_number = 2;
    passport.status = std::move(status);
    passport.product_name = "Nordlicht 55";
    passport.issued_on = "2027-02-18";
    passport.hashes = hashes('1');
    passport.signing_key_id = "key-1";
    passport.signature_fits = true;
    passport.fields.push_back({"battery.mass", Json("450 kg")});
    passport.fields.push_back({"battery.chemistry", Json("LFP")});
    passport.fields.push_back({"battery.voltage", Json("400 V")});
    passport.counts.pass = 1;
    passport.versions = {{1, "SUPERSEDED", "2027-01-01", hashes('4')},
                         {2, passport.status, "2027-02-18", hashes('1')}};
    return passport;
}

PublicPassport failing() {
    PublicPassport bad = passport();
    bad.counts.fail = 1;
    bad.findings.push_back({.status = "FAIL", .id = "DP-004", .evidence = "an address is given"});
    return bad;
}

std::string page_with(std::string_view value) {
    PublicPassport one = passport();
    one.fields.push_back({"battery.ratedCapacity_total", Json::parse(value).value()});
    return passport_page(one);
}

TEST(PassportPage, says_what_a_status_means_in_words) {
    EXPECT_THAT(passport_page(passport("ACTIVE")), HasSubstr("<b>Valid</b>"));
    EXPECT_THAT(passport_page(passport("SIGNED")), HasSubstr("<b>Not in force yet</b>"));
    PublicPassport replaced = passport("SUPERSEDED");
    replaced.superseded_on = "2028-01-01";
    EXPECT_THAT(passport_page(replaced), HasSubstr("<b>Replaced</b>"));
    EXPECT_THAT(passport_page(replaced), HasSubstr("Since 2028-01-01."));
    PublicPassport revoked = passport("REVOKED");
    revoked.superseded_on = "2028-01-01";
    revoked.revoked_on = "2029-01-01";
    revoked.revocation_reason = "recalled";
    EXPECT_THAT(passport_page(revoked), HasSubstr("<b>Revoked</b>"));
    EXPECT_THAT(passport_page(revoked), HasSubstr("On 2029-01-01, because: <bdi>recalled</bdi>"));
}

TEST(PassportPage, tells_the_signature_from_what_the_checks_found) {
    const std::string good = passport_page(passport());
    EXPECT_THAT(good, HasSubstr("<li class=\"good\"><b>Signature valid.</b>"));
    EXPECT_THAT(good, HasSubstr("<li class=\"good\"><b>No check failed.</b> <span>1 passed."));
    const std::string bad = passport_page(failing());
    EXPECT_THAT(bad, HasSubstr("<li class=\"good\"><b>Signature valid.</b>"));
    EXPECT_THAT(bad,
                HasSubstr("<li class=\"bad\"><b>Checks failed.</b> <span>1 passed, 1 failed."));
    EXPECT_THAT(bad, HasSubstr("<bdi>DP-004</bdi>"));
    EXPECT_THAT(bad, HasSubstr("<bdi>an address is given</bdi>"));
    EXPECT_THAT(bad, HasSubstr("The issuer has not said why."));
    PublicPassport forged = passport();
    forged.signature_fits = false;
    EXPECT_THAT(passport_page(forged),
                HasSubstr("<p class=\"state bad\"><b>Signature not valid</b>"));
}

TEST(PassportPage, calls_valid_only_what_is_signed_in_force_passes_its_checks_and_says_something) {
    std::vector<PublicPassport> not_valid(9, passport());
    not_valid[0].status = "SIGNED";
    not_valid[1].status = "SUPERSEDED";
    not_valid[2].status = "REVOKED";
    not_valid[3].signature_fits = false;
    not_valid[4] = failing();
    not_valid[5] = failing();
    not_valid[5].findings[0].reason = "moving";
    not_valid[6].counts.unknown = 1;
    not_valid[6].findings.push_back({.status = "INFO"});
    not_valid[7].fields.clear();
    not_valid[8].fields = {{"a", Json()},
                           {"b", Json(" ")},
                           {"c", Json::array()},
                           {"e", Json("x")},
                           {"d", Json::object({{"unit", Json()}})}};
    for (const PublicPassport& one : not_valid) {
        EXPECT_THAT(passport_page(one), Not(HasSubstr("<b>Valid</b>"))) << &one - not_valid.data();
        EXPECT_THAT(passport_page(one), Not(HasSubstr("state good"))) << &one - not_valid.data();
    }
    EXPECT_THAT(passport_page(not_valid[4]), HasSubstr("<b>Fails its own checks</b>"));
    EXPECT_THAT(passport_page(not_valid[5]), HasSubstr("<b>In force with failed checks</b>"));
    EXPECT_THAT(passport_page(not_valid[5]), HasSubstr("<q><bdi>moving</bdi></q>"));
    EXPECT_THAT(passport_page(not_valid[6]), HasSubstr("<b>Not fully checked</b>"));
    EXPECT_THAT(passport_page(not_valid[7]), HasSubstr("<b>Almost empty</b>"));
    EXPECT_THAT(passport_page(not_valid[8]), HasSubstr("1 of 5 public entries is filled in"));
    not_valid[8].fields.pop_back();
    EXPECT_THAT(passport_page(not_valid[8]), HasSubstr("1 of 4 public entries is filled in"));
    not_valid[8].fields.assign(9, {"a", Json()});
    for (std::size_t stated = 0; stated < 3; ++stated) {
        EXPECT_THAT(passport_page(not_valid[8]), HasSubstr("<b>Almost empty</b>")) << stated;
        not_valid[8].fields[stated].value = Json("x");
    }
    EXPECT_THAT(passport_page(not_valid[8]), HasSubstr("<b>Valid</b>")) << "a third is enough";
    PublicPassport warned = passport();
    warned.counts.warn = 1;
    warned.findings.push_back({.status = "WARN", .id = "DP-050"});
    EXPECT_THAT(passport_page(warned), HasSubstr("<b>Valid</b>"));
    EXPECT_THAT(passport_page(warned), HasSubstr("The details of this check are not public."));
}

TEST(PassportPage, a_field_or_two_are_next_to_nothing_however_few_the_rules_ask_for) {
    PublicPassport small = passport();
    EXPECT_THAT(passport_page(small), HasSubstr("<b>Valid</b>"));
    small.fields.pop_back();
    EXPECT_THAT(passport_page(small), HasSubstr("<b>Almost empty</b>"));
    EXPECT_THAT(passport_page(small), HasSubstr("2 of 2 public entries are filled in"));
    small.fields.pop_back();
    EXPECT_THAT(passport_page(small), HasSubstr("<p class=\"state warn\"><b>Almost empty</b>"));
    EXPECT_THAT(passport_page(small), HasSubstr("1 of 1 public entry is filled in"));
}

TEST(PassportPage, what_nobody_checked_is_not_called_valid) {
    PublicPassport unchecked = passport();
    unchecked.counts = {};
    EXPECT_THAT(passport_page(unchecked), HasSubstr("<p class=\"state warn\"><b>Not checked</b>"));
    EXPECT_THAT(passport_page(unchecked), HasSubstr("its issuer's rules check nothing"));
    EXPECT_THAT(passport_page(unchecked), HasSubstr("<li class=\"warn\"><b>No checks.</b>"));
    // Entries that say that nothing was asked yet are no checks either.
    unchecked.counts = {.pending = 2, .not_applicable = 1};
    EXPECT_THAT(passport_page(unchecked), HasSubstr("<p class=\"state warn\"><b>Not checked</b>"));
    EXPECT_THAT(passport_page(unchecked), HasSubstr("none of its issuer's checks was made yet"));
    EXPECT_THAT(passport_page(unchecked),
                HasSubstr("<li class=\"warn\"><b>No check made.</b> <span>2 not due yet, 1 not"));
    unchecked.counts.pass = 1;
    EXPECT_THAT(passport_page(unchecked), HasSubstr("<b>Valid</b>"));
}

// What a browser shows for `link`: the one element whose id stands behind the # (:target).
std::string target(const std::string& page, const PassportHashes& printed) {
    const std::string id = "id=\"" + html_escaped(code_hashes(printed)) + "\">";
    const std::size_t from = page.find(id);
    if (from == std::string::npos || page.find(id, from + 1) != std::string::npos) {
        return "";
    }
    return page.substr(from + id.size(), page.find("</p>", from) - from - id.size());
}

TEST(PassportPage, says_to_which_version_a_printed_code_belongs) {
    PublicPassport one = passport();
    one.versions.push_back({3, "SIGNED", "2027-03-01", hashes('7')});
    std::string page = passport_page(one);
    EXPECT_THAT(target(page, hashes('1')), HasSubstr("It was printed for this page's version 2"));
    EXPECT_THAT(target(page, hashes('4')),
                HasSubstr("<b>The code fits an earlier version.</b> It was printed for version 1 "
                          "(issued 2027-01-01). This page shows version 2."));
    EXPECT_THAT(target(page, hashes('7')), HasSubstr("The code fits a later version."));
    EXPECT_EQ(target(page, hashes('5')), "") << "of another passport";
    EXPECT_THAT(page, HasSubstr("that code does not belong to this passport"));
    EXPECT_THAT(page, HasSubstr(".printed { display: none"));
    EXPECT_THAT(page, HasSubstr(".printed:target { display: block }"));
    EXPECT_THAT(page, HasSubstr(".printed:target ~ .unprinted { display: none }"));
    one.versions[0].status = "REVOKED";
    page = passport_page(one);
    EXPECT_THAT(target(page, hashes('4')), HasSubstr("which the issuer has withdrawn since"));
}

TEST(PassportPage, leads_from_a_version_to_the_current_one_with_the_code_that_was_read) {
    PublicPassport old = passport("SUPERSEDED");
    EXPECT_THAT(passport_page(old), Not(HasSubstr("href=")));
    old.another_is_current = true;
    EXPECT_THAT(passport_page(old), HasSubstr("<a href=\"0190aaaa-0000-7000-8000-00000000000a#" +
                                              html_escaped(code_hashes(old.hashes)) +
                                              "\">Show the current version</a>"));
}

TEST(PassportPage, shows_values_as_people_write_them) {
    EXPECT_THAT(page_with("null"), HasSubstr("<dd><i>not stated</i></dd>"));
    EXPECT_THAT(page_with("true"), HasSubstr("<dd>yes</dd>"));
    EXPECT_THAT(page_with("12"), HasSubstr("<dd>12</dd>"));
    EXPECT_THAT(page_with("[]"), HasSubstr("<dd><i>none</i></dd>"));
    const auto quantity = [](std::string_view number) {
        return page_with(fmt::format(R"({{"unit":"kWh","value":"{}"}})", number));
    };
    EXPECT_THAT(quantity("50.000000"), HasSubstr("<bdi>50 kWh</bdi>"));
    EXPECT_THAT(quantity("0.500"), HasSubstr("<bdi>0.5 kWh</bdi>"));
    EXPECT_THAT(quantity("-1.05"), HasSubstr("<bdi>-1.05 kWh</bdi>"));
    EXPECT_THAT(quantity("100"), HasSubstr("<bdi>100 kWh</bdi>"));
    EXPECT_THAT(quantity("v1.0-00"), HasSubstr("<bdi>v1.0-00 kWh</bdi>")) << "no number";
    EXPECT_THAT(quantity(".0"), HasSubstr("<bdi>.0 kWh</bdi>")) << "no number";
    EXPECT_THAT(page_with(R"([{"language":"de","value":"Zelle"}])"),
                HasSubstr(R"(<li><bdi lang="de">Zelle</bdi> <span class="note">de</span></li>)"));
    EXPECT_THAT(page_with(R"([{"countryCode":"DE","unit":"x","value":"y"}])"),
                HasSubstr("<ul><li><dl><dt>Country code</dt><dd><bdi>DE</bdi></dd>"));
    EXPECT_THAT(page_with("1"), HasSubstr("<h2>Battery</h2>"));
    EXPECT_THAT(page_with("1"), HasSubstr("<dt>Rated capacity total</dt>"));
    PublicPassport secret = passport();
    secret.fields.clear();
    EXPECT_THAT(passport_page(secret), HasSubstr("Nothing in this passport is public."));
}

TEST(PassportPage, has_each_heading_once_however_the_rules_mix_their_fields) {
    PublicPassport mixed = passport();
    mixed.fields.clear();
    for (const char* path :
         {"carbon.total", "battery.mass", "carbon.class", "name", "battery.id"}) {
        mixed.fields.push_back({path, Json(path)});
    }
    const std::string page = passport_page(mixed);
    std::string shown;
    for (std::size_t at = page.find("<h2>"); at < page.find("<h2>Check it yourself");
         at = page.find('<', at + 1)) {
        if (page.compare(at, 4, "<h2>") == 0 || page.compare(at, 4, "<dt>") == 0) {
            shown += page.substr(at + 1, page.find('<', at + 1) - at - 1) + ", ";
        }
    }
    EXPECT_EQ(shown,
              "h2>Carbon, dt>Total, dt>Class, h2>Battery, dt>Mass, dt>Id, h2>Name, dt>Name, ");
    EXPECT_THAT(page, HasSubstr("<dt>Class</dt><dd><bdi>carbon.class</bdi></dd>"));
}

TEST(PassportPage, tells_how_to_check_it_with_whole_hashes_in_both_encodings) {
    PublicPassport one = passport();
    one.qr_text = "BPC1|pv=x";
    const std::string page = passport_page(one);
    for (const std::string& shown :
         {hash('1'), hash('2'), hash('3'), base32_of_hex(hash('1')), base32_of_hex(hash('2')),
          base32_of_hex(hash('3')), std::string("key-1"), std::string("2027-02-18"),
          std::string("BPC1|pv=x"), std::string("0190aaaa-0000-7000-8000-00000000000a"),
          std::string("jobforge passport verify bundle.json --key KEY")}) {
        EXPECT_THAT(page, HasSubstr(">" + shown + "<")) << shown;
    }
    EXPECT_EQ(base32_of_hex(hash('1')).size(), 52U);
}

TEST(PassportPage, what_a_tenant_wrote_is_text_wherever_it_stands) {
    PublicPassport bad = passport("REVOKED");
    bad.product_name = bad.signing_key_id = kHostile;
    bad.revoked_on = "2029-01-01";
    bad.revocation_reason = bad.qr_text = kHostile;
    const Json text(kHostile);
    bad.findings.push_back(
        {.status = "FAIL", .id = kHostile, .evidence = kHostile, .reason = kHostile});
    bad.fields.push_back({kHostile, text});
    bad.fields.push_back({"a.b", Json::array({text, Json::object({{kHostile, text}})})});
    bad.fields.push_back({"a.c", Json::object({{"unit", text}, {"value", text}})});
    bad.fields.push_back({"a.e", Json::object({{"language", text}, {"value", text}})});
    const std::string page = passport_page(bad);
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, Not(HasSubstr("\x01")));
    EXPECT_EQ(page.find("</style>"), page.rfind("</style>"));
    EXPECT_EQ(page.find("</title>"), page.rfind("</title>"));
    EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&quot;1&quot;)"));
}

TEST(PassportPage, loads_and_runs_nothing) {
    for (const std::string& page : {passport_page(failing()), no_passport_page()}) {
        for (const char* word : {"<script", "<img", "<link", "href=", "src=", "url(", "http://"}) {
            EXPECT_THAT(page, Not(HasSubstr(word)));
        }
        EXPECT_THAT(page, HasSubstr("name=\"viewport\""));
        EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
        // The policy allows this style and no other.
        const std::size_t from = page.find("<style>") + 7;
        const std::string style = page.substr(from, page.find("</style>") - from);
        EXPECT_THAT(passport_page_policy(),
                    HasSubstr("default-src 'none'; style-src 'sha256-" +
                              base64_encode(hex_decode(sha256_hex(style)).value()) + "'"));
    }
}

TEST(HtmlText, escapes_what_means_something) {
    EXPECT_EQ(html_escaped("<a b=\"c\" d='e'>&\t\n\x02\x7f\xc3\xa4"),
              "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;\t\n\xef\xbf\xbd\xef\xbf\xbd\xc3\xa4");
}

}  // namespace
}  // namespace jobforge::api
