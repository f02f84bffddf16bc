// Hole 14 of the attack on tenants, as far as answers show it: pages, caches, the access log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include <fmt/format.h>

#include "api/answers.h"
#include "api/routes.h"
#include "api_http_world.h"
#include "base/crypto/hash.h"
#include "base/text/base64.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Hardening : public ApiHttpWorld {
protected:
    static std::string with_key(const std::string& key) {
        return fmt::format("Authorization: Bearer {}\r\n", key);
    }
};

TEST_F(Hardening, the_page_of_the_api_runs_nothing_and_takes_nothing_from_elsewhere) {
    const HttpReply page = ask_http("/docs");
    ASSERT_EQ(page.status, 200);
    std::smatch style;
    ASSERT_TRUE(std::regex_search(page.body, style, std::regex("<style>([^<]*)</style>")));
    const Sha256 digest = sha256(style[1].str());
    const std::string hash = base64_encode(
        std::string_view(reinterpret_cast<const char*>(digest.data()), digest.size()));
    EXPECT_EQ(header_of(page, "Content-Security-Policy"),
              fmt::format("default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; "
                          "form-action 'none'; frame-ancestors 'none'",
                          hash));
    EXPECT_EQ(header_of(page, "Referrer-Policy"), "no-referrer");
    EXPECT_EQ(page.body.find("<style>"), page.body.rfind("<style"));
    for (const char* inline_one : {"<script", " style=", " onclick", "javascript:", "<base"}) {
        EXPECT_THAT(page.body, Not(HasSubstr(inline_one)));
    }
}

// The table's own routes, so that a new one cannot forget it.
TEST_F(Hardening, what_a_key_may_see_is_not_cached_for_another_key) {
    const std::string key = make_key(tenant_, {"Auditor"});
    int asked = 0;
    for (const api::Route* route : api::Router(api::all_routes()).routes()) {
        const std::string path =
            std::regex_replace(std::string(route->pattern), std::regex("\\{[a-z_]+\\}"),
                               route->pattern.find("{key_id}") != std::string_view::npos
                                   ? "ab3d5f7ha2c4e6gq"
                                   : "0190aaaa-0000-7000-8000-000000000001");
        if (!route->permission || path == "/v1/jobs/stream") {
            continue;
        }
        for (const std::string& headers : {with_key(key), std::string()}) {
            const HttpReply reply = ask_http(path, headers, route->method);
            EXPECT_EQ(header_of(reply, "Vary").substr(0, 13), "Authorization")
                << route->method << " " << path << " " << reply.status;
            EXPECT_EQ(header_of(reply, "Cache-Control"), "no-store") << path << reply.status;
        }
        ++asked;
    }
    EXPECT_GT(asked, 60);
    EXPECT_EQ(header_of(ask_http("/v1/health/live"), "Vary"), "") << "the same for everybody";
}

TEST_F(Hardening, compressed_answers_vary_by_both) {
    const HttpReply types =
        ask_http("/v1/job-types", with_key(admin_) + "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(header_of(types, "Content-Encoding"), "gzip");
    EXPECT_EQ(header_of(types, "Vary"), "Authorization, Accept-Encoding");
}

TEST_F(Hardening, bytes_that_never_change_are_kept_for_a_minute_by_their_reader_alone) {
    const Reply uploaded = ask("POST", "/v1/documents?kind=BOM&name=bom.json",
                               {.key = admin_, .body = R"({"components":[]})"});
    ASSERT_EQ(uploaded.status, 201) << uploaded.body;
    const std::string path =
        "/v1/document-versions/" + uploaded.member("document_version_id") + "/content";
    const HttpReply content = ask_http(path, with_key(admin_));
    ASSERT_EQ(content.status, 200);
    EXPECT_EQ(header_of(content, "Cache-Control"), "private, max-age=60");
    EXPECT_EQ(header_of(content, "Vary"), "Authorization");
    const HttpReply again =
        ask_http(path, with_key(admin_) + "If-None-Match: " + header_of(content, "ETag") + "\r\n");
    EXPECT_EQ(again.status, 304);
    EXPECT_EQ(header_of(again, "Vary"), "Authorization");
    EXPECT_EQ(ask_http(path, "If-None-Match: " + header_of(content, "ETag") + "\r\n").status, 401);
}

TEST_F(Hardening, a_trace_id_has_at_most_200_characters) {
    const auto enqueue = [this](const std::string& trace) {
        return post("/v1/jobs", fmt::format(R"({{"type":"test.echo","trace_id":"{}"}})", trace));
    };
    std::string wide;
    for (int i = 0; i < 200; ++i) {
        wide += "ä";
    }
    EXPECT_EQ(enqueue(std::string(200, 'x')).status, 201);
    EXPECT_EQ(enqueue(wide).status, 201) << "characters, not bytes";
    const Reply refused = enqueue(std::string(201, 'x'));
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(refused.member("error.details.field"), "trace_id");
    EXPECT_EQ(enqueue(wide + "x").status, 422);
    const Reply batch =
        post("/v1/jobs/batch", fmt::format(R"({{"jobs":[{{"type":"test.echo","trace_id":"{}"}}]}})",
                                           std::string(201, 'x')));
    EXPECT_EQ(batch.status, 422) << batch.body;
    EXPECT_EQ(one("select count(*) from jobforge.jobs"), "2");
}

class AccessLog : public Hardening {
protected:
    AccessLog() { options().access_log = Logger(witness_); }
    // The line of the last request, without what no test can know.
    std::string line(std::size_t count) {
        EXPECT_TRUE(wait_until([&] {
            const std::string log = witness_->log();
            return static_cast<std::size_t>(std::count(log.begin(), log.end(), '\n')) == count;
        })) << witness_->log();
        std::string log = witness_->log();
        log.pop_back();
        log = log.substr(log.rfind('\n') + 1);
        log = std::regex_replace(log, std::regex("duration_us=[0-9]+"), "duration_us=N");
        return std::regex_replace(log, std::regex(" bytes=[0-9]+"), "");
    }

    std::shared_ptr<Witness> witness_ = std::make_shared<Witness>();
};

TEST_F(AccessLog, has_a_line_for_each_request_with_who_asked_for_what) {
    const std::string id = post("/v1/jobs", R"({"type":"test.echo"})").member("job_id");
    const auto said = [&](const char* route, int status, bool known) {
        return fmt::format(
            "request method=\"GET\" route=\"{}\" status={} duration_us=N address=\"127.0.0.1\" "
            "key_id={} tenant_id={} correlation_id=\"abc\"",
            route, status, known ? '"' + key_id(admin_) + '"' : "null",
            known ? '"' + tenant_.to_string() + '"' : "null");
    };
    const std::string marked = "X-Correlation-Id: abc\r\n";
    stop_service();
    // A key that this node has not seen: by a handler; then on the short way.
    for (std::size_t count : {1U, 2U}) {
        EXPECT_EQ(ask_http("/v1/jobs/" + id + "?", with_key(admin_) + marked).status, 200);
        EXPECT_EQ(line(count), said("/v1/jobs/{job_id}", 200, true));
    }
    EXPECT_EQ(ask_http("/v1/health/live", marked).status, 200);
    EXPECT_EQ(line(3), said("/v1/health/live", 200, false));
    EXPECT_EQ(ask_http("/v1/jobs", marked).status, 401);
    EXPECT_EQ(line(4), said("/v1/jobs", 401, false));
    EXPECT_EQ(ask_http("/nothing/here", marked).status, 404);
    EXPECT_EQ(line(5), said("unmatched", 404, false));
}

TEST_F(AccessLog, never_has_a_secret_or_a_value_of_the_query) {
    std::string wrong = admin_;
    wrong.back() = wrong.back() == 'a' ? 'b' : 'a';
    EXPECT_EQ(ask_http("/v1/jobs?type=pl4nted-query&limit=1", with_key(admin_)).status, 200);
    EXPECT_EQ(ask_http("/v1/jobs?cursor=pl4nted-query", with_key(wrong)).status, 401);
    EXPECT_EQ(ask_http("/v1/sources/pl4nted-name", with_key(admin_)).status, 404);
    EXPECT_EQ(ask_http("/pl4nted-path?pl4nted-query", "X-Planted: pl4nted-header\r\n").status, 404);
    HttpConnection broken(port());
    broken.send("GET /pl4nted-target HTTP/1.1\r\n pl4nted-fold\r\n\r\n");
    EXPECT_EQ(broken.receive().status, 400);
    (void)line(5);
    const std::string log = witness_->log();
    EXPECT_THAT(log, Not(HasSubstr("pl4nted")));
    EXPECT_THAT(log, Not(HasSubstr("jf_test")));
    EXPECT_THAT(log, HasSubstr("route=\"invalid\" status=400"));
    EXPECT_THAT(log, HasSubstr("status=401 "));
    EXPECT_THAT(log, HasSubstr("key_id=null"));
}

TEST_F(AccessLog, is_off_unless_it_is_asked_for) {
    EXPECT_FALSE(api::ApiServiceOptions().access_log.has_value());
}

}  // namespace
}  // namespace jobforge::test
