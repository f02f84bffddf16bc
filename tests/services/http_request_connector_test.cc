// connector.http.request against real servers: what is sent, what is kept, and what each answer
// means for the job.
#include <gmock/gmock.h>

#include "connector_world.h"

namespace jobforge::services {
namespace {

using test::http_answer;
using test::kHttpRequest;
using test::kPlanted;
using test::TcpPeer;
using test::TcpServer;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::string_literals;

class HttpConnector : public test::ConnectorWorld {
protected:
    HttpConnector() {
        run("update jobforge.job_types set backoff = 'source', backoff_base_seconds = 3600, "
            "backoff_jitter = 0 where type = 'connector.http.request'");
    }
    // The job of one request; `more` is members of its payload.
    std::string request(const std::string& url, const std::string& more = "") {
        return enqueue(kHttpRequest,
                       fmt::format(R"({{"url":"{}"{}{}}})", url, more.empty() ? "" : ",", more));
    }
    // Its end, for requests that end at once.
    std::string ends_with(const std::string& url, const std::string& more = "") {
        return end_of(last_ = request(url, more));
    }
    std::string last_;
    TcpServer echo_{test::echoes};
};

TEST_F(HttpConnector, every_method_is_sent_and_its_answer_kept) {
    for (const std::string method : {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}) {
        SCOPED_TRACE(method);
        ASSERT_EQ(ends_with(echo_.url("/a?b=c"), fmt::format(R"("method":"{}")", method)),
                  "SUCCEEDED");
        EXPECT_EQ(result(last_, "status"), "200");
        EXPECT_EQ(result(last_, "attempts"), "1");
        EXPECT_EQ(result(last_, "truncated"), "false");
        EXPECT_EQ(result(last_, "body_encoding"), "utf8");
        if (method == "HEAD") {
            EXPECT_EQ(result(last_, "body"), "");
        } else {
            EXPECT_THAT(result(last_, "body"), StartsWith(method + " /a?b=c HTTP/1.1\r\n"));
        }
        EXPECT_EQ(job(last_, "result -> 'headers' ->> 'content-type'"), "text/plain");
    }
}

TEST_F(HttpConnector, a_text_is_sent_as_it_is_and_any_other_value_as_json) {
    ASSERT_EQ(ends_with(echo_.url(), R"("method":"POST","body":"a=1&b=2")"), "SUCCEEDED");
    EXPECT_THAT(result(last_, "body"), HasSubstr("\r\n\r\na=1&b=2"));
    EXPECT_THAT(result(last_, "body"), Not(HasSubstr("Content-Type")));
    ASSERT_EQ(ends_with(echo_.url(), R"("method":"PUT","body":{"price":19.990,"n":[1,null]})"),
              "SUCCEEDED");
    EXPECT_THAT(result(last_, "body"), HasSubstr(R"({"n":[1,null],"price":19.990})"));
    EXPECT_THAT(result(last_, "body"), HasSubstr("Content-Type: application/json\r\n"));
    ASSERT_EQ(
        ends_with(echo_.url(), R"("method":"POST","body":[1],"headers":{"content-type":"text/x"})"),
        "SUCCEEDED");
    EXPECT_THAT(result(last_, "body"), Not(HasSubstr("application/json")));
}

TEST_F(HttpConnector, a_payload_that_does_not_fit_is_refused_at_enqueue_and_at_run) {
    EXPECT_EQ(
        admin_
            .exec(
                {"t",
                 "select jobforge.enqueue_job('connector.http.request', '{\"url\":\"ftp://a\"}')"})
            .error()
            .code,
        ErrorCode::JOB_PAYLOAD_INVALID);
    // A job that is older than the schema.
    run("update jobforge.job_types set payload_schema = null where type = "
        "'connector.http.request'");
    const std::string older = enqueue(kHttpRequest, R"({"url":"ftp://a"})");
    const std::string fits = request(echo_.url());
    run("update jobforge.job_types set payload_schema = "
        "'{\"properties\":{\"url\":{\"format\":\"uri\"}}}' where type = 'connector.http.request'");
    EXPECT_EQ(end_of(older), "FAILED JOB_PAYLOAD_INVALID");
    EXPECT_EQ(message_of(older), "/url must be an http or https URL");
    EXPECT_EQ(end_of(fits), "SUCCEEDED");
}

TEST_F(HttpConnector, accept_status_decides_what_is_a_success) {
    const auto missing = TcpServer::answering(http_answer("404 None", "", "no such thing"));
    EXPECT_EQ(ends_with(missing->url(), R"("accept_status":[200,404])"), "SUCCEEDED");
    EXPECT_EQ(result(last_, "body"), "no such thing");
    EXPECT_EQ(ends_with(missing->url(), R"("accept_status":["4xx"])"), "SUCCEEDED");
    EXPECT_EQ(ends_with(missing->url(), R"("accept_status":["5xx",405])"),
              "FAILED HTTP_STATUS_UNEXPECTED");
    EXPECT_EQ(ends_with(missing->url()), "FAILED HTTP_STATUS_UNEXPECTED");
    EXPECT_EQ(message_of(last_), "the server answered 404");
    EXPECT_EQ(job(last_, "last_error -> 'details'"),
              R"({"http_status": 404, "response_preview": "no such thing"})");
    EXPECT_EQ(ends_with(echo_.url(), R"("accept_status":[204])"), "FAILED HTTP_STATUS_UNEXPECTED")
        << "a 200 that nobody accepts is a failure like another";
}

TEST_F(HttpConnector, statuses_that_may_change_are_tried_again_when_the_server_says) {
    for (const auto& [status, headers, wait] : {std::tuple{"500 Broken", ""s, 3600},
                                                {"408 Slow", ""s, 3600},
                                                {"425 Early", ""s, 3600},
                                                {"503 Busy", "Retry-After: 7200\r\n"s, 7200}}) {
        SCOPED_TRACE(status);
        const auto server = TcpServer::answering(http_answer(status, headers));
        const std::string id = request(server->url());
        EXPECT_EQ(retry_of(id), "QUEUED HTTP_STATUS_UNEXPECTED");
        EXPECT_EQ(job(id, "attempts"), "1");
        EXPECT_NEAR(std::stod(job(id, "extract(epoch from scheduled_at - clock_timestamp())")),
                    wait, 30);
    }
}

TEST_F(HttpConnector, redirects_are_answers_unless_they_may_be_followed_and_credentials_stay) {
    const TcpServer elsewhere(test::echoes);
    const auto first = TcpServer::answering(
        http_answer("302 Found", fmt::format("Location: {}\r\n", elsewhere.url("/there"))));
    EXPECT_EQ(ends_with(first->url()), "FAILED HTTP_STATUS_UNEXPECTED");
    EXPECT_EQ(elsewhere.connections(), 0);
    EXPECT_EQ(ends_with(first->url(), R"("follow_redirects":1,
        "auth":{"type":"header","secret_ref":"PLANTED","header":"X-Token"}, "headers":{"Accept":"a/b"})"),
              "SUCCEEDED");
    EXPECT_THAT(first->requests().back(), HasSubstr("X-Token: "s + kPlanted));
    EXPECT_THAT(result(last_, "body"), HasSubstr("Accept: a/b"));
    EXPECT_THAT(result(last_, "body"), Not(HasSubstr("X-Token"))) << "another origin never sees it";
}

TEST_F(HttpConnector, the_allowlists_of_tenant_and_payload_both_hold_for_every_hop) {
    EXPECT_EQ(ends_with(echo_.url(), R"("allowlist":["example.com","*.example.org"])"),
              "FAILED SSRF_BLOCKED");
    EXPECT_EQ(ends_with(echo_.url(), R"("allowlist":["127.0.0.1"])"), "SUCCEEDED");
    configure(kHttpRequest, R"({"allowlist":["example.com"]})");
    EXPECT_EQ(ends_with(echo_.url(), R"("allowlist":["127.0.0.1"])"), "FAILED SSRF_BLOCKED")
        << "a payload cannot widen the tenant's list";
    configure(kHttpRequest, R"({"allowlist":["127.0.0.1"],"follow_redirects":5})");
    const TcpServer other(test::echoes, "127.0.0.2");
    const auto first =
        TcpServer::answering(http_answer("302 Found", "Location: " + other.url() + "\r\n"));
    EXPECT_EQ(ends_with(first->url()), "FAILED SSRF_BLOCKED") << "nor leave it by a redirect";
    EXPECT_EQ(other.connections(), 0);
}

TEST_F(HttpConnector, what_the_tenant_has_configured_is_default_and_limit) {
    configure(
        kHttpRequest,
        R"({"max_response_bytes":20,"headers":{"X-Team":"ours"},"redact_headers":["x-key"]})");
    ASSERT_EQ(ends_with(echo_.url(), R"("max_response_bytes":1000,"headers":{"x-team":"theirs"})"),
              "SUCCEEDED");
    EXPECT_EQ(result(last_, "body").size(), 20U);
    EXPECT_EQ(result(last_, "truncated"), "true");
    EXPECT_EQ(job(last_, "result -> 'headers' ->> 'x-key'"), "[redacted]");
    configure(kHttpRequest, R"({"headers":{"X-Team":"ours"}})");
    ASSERT_EQ(ends_with(echo_.url(),
                        R"("headers":{"x-team":"theirs"},"redact_headers":["Content-Type"])"),
              "SUCCEEDED");
    EXPECT_THAT(result(last_, "body"), HasSubstr("X-Team: ours\r\n"));
    EXPECT_THAT(result(last_, "body"), Not(HasSubstr("theirs")));
    EXPECT_EQ(job(last_, "result -> 'headers' ->> 'content-type'"), "[redacted]");
    EXPECT_EQ(job(last_, "result -> 'headers' ->> 'set-cookie'"), "[redacted]") << "always";
    run("select jobforge.set_connector_config('connector.http.request', '{}', false)");
    EXPECT_EQ(ends_with(echo_.url()), "FAILED FORBIDDEN");
}

TEST_F(HttpConnector, the_tenants_timeout_is_kept_however_long_the_payload_wants) {
    const TcpServer silent([](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.closed_within(test::kPatience);
    });
    configure(kHttpRequest, R"({"timeout_ms":200})");
    const std::string id = request(silent.url(), R"("timeout_ms":300000)");
    EXPECT_EQ(retry_of(id), "QUEUED TIMEOUT");
}

TEST_F(HttpConnector, a_secret_reaches_the_server_and_nothing_else) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    secrets_["JOBFORGE_SECRET_LOGIN"] = "ann:"s + kPlanted;
    ASSERT_EQ(ends_with(server->url(), R"("auth":{"type":"bearer","secret_ref":"PLANTED"},
        "headers":{"Authorization":"Bearer other"})"),
              "SUCCEEDED");
    EXPECT_THAT(server->requests().back(),
                HasSubstr("Authorization: Bearer "s + kPlanted + "\r\n"));
    EXPECT_THAT(server->requests().back(), Not(HasSubstr("other")));
    ASSERT_EQ(ends_with(server->url(), R"("auth":{"type":"basic","secret_ref":"LOGIN"})"),
              "SUCCEEDED");
    EXPECT_THAT(server->requests().back(),
                HasSubstr("Authorization: Basic YW5uOnBsYW50ZWQtU2VjcmV0LzQyK3ZhbHVl\r\n"));
    // Servers that tell everything, on success and on failure, in body and headers.
    ASSERT_EQ(ends_with(echo_.url(), R"("auth":{"type":"bearer","secret_ref":"PLANTED"})"),
              "SUCCEEDED");
    EXPECT_THAT(result(last_, "body"), HasSubstr("Bearer [redacted]"));
    const TcpServer tells([](TcpPeer& peer) {
        const std::string told = peer.read_request();
        const auto at = told.find(kPlanted);
        (void)peer.write(http_answer(
            "403 No", "X-You-Sent: " + told.substr(at, sizeof kPlanted - 1) + "\r\n", told));
    });
    EXPECT_EQ(
        ends_with(tells.url(), R"("auth":{"type":"header","secret_ref":"PLANTED","header":"X-T"})"),
        "FAILED HTTP_STATUS_UNEXPECTED");
    EXPECT_EQ(ends_with(echo_.url(), R"("auth":{"type":"basic","secret_ref":"LOGIN"})"),
              "SUCCEEDED");
    stop();
    EXPECT_THAT(kept(), HasSubstr("connector.http.request")) << "there is something to look at";
    EXPECT_THAT(kept(), Not(HasSubstr("planted-Secret")));
    EXPECT_THAT(kept(), Not(HasSubstr("YW5uOnBsYW50")));
}

TEST_F(HttpConnector, a_secret_that_is_not_there_fails_for_good_and_nothing_is_sent) {
    EXPECT_EQ(ends_with(echo_.url(), R"("auth":{"type":"bearer","secret_ref":"MISSING"})"),
              "FAILED SECRET_NOT_FOUND");
    EXPECT_EQ(message_of(last_), "there is no secret MISSING");
    EXPECT_EQ(echo_.connections(), 0);
    connectors_.https_only = true;
    stop();
    EXPECT_EQ(ends_with(echo_.url(), R"("auth":{"type":"bearer","secret_ref":"PLANTED"})"),
              "FAILED SSRF_BLOCKED")
        << "in production no secret travels without TLS";
    EXPECT_EQ(echo_.connections(), 0);
}

TEST_F(HttpConnector, hostile_answers_end_in_time_and_within_bounds) {
    const std::string small = R"("timeout_ms":1000,"max_response_bytes":4096)";
    const TcpServer endless([](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.write("HTTP/1.1 200 OK\r\n\r\n");
        while (peer.write(std::string(16384, 'x'))) {
        }
    });
    EXPECT_EQ(ends_with(endless.url(), small), "SUCCEEDED");
    EXPECT_EQ(result(last_, "body").size(), 4096U);
    EXPECT_EQ(result(last_, "truncated"), "true");
    const TcpServer drips([](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        while (!peer.closed_within(std::chrono::milliseconds(20)) && peer.write("x")) {
        }
    });
    EXPECT_EQ(retry_of(request(drips.url(), small)), "QUEUED TIMEOUT");
    for (const std::string& bytes :
         {"SSH-2.0-x\r\n"s, ""s, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"s,
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"s}) {
        const TcpServer broken([&bytes](TcpPeer& peer) {
            (void)peer.read_request();
            (void)peer.write(bytes);
        });
        EXPECT_EQ(retry_of(request(broken.url(), small)), "QUEUED CONNECTION_FAILED") << bytes;
        stop();
    }
    const auto binary =
        TcpServer::answering(http_answer("200 OK", "X-Latin: caf\xE9\r\n", "\x00\xFF"s));
    EXPECT_EQ(ends_with(binary->url(), small), "SUCCEEDED");
    EXPECT_EQ(result(last_, "body_encoding") + " " + result(last_, "body"), "base64 AP8=");
    stop();
}

TEST_F(HttpConnector, a_private_address_is_refused_and_a_broken_url_too) {
    connectors_.http = std::make_shared<connect::HttpClient>();
    EXPECT_EQ(ends_with(echo_.url()), "FAILED SSRF_BLOCKED");
    EXPECT_EQ(ends_with("http://127.1/"), "FAILED SSRF_BLOCKED");
    EXPECT_EQ(echo_.connections(), 0);
}

TEST_F(HttpConnector, the_trace_of_the_job_goes_with_the_request) {
    const std::string id = one(fmt::format(
        "select job_id from jobforge.enqueue_job('connector.http.request', '{{\"url\":\"{}\"}}', "
        "p_trace_id => '4bf92f3577b34da6a3ce929d0e0e4736')",
        echo_.url()));
    ASSERT_EQ(end_of(id), "SUCCEEDED");
    EXPECT_THAT(result(id, "body"), HasSubstr("traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-"));
}

TEST_F(HttpConnector, a_host_that_fails_is_left_alone_by_all_its_jobs_without_spending_attempts) {
    const auto down = TcpServer::answering(http_answer("503 Down"));
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(retry_of(request(down->url(), fmt::format(R"("headers":{{"n":"{}"}})", i))),
                  "QUEUED HTTP_STATUS_UNEXPECTED");
    }
    const std::string waits = request(down->url());
    start();
    ASSERT_TRUE(test::wait_until([&] {
        return job(waits, "status || attempts || (scheduled_at > clock_timestamp())::text") ==
               "QUEUED0true";
    })) << job(waits, "row_to_json(all_jobs)");
    EXPECT_EQ(one("select state from jobforge.governors where kind = 'host'"), "OPEN");
    EXPECT_EQ(ends_with(echo_.url()), "SUCCEEDED") << "another origin is not concerned";
}

TEST_F(HttpConnector, requests_per_minute_is_a_limit_for_each_host) {
    configure(kHttpRequest, R"({"requests_per_minute":1})");
    EXPECT_EQ(ends_with(echo_.url()), "SUCCEEDED");
    const std::string waits = request(echo_.url());
    ASSERT_TRUE(test::wait_until([&] {
        return job(waits, "status || attempts || (scheduled_at > clock_timestamp())::text") ==
               "QUEUED0true";
    }));
    EXPECT_EQ(echo_.connections(), 1);
    configure(kHttpRequest, "{}");
    EXPECT_EQ(ends_with(echo_.url()), "SUCCEEDED") << "a limit that is taken back holds nobody";
}

}  // namespace
}  // namespace jobforge::services
