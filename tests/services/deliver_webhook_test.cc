// DELIVER_WEBHOOK: one signed POST of an audit event, and the life of its delivery.
#include <fstream>
#include <mutex>

#include "base/crypto/hash.h"
#include "base/text/base64.h"
#include "child_process.h"
#include "services/secrets/secret_box.h"
#include "temp_dir.h"
#include "test_paths.h"
#include "webhook_world.h"

namespace jobforge::services {
namespace {

using test::http_answer;
using test::TcpPeer;
using test::TcpServer;

constexpr char kNobody[] = "00000000-0000-4000-8000-000000000000";

// Answers the first request with the first text, and so on; the last for all that follow.
std::unique_ptr<TcpServer> answering_in_turn(std::vector<std::string> answers) {
    auto next = std::make_shared<std::atomic<std::size_t>>(0);
    return std::make_unique<TcpServer>([next, answers = std::move(answers)](TcpPeer& peer) {
        while (!peer.read_request().empty()) {
            const std::size_t turn = next->fetch_add(1);
            (void)peer.write(answers[std::min(turn, answers.size() - 1)]);
        }
    });
}

// A raw request in its parts. Values hold no quotes.
struct Received {
    std::string line;
    std::map<std::string, std::string> headers;
    std::string body;
};

Received parts_of(const std::string& request) {
    Received out;
    const std::size_t end = request.find("\r\n\r\n");
    out.body = request.substr(end + 4);
    std::size_t at = request.find("\r\n");
    out.line = request.substr(0, at);
    while (at < end) {
        const std::size_t start = at + 2;
        at = request.find("\r\n", start);
        const std::string header = request.substr(start, at - start);
        const std::size_t colon = header.find(": ");
        out.headers[header.substr(0, colon)] = header.substr(colon + 2);
    }
    return out;
}

// What a receiver in Python, with nothing of ours, says of the signatures.
std::string verdict_of_python(const std::string& secret, const Received& received) {
    std::string line = fmt::format(R"({{"secrets":["{}"],"body":"{}","headers":{{)", secret,
                                   hex_encode(received.body));
    for (const auto& [name, value] : received.headers) {
        line += fmt::format(R"({}"{}":"{}")", line.back() == '{' ? "" : ",", name, value);
    }
    const test::TempDir home;
    const std::string file = home.path() + "/received.jsonl";
    std::ofstream(file) << line << "}}\n";
    const auto finished =
        test::run({"python3", JOBFORGE_SOURCE_DIR "/tests/connect/verify_webhook.py", file});
    EXPECT_EQ(finished.exit_code, 0) << finished.error_output;
    return finished.output;
}

class Lines final : public LogSink {
public:
    void write(const LogRecord& record) noexcept override {
        const std::lock_guard guard(mutex_);
        text_ += record.message;
        for (const Json::Member& field : record.fields) {
            text_ += " " + field.first + "=" + field.second.dump();
        }
        text_ += "\n";
    }
    [[nodiscard]] bool enabled(LogLevel /*level*/) const noexcept override { return true; }
    [[nodiscard]] std::string text() const {
        const std::lock_guard guard(mutex_);
        return text_;
    }

private:
    mutable std::mutex mutex_;
    std::string text_;
};

class DeliverWebhook : public test::WebhookWorld {
protected:
    std::string payload(const std::string& id) {
        return fmt::format(R"({{"webhook_delivery_id":"{}"}})", id);
    }
    // Every row of every table, as text.
    std::string everything() {
        std::string out;
        auto tables = admin_.exec({"tables",
                                   "select relname::text from pg_class where relnamespace = "
                                   "'jobforge'::regnamespace and relkind in ('r', 'p', 'v')"});
        EXPECT_TRUE(tables.ok());
        for (int i = 0; i < tables->size(); ++i) {
            out += one(fmt::format("select string_agg(t::text, E'\\n') from jobforge.{} t",
                                   tables->text(i, 0)));
        }
        return out;
    }
};

TEST_F(DeliverWebhook, an_event_is_delivered_once_and_the_response_is_kept) {
    const auto server =
        TcpServer::answering(http_answer("200 OK", "X-Request-Id: r-1\r\n", "thanks"));
    const CreatedEndpoint to = endpoint(server->url("/hook?a=b"));
    const std::string document = happen();
    const std::string id = job_of(to);
    EXPECT_EQ(end_of(id), "SUCCEEDED");
    EXPECT_EQ(delivery(to, kState), "DELIVERED 1 200");
    EXPECT_EQ(delivery(to, "convert_from(response_body, 'UTF8')"), "thanks");
    EXPECT_EQ(delivery(to, "response_headers"),
              R"([["content-length", "6"], ["x-request-id", "r-1"]])");
    EXPECT_EQ(jobs_with_key(delivery(to, "format('webhook-%s-%s', event_id, webhook_endpoint_id)")),
              fmt::format(R"(DELIVER_WEBHOOK 3 5 {{"webhook_delivery_id": "{}"}})",
                          delivery(to, "webhook_delivery_id")));
    // The same job again, and another one: nobody is called twice.
    EXPECT_EQ(ends("DELIVER_WEBHOOK", payload(delivery(to, "webhook_delivery_id"))), "SUCCEEDED");
    EXPECT_EQ(server->requests().size(), 1U);
    EXPECT_EQ(delivery(to, kState), "DELIVERED 1 200");
    EXPECT_EQ(events_of(document), "DOCUMENT_UPLOADED") << "a delivery is not an event";
}

TEST_F(DeliverWebhook, both_signatures_verify_with_the_endpoints_secret_and_no_other) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    const CreatedEndpoint to = endpoint(server->url("/hook"));
    const std::string document = happen();
    EXPECT_EQ(end_of(job_of(to)), "SUCCEEDED");
    const Received received = parts_of(server->requests().at(0));
    EXPECT_EQ(received.line, "POST /hook HTTP/1.1");
    EXPECT_EQ(received.headers.at("Content-Type"), "application/json");
    EXPECT_EQ(received.headers.at("X-BPC-Event-Type"), "DOCUMENT_UPLOADED");
    EXPECT_EQ(received.headers.at("X-BPC-Delivery-Id"), delivery(to, "webhook_delivery_id"));
    EXPECT_EQ(verdict_of_python(to.secret, received), "ok\n");
    EXPECT_EQ(verdict_of_python("whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=", received),
              "standard signature of secret 0\n");
    EXPECT_EQ(received.body,
              one(fmt::format(
                  "select format('{{\"aggregate_id\":\"%s\",\"aggregate_type\":\"%s\",\"event_id\":"
                  "\"%s\",\"event_type\":\"%s\",\"occurred_at\":\"%s\",\"payload\":%s}}', "
                  "aggregate_id, aggregate_type, event_id, event_type, to_char(occurred_at at time "
                  "zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"'), "
                  "convert_from(payload_canonical, 'UTF8')) from jobforge.events where "
                  "aggregate_id = '{}'",
                  document)));
}

TEST_F(DeliverWebhook, an_http_error_is_retried_with_the_passport_backoff_until_it_works) {
    const auto server =
        answering_in_turn({http_answer("500 Broken", "", "oops"), http_answer("200 OK", "", "ok")});
    const CreatedEndpoint to = endpoint(server->url());
    happen();
    const std::string id = job_of(to);
    EXPECT_EQ(end_of(id), "SUCCEEDED");
    EXPECT_EQ(delivery(to, kState), "DELIVERED 2 200");
    EXPECT_EQ(delivery(to, "convert_from(response_body, 'UTF8')"), "ok");
    EXPECT_EQ(delivery(to, "error_message"), "") << "what went wrong before is history";
    const double waited = std::stod(one(fmt::format(
        "select extract(epoch from max(started_at) - min(ended_at)) from jobforge.job_attempts "
        "where job_id = '{}'",
        id)));
    // The next time is computed a moment before the end of the attempt is noted.
    EXPECT_GE(waited, 1.99) << "2^1 seconds";
}

TEST_F(DeliverWebhook, after_five_attempts_the_job_is_a_dead_letter_and_the_delivery_failed) {
    const std::string policy = "from jobforge.job_types where type = 'DELIVER_WEBHOOK'";
    EXPECT_EQ(one("select backoff || ' ' || max_attempts " + policy), "bpc 5");
    // No attempt by itself between two looks.
    run("update jobforge.job_types set backoff = 'source', backoff_base_seconds = 3600 where type "
        "= 'DELIVER_WEBHOOK'");
    const auto server = TcpServer::answering(http_answer("503 Busy", "", "busy"));
    const CreatedEndpoint to = endpoint(server->url());
    happen();
    const std::string id = job_of(to);
    for (int attempt = 1; attempt < 5; ++attempt) {
        const std::string count = std::to_string(attempt);
        ASSERT_EQ(retry_of(id), "QUEUED WEBHOOK_NON_2XX");
        ASSERT_TRUE(
            test::wait_until([&] { return job(id, "status || attempts") == "QUEUED" + count; }));
        EXPECT_EQ(delivery(to, kState), fmt::format("PENDING {} 503", attempt));
        make_due(id);
    }
    EXPECT_EQ(end_of(id), "DEAD_LETTER WEBHOOK_NON_2XX");
    EXPECT_EQ(delivery(to, kState), "FAILED 5 503");
    EXPECT_EQ(delivery(to, "convert_from(response_body, 'UTF8')"), "busy");
    EXPECT_EQ(delivery(to, "error_message"), "the receiver answered 503");
    EXPECT_EQ(server->requests().size(), 5U);
}

TEST_F(DeliverWebhook, a_worker_that_dies_at_the_last_attempt_fails_the_delivery_too) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    run("update jobforge.job_types set max_attempts = 1 where type = 'DELIVER_WEBHOOK'");
    const CreatedEndpoint to = endpoint(server->url());
    happen();
    const std::string id = job_of(to);
    run("select from jobforge.claim_jobs('dying', 10, array['DELIVER_WEBHOOK']); update "
        "jobforge.jobs set lease_expires_at = now() - interval '1 second' where status = "
        "'RUNNING'");
    EXPECT_EQ(end_of(id).substr(0, 11), "DEAD_LETTER");
    EXPECT_EQ(delivery(to, "status"), "FAILED");
    EXPECT_NE(delivery(to, "error_message"), "");
    EXPECT_EQ(server->requests().size(), 0U);
    // Nothing is lost: it can be sent again.
    const std::string again =
        test::must(redeliver_webhook(*calls_, *Uuid::parse(delivery(to, "webhook_delivery_id"))))
            .to_string();
    EXPECT_EQ(end_of(again), "SUCCEEDED");
    EXPECT_EQ(delivery(to, "status"), "DELIVERED");
}

TEST_F(DeliverWebhook, a_failed_delivery_is_sent_again_by_a_new_job_with_the_same_id) {
    const auto server =
        answering_in_turn({http_answer("400 Bad"), http_answer("400 Bad"), http_answer("200 OK")});
    const CreatedEndpoint to = endpoint(server->url());
    happen();
    const std::string first = job_of(to);
    const Uuid id = *Uuid::parse(delivery(to, "webhook_delivery_id"));
    EXPECT_EQ(end_of(first), "FAILED WEBHOOK_NON_2XX");
    const std::string second = test::must(redeliver_webhook(*calls_, id)).to_string();
    EXPECT_NE(second, first);
    EXPECT_EQ(end_of(second), "FAILED WEBHOOK_NON_2XX");
    EXPECT_EQ(delivery(to, kState), "FAILED 2 400");
    const std::string third = test::must(redeliver_webhook(*calls_, id)).to_string();
    EXPECT_EQ(end_of(third), "SUCCEEDED");
    EXPECT_EQ(delivery(to, kState), "DELIVERED 3 200");
    EXPECT_EQ(delivery(to, "webhook_delivery_id"), id.to_string());
    EXPECT_EQ(job(third, "idempotency_key"),
              delivery(to, "format('webhook-%s-%s-2', event_id, webhook_endpoint_id)"));
    const auto refused = redeliver_webhook(*calls_, id);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::INVALID_TRANSITION);
}

TEST_F(DeliverWebhook, a_disabled_endpoint_is_not_called_any_more) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    const CreatedEndpoint to = endpoint(server->url());
    happen();
    test::must(set_webhook_endpoint_status(*calls_, to.webhook_endpoint_id, "DISABLED"));
    EXPECT_EQ(end_of(job_of(to)), "FAILED WEBHOOK_DELIVERY_FAILED");
    EXPECT_EQ(delivery(to, "status || ': ' || error_message"), "FAILED: the endpoint is disabled");
    happen();
    EXPECT_EQ(one("select count(*) from jobforge.webhook_deliveries"), "1") << "nor asked for more";
    EXPECT_EQ(server->connections(), 0);
}

TEST_F(DeliverWebhook, a_worker_without_its_means_fails_the_job_and_calls_nobody) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    const CreatedEndpoint to = endpoint(server->url());
    const auto secrets = settings_.secrets;
    const auto http = settings_.http;
    const auto expect = [&](const std::string& end) {
        stop();
        happen();
        EXPECT_EQ(end_of(job_of(to)), end);
        EXPECT_EQ(delivery(to, "status"), "FAILED");
    };
    settings_.secrets = nullptr;
    expect("FAILED SECRET_NOT_FOUND");
    settings_.secrets = std::make_shared<SecretBox>(
        SecretBox::from_base64(test::kSigningSeed).value());  // another master key
    expect("FAILED SECRET_NOT_FOUND");
    settings_.secrets = secrets;
    settings_.http = nullptr;
    expect("FAILED CONFIG_MISSING");
    settings_.http = http;
    settings_.https_only = true;
    expect("FAILED SSRF_BLOCKED");
    EXPECT_EQ(server->connections(), 0);
}

TEST_F(DeliverWebhook, payloads_that_do_not_fit_and_unknown_ids_fail_at_once) {
    for (const char* garbage : {"{}", R"({"webhook_delivery_id":null})",
                                R"({"webhook_delivery_id":"x"})", R"({"webhook_delivery_id":1})"}) {
        EXPECT_EQ(ends("DELIVER_WEBHOOK", garbage), "FAILED JOB_PAYLOAD_INVALID") << garbage;
    }
    EXPECT_EQ(ends("DELIVER_WEBHOOK", payload(kNobody)), "FAILED NOT_FOUND");
    EXPECT_EQ(one("select count(*) from jobforge.webhook_deliveries"), "0");
}

// Silent on its first connection, content with every later one.
std::unique_ptr<TcpServer> silent_once() {
    auto connections = std::make_shared<std::atomic<int>>(0);
    return std::make_unique<TcpServer>([connections](TcpPeer& peer) {
        (void)peer.read_request();
        if (connections->fetch_add(1) == 0) {
            (void)peer.closed_within(test::kPatience);
        } else {
            (void)peer.write(http_answer("200 OK"));
        }
    });
}

TEST_F(DeliverWebhook, a_worker_that_stops_meanwhile_leaves_the_delivery_to_the_next) {
    const auto server = silent_once();
    settings_.webhook_timeout = std::chrono::seconds(30);
    options_.drain_grace = std::chrono::seconds(0);
    const CreatedEndpoint to = endpoint(server->url());
    happen();
    const std::string id = job_of(to);
    start();
    ASSERT_TRUE(test::wait_until([&] { return server->connections() == 1; }));
    stop();
    EXPECT_EQ(job(id, "status || ' ' || attempts"), "QUEUED 0") << "not the receiver's failure";
    EXPECT_EQ(delivery(to, kState), "PENDING 0 -");
    EXPECT_EQ(end_of(id), "SUCCEEDED");
    EXPECT_EQ(delivery(to, kState), "DELIVERED 1 200");
}

TEST_F(DeliverWebhook, a_job_that_is_cancelled_meanwhile_ends_at_once_and_fails_the_delivery) {
    const auto server = silent_once();
    settings_.webhook_timeout = std::chrono::seconds(30);
    const CreatedEndpoint to = endpoint(server->url());
    happen();
    const std::string id = job_of(to);
    start();
    ASSERT_TRUE(test::wait_until([&] { return server->connections() == 1; }));
    run(fmt::format("select jobforge.cancel_job('{}')", id));
    EXPECT_EQ(end_of(id).substr(0, 9), "CANCELLED");
    EXPECT_EQ(delivery(to, "status"), "FAILED");
    EXPECT_NE(delivery(to, "error_message"), "");
}

TEST_F(DeliverWebhook, secrets_are_in_no_row_no_error_and_no_log) {
    auto lines = std::make_shared<Lines>();
    options_.log = Logger(lines);
    // A receiver that sends everything it got straight back, and refuses.
    const TcpServer mirror([](TcpPeer& peer) {
        const std::string request = peer.read_request();
        (void)peer.write(http_answer("400 Bad", "", request));
    });
    const auto garbage = TcpServer::answering("not http\r\n\r\n");
    const CreatedEndpoint good = endpoint(mirror.url());
    const CreatedEndpoint bad = endpoint(garbage->url());
    happen();
    EXPECT_EQ(end_of(job_of(good)), "FAILED WEBHOOK_NON_2XX");
    EXPECT_EQ(retry_of(job_of(bad)), "QUEUED WEBHOOK_DELIVERY_FAILED");
    stop();
    const std::string rows = everything();
    const std::string logged = lines->text();
    EXPECT_NE(rows.find(job_of(good)), std::string::npos) << "the rows are really looked at";
    EXPECT_NE(rows.find(hex_encode("X-BPC-Signature")), std::string::npos) << "with what came back";
    EXPECT_NE(logged.find(job_of(good)), std::string::npos) << "and so is the log";
    for (const std::string& secret : {good.secret, bad.secret, std::string(test::kMasterKey)}) {
        const std::string letters = secret.starts_with("whsec_") ? secret.substr(6) : secret;
        const std::string key = base64_decode(letters).value();
        for (const std::string& planted :
             {letters, hex_encode(letters), key, hex_encode(key), json_quote(key)}) {
            EXPECT_EQ(rows.find(planted), std::string::npos);
            EXPECT_EQ(logged.find(planted), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace jobforge::services
