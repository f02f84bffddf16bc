// The public page as text: everything a tenant may have written stays text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api/html_text.h"
#include "api/passport_page.h"
#include "core/base64.h"
#include "core/hash.h"

namespace jobforge::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kHostile = "</title></style><script>alert(\"1\")</script>'&\x01";

PublicPassport passport(std::string status = "ACTIVE") {
    PublicPassport passport;
    passport.passport_version_id = "0190aaaa-0000-7000-8000-000000000001";
    passport.status = std::move(status);
    passport.product_name = "Nordlicht 55";
    passport.issued_on = "2027-02-18";
    passport.payload_hash = "aa11";
    passport.proof_root_hash = "bb22";
    passport.receipt_hash = "cc33";
    passport.signing_key_id = "key-1";
    return passport;
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
    EXPECT_THAT(passport_page(passport()), HasSubstr("Nothing in this passport is public."));
}

TEST(PassportPage, has_each_heading_once_however_the_rules_mix_their_fields) {
    PublicPassport mixed = passport();
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

TEST(PassportPage, tells_how_to_check_it) {
    PublicPassport one = passport();
    one.qr_text = "BPC1|pv=x";
    for (const char* shown : {"aa11", "bb22", "cc33", "key-1", "2027-02-18", "BPC1|pv=x",
                              "jobforge passport verify bundle.json --key KEY"}) {
        EXPECT_THAT(passport_page(one), HasSubstr(shown));
    }
}

TEST(PassportPage, what_a_tenant_wrote_is_text_wherever_it_stands) {
    PublicPassport bad = passport("REVOKED");
    bad.product_name = bad.signing_key_id = kHostile;
    bad.revoked_on = "2029-01-01";
    bad.revocation_reason = bad.qr_text = kHostile;
    const Json text(kHostile);
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
    for (const std::string& page : {passport_page(passport()), no_passport_page()}) {
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
