// The life of a webhook endpoint: several secrets during a rotation, disabled when it is gone, left
// alone while it fails, and everything that failed sent again.
#include <chrono>

#include <gmock/gmock.h>

#include "base/crypto/hash.h"
#include "base/crypto/hmac.h"
#include "base/text/base64.h"
#include "base/text/bytes.h"
#include "webhook_world.h"

namespace jobforge::services {
namespace {

using test::http_answer;
using test::must;
using test::TcpPeer;
using test::TcpServer;
using ::testing::HasSubstr;

std::string header_in(const std::string& request, const std::string& name) {
    const auto at = request.find("\r\n" + name + ": ");
    const auto start = at + name.size() + 4;
    return at == std::string::npos ? ""
                                   : request.substr(start, request.find("\r\n", start) - start);
}

std::string body_in(const std::string& request) {
    return request.substr(request.find("\r\n\r\n") + 4);
}

// One signature of Standard Webhooks, as a receiver with this secret computes it.
std::string standard_signature(const std::string& secret, const std::string& request) {
    const std::string key = base64_decode(std::string_view(secret).substr(6)).value();
    return "v1," +
           base64_encode(bytes_of(hmac_sha256(
               key, fmt::format("{}.{}.{}", header_in(request, "webhook-id"),
                                header_in(request, "webhook-timestamp"), body_in(request)))));
}

std::string bpc_signature(const std::string& secret, const std::string& request) {
    return "sha256=" + hex_encode(bytes_of(hmac_sha256(secret, body_in(request))));
}

class WebhookEndpoints : public test::WebhookWorld {
protected:
    WebhookEndpoints() {
        run("update jobforge.job_types set backoff = 'source', backoff_base_seconds = 3600, "
            "backoff_jitter = 0 where type = 'DELIVER_WEBHOOK'");
    }
    std::string endpoint_column(const CreatedEndpoint& of, const std::string& expression) {
        return one(fmt::format(
            "select {} from jobforge.webhook_endpoints where webhook_endpoint_id = '{}'",
            expression, of.webhook_endpoint_id.to_string()));
    }
    std::string rotate(const CreatedEndpoint& of, std::chrono::seconds overlap) {
        return must(rotate_webhook_secret(*calls_, *settings_.secrets, tenant_,
                                          of.webhook_endpoint_id, overlap))
            .secret;
    }
    // One event, delivered; the request as the receiver saw it.
    std::string delivered(const CreatedEndpoint& to, const TcpServer& server) {
        happen();
        EXPECT_EQ(end_of(job_of(to)), "SUCCEEDED");
        return server.requests().back();
    }
};

TEST_F(WebhookEndpoints, during_a_rotation_old_and_new_secret_sign_and_afterwards_the_new_one) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    const CreatedEndpoint to = endpoint(server->url());
    const std::string before = delivered(to, *server);
    EXPECT_EQ(header_in(before, "webhook-signature"), standard_signature(to.secret, before));

    const std::string next = rotate(to, std::chrono::hours(1));
    EXPECT_NE(next, to.secret);
    const std::string during = delivered(to, *server);
    EXPECT_EQ(header_in(during, "webhook-signature"),
              standard_signature(to.secret, during) + " " + standard_signature(next, during));
    EXPECT_EQ(header_in(during, "X-BPC-Signature"), bpc_signature(to.secret, during))
        << "the plain header stays with the old secret until the switch";

    run("update jobforge.webhook_replaced_secrets set replaced_at = replaced_at - interval '2 "
        "hours', "
        "expires_at = expires_at - interval '2 hours'");
    const std::string after = delivered(to, *server);
    EXPECT_EQ(header_in(after, "webhook-signature"), standard_signature(next, after));
    EXPECT_EQ(header_in(after, "X-BPC-Signature"), bpc_signature(next, after));
}

TEST_F(WebhookEndpoints, a_rotation_without_overlap_ends_the_old_secret_at_once) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    const CreatedEndpoint to = endpoint(server->url());
    rotate(to, std::chrono::hours(1));
    const std::string last = rotate(to, std::chrono::seconds(0));
    const std::string sent = delivered(to, *server);
    EXPECT_EQ(header_in(sent, "webhook-signature"), standard_signature(last, sent));
    EXPECT_EQ(one("select count(*) from jobforge.webhook_endpoints where encode(secret_ciphertext, "
                  "'escape') like '%whsec_%'"),
              "0");
}

TEST_F(WebhookEndpoints, routine_deliveries_are_noted_with_their_batch_exactly_as_any_other) {
    const auto server = TcpServer::answering(
        http_answer("201 Made", "X-Latin: caf\xE9\r\n", std::string("\0\xFF", 2)));
    const CreatedEndpoint to = endpoint(server->url());
    delivered(to, *server);
    // As healthy as can be for the rest of the test: a success changes nothing but its delivery.
    run("update jobforge.governors set last_success_at = clock_timestamp() + interval '1 hour'");
    delivered(to, *server);
    EXPECT_EQ(one("select count(distinct (status, attempts, http_status, response_headers, "
                  "response_body, error_message, delivered_at is null)) from "
                  "jobforge.webhook_deliveries"),
              "1")
        << one("select json_agg(d) from jobforge.webhook_deliveries d");
    EXPECT_EQ(delivery(to, "encode(response_body, 'hex')"), "00ff");
    EXPECT_EQ(job(job_of(to), "result"), R"({"delivered": true, "http_status": 201})");
    EXPECT_EQ(one("select (last_success_at > clock_timestamp())::text from jobforge.governors"),
              "true")
        << "the second one was not reported";
}

TEST_F(WebhookEndpoints, a_job_enqueued_by_hand_is_not_routine) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    const CreatedEndpoint to = endpoint(server->url());
    delivered(to, *server);
    run("update jobforge.governors set last_success_at = clock_timestamp() + interval '1 hour'");
    hold("DELIVER_WEBHOOK");
    happen();
    const std::string by_hand = enqueue(
        "DELIVER_WEBHOOK",
        fmt::format(R"({{"webhook_delivery_id":"{}"}})", delivery(to, "webhook_delivery_id")));
    run(fmt::format("select jobforge.cancel_job('{}')", by_hand));
    EXPECT_EQ(delivery(to, kState), "PENDING 0 -") << "its end decides nothing";
    release("DELIVER_WEBHOOK");
    EXPECT_EQ(end_of(job_of(to)), "SUCCEEDED");
    EXPECT_EQ(delivery(to, kState), "DELIVERED 1 200");
}

TEST_F(WebhookEndpoints, gone_disables_an_endpoint_at_once_and_enabling_it_starts_again) {
    const auto server = TcpServer::answering(http_answer("410 Gone"));
    const CreatedEndpoint to = endpoint(server->url());
    happen();
    EXPECT_EQ(end_of(job_of(to)), "FAILED WEBHOOK_NON_2XX");
    EXPECT_EQ(endpoint_column(to, "status"), "DISABLED");
    EXPECT_THAT(endpoint_column(to, "disabled_reason"), HasSubstr("410"));
    happen();
    EXPECT_EQ(one("select count(*) from jobforge.webhook_deliveries"), "1")
        << "it hears of nothing new";
    must(set_webhook_endpoint_status(*calls_, to.webhook_endpoint_id, "ACTIVE"));
    EXPECT_EQ(endpoint_column(to, "permanent_failures"), "0");
    happen();
    EXPECT_EQ(one("select count(*) from jobforge.webhook_deliveries"), "2");
}

TEST_F(WebhookEndpoints,
       refusals_in_a_row_disable_an_endpoint_and_a_success_between_them_does_not) {
    std::atomic<int> turn = 0;
    const TcpServer server([&turn](TcpPeer& peer) {
        while (!peer.read_request().empty()) {
            (void)peer.write(http_answer(++turn == 3 ? "200 OK" : "404 None"));
        }
    });
    const CreatedEndpoint to = endpoint(server.url());
    run(fmt::format("select jobforge.set_webhook_endpoint('{}', '{{\"disable_after\": 3}}')",
                    to.webhook_endpoint_id.to_string()));
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(endpoint_column(to, "status"), "ACTIVE") << i;
        happen();
        (void)end_of(job_of(to));
    }
    EXPECT_EQ(endpoint_column(to, "status || permanent_failures"), "ACTIVE2");
    happen();
    EXPECT_EQ(end_of(job_of(to)), "FAILED WEBHOOK_NON_2XX");
    EXPECT_EQ(endpoint_column(to, "status"), "DISABLED");
    stop();
}

TEST_F(WebhookEndpoints, an_address_that_must_not_be_called_counts_and_our_own_trouble_does_not) {
    const CreatedEndpoint to = endpoint("http://10.0.0.1/hook");
    happen();
    EXPECT_EQ(end_of(job_of(to)), "FAILED SSRF_BLOCKED");
    EXPECT_EQ(endpoint_column(to, "permanent_failures"), "1");
    stop();
    settings_.secrets = nullptr;
    happen();
    EXPECT_EQ(end_of(job_of(to)), "FAILED SECRET_NOT_FOUND");
    EXPECT_EQ(endpoint_column(to, "permanent_failures"), "1")
        << "no master key is nobody's fault but ours";
}

TEST_F(WebhookEndpoints, one_that_fails_again_and_again_is_left_alone_without_spending_attempts) {
    const auto server = TcpServer::answering(http_answer("503 Down"));
    const CreatedEndpoint to = endpoint(server->url());
    for (int i = 0; i < 5; ++i) {
        happen();
        EXPECT_EQ(retry_of(job_of(to)), "QUEUED WEBHOOK_NON_2XX");
    }
    EXPECT_EQ(one("select state from jobforge.governors where kind = 'endpoint'"), "OPEN");
    happen();
    const std::string waits = job_of(to);
    ASSERT_TRUE(test::wait_until([&] {
        return job(waits,
                   "format('%s %s %s', status, attempts, scheduled_at > clock_timestamp())") ==
               "QUEUED 0 t";
    })) << job(waits, "row_to_json(all_jobs)");
    EXPECT_EQ(delivery(to, kState), "PENDING 0 -") << "nothing was sent, nothing is noted";
    EXPECT_EQ(server->requests().size(), 5U);
}

TEST_F(WebhookEndpoints, retry_after_pauses_the_endpoint_for_all_its_deliveries) {
    const auto server = TcpServer::answering(http_answer("429 Many", "Retry-After: 600\r\n"));
    const CreatedEndpoint to = endpoint(server->url());
    happen();
    EXPECT_EQ(retry_of(job_of(to)), "QUEUED WEBHOOK_NON_2XX");
    happen();
    const std::string waits = job_of(to);
    ASSERT_TRUE(test::wait_until([&] {
        return job(waits,
                   "format('%s %s %s', status, attempts, scheduled_at > clock_timestamp() + "
                   "interval '9 minutes')") == "QUEUED 0 t";
    })) << job(waits, "row_to_json(all_jobs)");
    EXPECT_EQ(server->requests().size(), 1U);
}

TEST_F(WebhookEndpoints, a_probe_that_succeeds_opens_the_endpoint_again) {
    std::atomic<bool> up = false;
    const TcpServer server([&up](TcpPeer& peer) {
        while (!peer.read_request().empty()) {
            (void)peer.write(http_answer(up ? "200 OK" : "500 Broken"));
        }
    });
    const CreatedEndpoint to = endpoint(server.url());
    for (int i = 0; i < 5; ++i) {
        happen();
        (void)retry_of(job_of(to));
    }
    up = true;
    run("update jobforge.governors set open_until = clock_timestamp()");
    happen();
    EXPECT_EQ(end_of(job_of(to)), "SUCCEEDED");
    EXPECT_EQ(one("select state || failure_streak from jobforge.governors where kind = 'endpoint'"),
              "CLOSED0");
    stop();
}

TEST_F(WebhookEndpoints, all_that_failed_since_a_time_are_sent_again_and_no_others) {
    std::atomic<bool> up = false;
    const TcpServer server([&up](TcpPeer& peer) {
        while (!peer.read_request().empty()) {
            (void)peer.write(http_answer(up ? "200 OK" : "400 Bad"));
        }
    });
    const CreatedEndpoint to = endpoint(server.url());
    pg::Timestamp since;
    for (int i = 0; i < 3; ++i) {
        happen();
        EXPECT_EQ(end_of(job_of(to)), "FAILED WEBHOOK_NON_2XX");
        if (i == 0) {
            since.unix_us =
                std::stoll(one("select (extract(epoch from clock_timestamp()) * 1000000)::bigint"));
        }
    }
    up = true;
    happen();
    EXPECT_EQ(end_of(job_of(to)), "SUCCEEDED");
    EXPECT_EQ(must(redeliver_failed(
                  *calls_, {.webhook_endpoint_id = to.webhook_endpoint_id, .since = since})),
              2);
    ASSERT_TRUE(test::wait_until([&] {
        return one("select string_agg(status, ' ' order by webhook_delivery_id) from "
                   "jobforge.webhook_deliveries") == "FAILED DELIVERED DELIVERED DELIVERED";
    }));
    EXPECT_EQ(must(redeliver_failed(*calls_, {.since = since})), 0);
    EXPECT_EQ(must(redeliver_failed(*calls_, {})), 1);
    must(set_webhook_endpoint_status(*calls_, to.webhook_endpoint_id, "DISABLED"));
    const auto disabled =
        redeliver_failed(*calls_, {.webhook_endpoint_id = to.webhook_endpoint_id});
    ASSERT_FALSE(disabled.ok());
    EXPECT_EQ(disabled.error().code, ErrorCode::INVALID_TRANSITION);
    stop();
}

TEST_F(WebhookEndpoints, the_trace_of_the_event_goes_with_its_delivery) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    const CreatedEndpoint to = endpoint(server->url());
    hold("DELIVER_WEBHOOK");
    happen();
    run("update jobforge.jobs set trace_id = '4bf92f3577b34da6a3ce929d0e0e4736' where type = "
        "'DELIVER_WEBHOOK'");
    release("DELIVER_WEBHOOK");
    EXPECT_EQ(end_of(job_of(to)), "SUCCEEDED");
    EXPECT_THAT(header_in(server->requests().back(), "traceparent"),
                ::testing::MatchesRegex("00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01"));
}

}  // namespace
}  // namespace jobforge::services
