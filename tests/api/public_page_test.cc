// GET /p/{passport_id} over HTTP, of passports that the real compiler made: what is public
// is there, and not a byte of what is not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "api/pages/html_text.h"
#include "api_http_world.h"
#include "base/crypto/ed25519.h"
#include "base/crypto/hash.h"
#include "passport/compile.h"
#include "passport/qr_text.h"

namespace jobforge::test {
namespace {

using api::html_escaped;
using ::testing::HasSubstr;
using ::testing::Not;

// What stands behind the # of the printed link.
std::string code_of(const passport::Receipt& receipt) {
    const std::string text = passport::qr_text(receipt, "https://qr.example");
    return text.substr(text.find('#') + 1);
}

// One field of each kind of access, and one that the database keeps no place in the order for.
constexpr const char* kRules = R"(
fact Battery { maker: Text, mass_kg: Int, recipe: Text }
field battery.recipe: Text access(interest) = requireSome(getFact("Battery", "b"), "E1", "none").recipe;
field maker.name: Text access(public) = requireSome(getFact("Battery", "b"), "E1", "none").maker;
field maker.motto: Text access(public) = "last\u0001not least";
field battery.mass: Qty(kg) access(public) =
  toQty("kg", requireSome(getFact("Battery", "b"), "E1", "none").mass_kg);
field battery.opening: Text access(authority) = "PLANTED-AUTHORITY";
field battery.audit: Text access(interest_and_authority) = "PLANTED-BOTH";
field battery.cost: Text =
  if emitCompliance("PLANTED-ID", "PASS", "PLANTED-EVIDENCE") then "PLANTED-RESTRICTED" else "x";
)";
// Entries that fail: with literal texts, and with texts that hold what is not public.
constexpr const char* kFailing = R"(
field checks.all: Bool access(authority) =
  let recipe = requireSome(getFact("Battery", "b"), "E1", "none").recipe;
  emitCompliance("MASS-GIVEN", "FAIL", "the mass is <given>")
    || emitCompliance("ID-" + recipe, "FAIL", "the recipe has an id")
    || emitCompliance("RECIPE", "FAIL", "the recipe is not " + recipe)
    || emitCompliance("ODD", "WARN", "odd");
)";
constexpr const char* kMaker = "<b onclick=\"x\">Acme & Sons</b>";
constexpr const char* kProductName = "</title><script>alert('Pack')</script>";

class PublicPage : public ApiHttpWorld {
protected:
    PublicPage() { act_as(tenant_); }
    void act_as(const Uuid& tenant) { run("set app.tenant_id = '" + tenant.to_string() + "'"); }

    // A version that is COMPILING, of a product with a name and a fact that attack the page: a new
    // one, or that of the passport that was made last.
    std::string compiled(const std::string& id = new_id(), bool same_passport = false) {
        if (!same_passport) {
            product_ = one(fmt::format("jobforge.create_product('PLANTED-SKU-{}', {})", ++products_,
                                       quoted(kProductName)));
            passport_ = one("jobforge.create_passport('" + product_ + "')");
        }
        const std::string& product = product_;
        const std::string& passport = passport_;
        const std::string snapshot = sealed_snapshot();
        const std::string rules = published_rules();
        auto made = passport::compile_passport(inputs(id, product, passport, snapshot, rules));
        EXPECT_TRUE(made.ok()) << made.error().describe();
        one(
            fmt::format("select jobforge.store_compiled('{}', '{}', '{}', '{}', {}, {}, "
                        "decode('{}', 'hex'), {}, 'test-1', '2027-02-18', 'key-7')",
                        id, passport, snapshot, rules, bytes(made->payload), bytes(made->proof),
                        made->receipt.proof_root_hash, bytes(made->receipt.unsigned_bytes())));
        payload_ = made->payload;
        receipt_ = made->receipt;
        receipt_hash_ = made->receipt.hash();
        return id;
    }
    std::string signed_version(const std::string& id = new_id(), bool same_passport = false) {
        compiled(id, same_passport);
        const auto signature = key_.sign(hex_decode(receipt_hash_).value());
        store_signature(id, std::string(signature.begin(), signature.end()));
        return id;
    }
    void store_signature(const std::string& id, const std::string& signature) {
        const auto& key = key_.public_key().bytes();
        one(fmt::format(
            "select jobforge.store_signature('{}', {}, 'key-7', {}, '{{\"signed\":1}}')", id,
            bytes(signature), bytes(std::string(key.begin(), key.end()))));
        one("select jobforge.store_qr('" + id + "', '" +
            passport::qr_text(receipt_, "https://qr.example") + "', '\\x89')");
    }
    void activate(const std::string& id, const std::string& accepted = "[]") {
        one(fmt::format("select jobforge.activate_passport_version('{}', 'planted-ann', '{}')", id,
                        accepted));
    }
    // A second version of the passport, in force.
    std::string next_version() {
        const std::string id = signed_version(new_id(), true);
        activate(id);
        return id;
    }
    std::string active() {
        const std::string id = signed_version();
        one("select jobforge.activate_passport_version('" + id + "')");
        return id;
    }
    HttpReply page(const std::string& id, std::string_view headers = {}) {
        return ask_http("/p/" + id, headers);
    }

    static std::string new_id() { return http::new_correlation_id(); }
    static std::string quoted(const std::string& text) {
        return fmt::format("convert_from({}, 'UTF8')", bytes(text));
    }
    static std::string bytes(const std::string& text) {
        return "decode('" + hex_encode(text) + "', 'hex')";
    }

    std::string rules_source_ = kRules;
    const Ed25519PrivateKey key_ = Ed25519PrivateKey::from_seed(std::string(32, 'k')).value();
    std::string payload_;
    std::string receipt_hash_;
    std::string passport_;
    passport::Receipt receipt_;

private:
    std::string sealed_snapshot() {
        const std::string id = one("jobforge.create_snapshot('s')");
        one("select jobforge.mark_snapshot_ready('" + id + "')");
        one("select jobforge.seal_snapshot('" + id + "')");
        return id;
    }
    std::string published_rules() {
        const std::string fields =
            R"j([{"path":"battery.mass","type":"Qty(kg)","access":"public"},)j"
            R"({"path":"maker.name","type":"Text","access":"public"}])";
        const std::string id = one(fmt::format(
            "select rule_package_version_id from jobforge.upload_rules('p', {} || '-- {}', "
            "'', '{}')",
            quoted(rules_source_), ++rules_, fields));
        one("select jobforge.store_test_run(gen_random_uuid(), '" + id +
            "', 0, 500, 500, 0, null)");
        one("select jobforge.publish_rules('" + id + "')");
        return id;
    }
    passport::CompileInputs inputs(const std::string& id, const std::string& product,
                                   const std::string& passport, const std::string& snapshot,
                                   const std::string& rules) const {
        passport::CompileInputs inputs;
        rules::Fact fact;
        fact.fact_type = "Battery";
        fact.fact_key = "b";
        fact.payload =
            Json::object({{"maker", kMaker}, {"mass_kg", 450}, {"recipe", "PLANTED-INTEREST"}});
        fact.source_sha256 = sha256_hex("document");
        inputs.facts.push_back(std::move(fact));
        inputs.product = {product, kProductName, fmt::format("PLANTED-SKU-{}", products_)};
        inputs.dsl_source = rules_source_;
        inputs.issue = {"2027-02-18T00:00:00.000000Z",
                        tenant_.to_string(),
                        passport,
                        id,
                        snapshot,
                        rules,
                        "test-1",
                        "key-7"};
        return inputs;
    }
    int products_ = 0;
    int rules_ = 0;
    std::string product_;
};

TEST_F(PublicPage, shows_what_is_public_to_anybody_and_nothing_else_in_any_byte) {
    const std::string id = active();
    // All of it is in the passport itself.
    for (const char* planted :
         {"PLANTED-INTEREST", "PLANTED-AUTHORITY", "PLANTED-BOTH", "PLANTED-RESTRICTED",
          "PLANTED-ID", "PLANTED-EVIDENCE", "PLANTED-SKU"}) {
        ASSERT_THAT(payload_, HasSubstr(planted));
    }
    const HttpReply reply = page(id);
    ASSERT_EQ(reply.status, 200) << reply.body;
    for (const std::string& shown :
         {std::string("&lt;b onclick=&quot;x&quot;&gt;Acme &amp; Sons&lt;/b&gt;"),
          std::string("450 kg"), std::string("last\xef\xbf\xbdnot least"),
          std::string("&lt;script&gt;alert(&#39;Pack&#39;)"), std::string("<b>Valid</b>"), id,
          std::string("https://qr.example/p/"), std::string("key-7"), std::string("2027-02-18"),
          sha256_hex(payload_), receipt_hash_}) {
        EXPECT_THAT(reply.body, HasSubstr(shown));
    }
    EXPECT_THAT(reply.header + reply.body, Not(HasSubstr("PLANTED")));
    for (const char* name : {"recipe", "Recipe", "opening", "Opening", "Audit", "cost", "Cost"}) {
        EXPECT_THAT(reply.body, Not(HasSubstr(name)));
    }
    EXPECT_THAT(reply.body, Not(HasSubstr("<script")));
    EXPECT_THAT(reply.body, Not(HasSubstr(tenant_.to_string())));
    // In the order of the rules that the database keeps; what it does not know comes last.
    EXPECT_LT(reply.body.find("450 kg"), reply.body.find("Acme"));
    EXPECT_LT(reply.body.find("Acme"), reply.body.find("not least"));
}

TEST_F(PublicPage, no_hidden_field_leaves_the_database) {
    const std::string id = active();
    const std::string row = one("select p::text from jobforge.public_passport('" + id + "') p");
    EXPECT_THAT(row, HasSubstr("Acme"));
    EXPECT_THAT(row, Not(HasSubstr("PLANTED")));
}

TEST_F(PublicPage, each_status_is_told) {
    const std::string id = signed_version();
    EXPECT_THAT(page(id).body, HasSubstr("<b>Not in force yet</b>"));
    one("select jobforge.activate_passport_version('" + id + "')");
    EXPECT_THAT(page(id).body, HasSubstr("<b>Valid</b>"));
    one("select jobforge.revoke_passport_version('" + id + "', '<i>cells</i> burn')");
    EXPECT_THAT(page(id).body, HasSubstr("<b>Revoked</b>"));
    EXPECT_THAT(page(id).body, HasSubstr("&lt;i&gt;cells&lt;/i&gt; burn"));
}

TEST_F(PublicPage, the_id_of_a_passport_leads_to_its_current_version_for_ever) {
    const std::string first = signed_version();
    EXPECT_THAT(page(passport_).body, HasSubstr("<b>Not in force yet</b>"));
    activate(first);
    EXPECT_EQ(page(passport_).body, page(first).body);
    const std::string printed = html_escaped(code_of(receipt_));
    const std::string second = next_version();
    EXPECT_EQ(page(passport_).body, page(second).body);
    EXPECT_THAT(page(passport_).body, HasSubstr("<b>Valid</b>"));
    // What was printed with the first version is known, and the first leads on with it.
    EXPECT_THAT(page(passport_).body,
                HasSubstr("id=\"" + printed + "\"><b>The code fits an earlier"));
    EXPECT_THAT(page(first).body, HasSubstr("<b>Replaced</b>"));
    EXPECT_THAT(page(first).body, HasSubstr("<a href=\"" + passport_ + "#" + printed + "\">"));
    EXPECT_THAT(page(second).body, Not(HasSubstr("href=")));
    // Signed, and not in force: it changes nothing.
    const std::string third = signed_version(new_id(), true);
    EXPECT_THAT(page(passport_).body, HasSubstr("(" + second + ")"));
    EXPECT_THAT(page(third).body, HasSubstr("Show the current version"));
    one("select jobforge.revoke_passport_version('" + second + "', 'recalled')");
    EXPECT_THAT(page(passport_).body, HasSubstr("<b>Revoked</b>"));
    EXPECT_THAT(page(passport_).body, HasSubstr("(" + second + ")"));
    EXPECT_THAT(page(first).body, Not(HasSubstr("href="))) << "there is no current one";
}

TEST_F(PublicPage, a_passport_without_a_signed_version_is_not_there) {
    compiled();
    EXPECT_EQ(page(passport_).status, 404);
    EXPECT_EQ(page(passport_).body, page(new_id()).body);
}

TEST_F(PublicPage, a_version_that_takes_the_id_of_a_passport_changes_nothing) {
    active();
    const std::string printed = passport_;
    const std::string before = page(printed).body;
    act_as(other_tenant_);
    signed_version(printed);
    EXPECT_EQ(page(printed).body, before);
}

TEST_F(PublicPage, a_signature_that_does_not_fit_is_told) {
    const std::string id = compiled();
    store_signature(id, std::string(64, 'x'));
    activate(id);
    EXPECT_THAT(page(id).body, HasSubstr("<b>Signature not valid</b>"));
    EXPECT_THAT(page(id).body, Not(HasSubstr("<b>Valid</b>")));
}

TEST_F(PublicPage, a_signature_over_another_version_is_told) {
    active();
    const passport::Receipt other = receipt_;
    compiled();
    // A receipt of this version's row that speaks of another payload, with its signature.
    const std::string id = new_id();
    one(
        fmt::format("select jobforge.store_compiled('{}', v.passport_id, v.snapshot_id, "
                    "v.rule_package_version_id, v.payload_canonical, v.proof_canonical, "
                    "v.proof_root_hash, {}, 'test-2', v.issued_at, 'key-7') from "
                    "jobforge.passport_versions v where v.passport_version_id = '{}'",
                    id, bytes(other.unsigned_bytes()), receipt_.passport_version_id));
    const auto signature = key_.sign(hex_decode(other.hash()).value());
    store_signature(id, std::string(signature.begin(), signature.end()));
    EXPECT_THAT(page(id).body, HasSubstr("<b>Signature not valid</b>"));
}

TEST_F(PublicPage, findings_are_told_with_their_texts_where_the_rules_say_them_literally) {
    rules_source_ = std::string(kRules) + kFailing;
    const std::string id = signed_version();
    activate(id, R"([{"id":"MASS-GIVEN","reason":"weighed <later>"},)"
                 R"({"id":"ID-PLANTED-INTEREST","reason":"r"},{"id":"RECIPE","reason":"r"}])");
    const HttpReply reply = page(id);
    for (const char* shown :
         {"<b>In force with failed checks</b>", "1 passed, 3 failed, 1 with a warning",
          "<bdi>MASS-GIVEN</bdi><br><bdi>the mass is &lt;given&gt;</bdi>",
          "<q><bdi>weighed &lt;later&gt;</bdi></q>", "<bdi>ODD</bdi><br><bdi>odd</bdi>",
          "a check without a public name<br><bdi>the recipe has an id</bdi>",
          "<bdi>RECIPE</bdi><br><span class=\"note\">The details of this check are not public."}) {
        EXPECT_THAT(reply.body, HasSubstr(shown));
    }
    EXPECT_THAT(reply.header + reply.body, Not(HasSubstr("PLANTED")));
    EXPECT_THAT(reply.body, Not(HasSubstr("planted-ann"))) << "who accepted is for the tenant";
    EXPECT_THAT(one("select p::text from jobforge.public_passport('" + id + "') p"),
                Not(HasSubstr("PLANTED")));
}

// The same over HTTP, for whoever puts passports into force.
TEST_F(PublicPage, an_admin_accepts_each_failing_entry_or_gets_them_listed) {
    rules_source_ = std::string(kRules) + kFailing;
    const std::string version = "/v1/passport-versions/" + signed_version();
    const Reply refused = ask("POST", version + "/activate", {.key = admin_});
    EXPECT_EQ(refused.status, 409) << refused.body;
    const Json error = *Json::parse(refused.body)->find("error");
    EXPECT_EQ(error.find("code")->dump(), R"("COMPLIANCE_FAILED")");
    const Json* listed = error.find("details")->find("findings");
    ASSERT_NE(listed, nullptr) << refused.body;
    Json accept = Json::array();
    for (const Json& finding : *listed->as_array()) {
        EXPECT_NE(finding.find("evidence"), nullptr);
        accept.push_back(Json::object({{"id", *finding.find("id")}, {"reason", "we know"}}));
    }
    EXPECT_EQ(accept.as_array()->size(), 3U);
    for (const char* wrong :
         {R"({"accept":{}})", R"({"accept":[{"id":"A"}]})", R"({"accept":["A"]})",
          R"({"accept":[{"id":"A","reason":"r","x":1}]})", R"({"acept":[]})"}) {
        EXPECT_EQ(ask("POST", version + "/activate", {.key = admin_, .body = wrong}).status, 422)
            << wrong;
    }
    const Reply done = ask("POST", version + "/activate",
                           {.key = admin_, .body = Json::object({{"accept", accept}}).dump()});
    EXPECT_EQ(done.status, 200) << done.body;
    const Json told = *Json::parse(ask("GET", version, {.key = admin_}).body)->find("findings");
    EXPECT_EQ(told.find("counts")->find("FAIL")->as_int64(), 3);
    const Json* accepted = told.find("entries")->as_array()->front().find("accepted");
    EXPECT_EQ(accepted->find("reason")->dump(), R"("we know")");
    EXPECT_THAT(accepted->find("accepted_by")->dump(), HasSubstr("key"))
        << "who: " << accepted->dump();
}

TEST_F(PublicPage, what_is_not_there_or_was_never_signed_looks_the_same_to_the_byte) {
    const std::string id = compiled();
    const HttpReply unsigned_one = page(id);
    EXPECT_EQ(unsigned_one.status, 404);
    EXPECT_EQ(header_of(unsigned_one, "Content-Type"), "text/html; charset=utf-8");
    EXPECT_THAT(unsigned_one.body, HasSubstr("There is no such passport"));
    for (const std::string& other : {new_id(), std::string("x"), std::string("%3Cscript%3E"),
                                     id.substr(1), id + "0", std::string("a.b")}) {
        const HttpReply reply = page(other);
        EXPECT_EQ(reply.status, 404) << other;
        EXPECT_EQ(reply.body, unsigned_one.body) << other;
        for (const char* name : {"Content-Type", "Content-Security-Policy", "Cache-Control",
                                 "Content-Length", "ETag", "Referrer-Policy"}) {
            EXPECT_EQ(header_of(reply, name), header_of(unsigned_one, name))
                << other << " " << name;
        }
    }
}

TEST_F(PublicPage, a_copied_id_of_another_tenant_changes_nothing) {
    const std::string id = active();
    const std::string before = page(id).body;
    act_as(other_tenant_);
    signed_version(id);
    one("select jobforge.revoke_passport_version('" + id + "', 'mine now')");
    EXPECT_EQ(page(id).body, before);
}

TEST_F(PublicPage, may_be_kept_for_a_minute_and_asked_for_by_its_tag) {
    const std::string id = active();
    const HttpReply reply = page(id);
    EXPECT_EQ(header_of(reply, "Cache-Control"), "public, max-age=60");
    const std::string tag = header_of(reply, "ETag");
    EXPECT_EQ(tag, '"' + sha256_hex(reply.body) + '"');
    const HttpReply same = page(id, "If-None-Match: " + tag + "\r\n");
    EXPECT_EQ(same.status, 304);
    EXPECT_EQ(same.body, "");
    EXPECT_EQ(header_of(same, "ETag"), tag);
    one("select jobforge.revoke_passport_version('" + id + "', 'x')");
    EXPECT_EQ(page(id, "If-None-Match: " + tag + "\r\n").status, 200);
    const HttpReply head = ask_http("/p/" + id, "", "HEAD");
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.body, "");
    EXPECT_EQ(header_of(head, "Content-Length"), std::to_string(page(id).body.size()));
    const HttpReply small = page(id, "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(header_of(small, "Content-Encoding"), "gzip");
    EXPECT_LT(small.body.size(), reply.body.size());
    EXPECT_EQ(ask_http("/p/" + id, "", "POST").status, 405);
}

TEST_F(PublicPage, lets_a_browser_do_nothing_but_show_it) {
    const HttpReply reply = page(active());
    EXPECT_THAT(header_of(reply, "Content-Security-Policy"),
                HasSubstr("default-src 'none'; style-src 'sha256-"));
    EXPECT_THAT(header_of(reply, "Content-Security-Policy"), Not(HasSubstr("unsafe")));
    EXPECT_EQ(header_of(reply, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(header_of(reply, "Referrer-Policy"), "no-referrer");
}

TEST_F(PublicPage, has_a_rate_for_each_address) {
    options().rate_limit = {.enabled = true, .requests_per_second = 1, .burst = 3};
    const auto now = api::RateLimit::TimePoint{};
    options().clock = [now] { return now; };
    const std::string id = active();
    for (int i = 2; i >= 0; --i) {
        const HttpReply reply = page(id);
        EXPECT_EQ(reply.status, 200);
        EXPECT_EQ(header_of(reply, "RateLimit-Remaining"), std::to_string(i));
    }
    const HttpReply refused = page(id);
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(header_of(refused, "Retry-After"), "1");
    EXPECT_EQ(page("x").status, 429) << "also for what is not there";
    EXPECT_EQ(get("/v1/jobs").status, 200) << "keys have their own";
    EXPECT_EQ(ask_http("/v1/health/live").status, 200);
}

}  // namespace
}  // namespace jobforge::test
