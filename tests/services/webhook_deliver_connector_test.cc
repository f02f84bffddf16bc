// connector.webhook.deliver against receivers that are right, wrong, slow, silent and gone.
#include <ctime>

#include <gmock/gmock.h>

#include "base/crypto/hash.h"
#include "base/crypto/hmac.h"
#include "connector_world.h"

namespace jobforge::services {
namespace {

using test::http_answer;
using test::kPlanted;
using test::kWebhookDeliver;
using test::TcpPeer;
using test::TcpServer;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::string_literals;

constexpr int kBackoff = 3600;
constexpr int kLater = 7200;
constexpr char kEvent[] = "01890a5d-ac96-774b-bcce-b302099a8057";

struct Receiver {
    std::string name;
    TcpServer::Behaviour behaviour;
    std::string job;   // status and error code
    std::string said;  // the preview that is kept, with success or with the error
    int wait = 0;      // seconds until the next attempt
};

TcpServer::Behaviour answers(std::string bytes) {
    return [bytes = std::move(bytes)](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.write(bytes);
    };
}

std::string header_in(const std::string& request, const std::string& name) {
    const auto at = request.find("\r\n" + name + ": ");
    if (at == std::string::npos) {
        return "";
    }
    const auto start = at + name.size() + 4;
    return request.substr(start, request.find("\r\n", start) - start);
}

std::string body_in(const std::string& request) {
    return request.substr(request.find("\r\n\r\n") + 4);
}

class WebhookConnector : public test::ConnectorWorld {
protected:
    WebhookConnector() {
        run(
            fmt::format("update jobforge.job_types set backoff = 'source', backoff_base_seconds = "
                        "{}, backoff_jitter = 0 where type = 'connector.webhook.deliver'",
                        kBackoff));
    }
    std::string deliver(const std::string& url, const std::string& more = "") {
        return enqueue(
            kWebhookDeliver,
            fmt::format(R"({{"target_url":"{}","event_type":"order.paid","event_id":"{}",)"
                        R"("secret_ref":"PLANTED","data":{{"cents":1999}}{}}})",
                        url, kEvent, more));
    }
    void expect_each(const std::vector<Receiver>& receivers) {
        for (const Receiver& receiver : receivers) {
            SCOPED_TRACE(receiver.name);
            const TcpServer server(receiver.behaviour);
            const std::string id = deliver(server.url("/hook"), R"(,"timeout_ms":1000)");
            EXPECT_EQ(receiver.wait == 0 ? end_of(id) : retry_of(id), receiver.job)
                << message_of(id);
            EXPECT_EQ(job(id, "coalesce(result, last_error -> 'details') ->> 'response_preview'"),
                      receiver.said);
            if (receiver.job == "SUCCEEDED") {
                EXPECT_EQ(result(id, "delivered"), "true");
                EXPECT_GE(std::stoi(result(id, "duration_ms")), 0);
            }
            if (receiver.wait != 0) {
                EXPECT_NEAR(
                    std::stod(job(id, "extract(epoch from scheduled_at - clock_timestamp())")),
                    receiver.wait, 30);
                EXPECT_EQ(job(id, "attempts"), "1");
            }
            EXPECT_EQ(server.connections(), 1);
            stop();  // before the server goes
        }
    }
};

TEST_F(WebhookConnector, what_is_sent_can_be_verified_with_the_secret_alone) {
    const auto server = TcpServer::answering(http_answer("200 OK", "", "thanks"));
    const std::string id = deliver(server->url("/hook"), R"(,"signature_algo":"sha512")");
    ASSERT_EQ(end_of(id), "SUCCEEDED");
    const std::string sent = server->requests().at(0);
    EXPECT_EQ(header_in(sent, "X-JobForge-Event"), "order.paid");
    EXPECT_EQ(header_in(sent, "X-JobForge-Event-ID"), kEvent);
    EXPECT_EQ(header_in(sent, "X-JobForge-Delivery-Attempt"), "1");
    EXPECT_EQ(header_in(sent, "webhook-id"), kEvent);
    const std::string time = header_in(sent, "X-JobForge-Timestamp");
    EXPECT_NEAR(std::stod(time), static_cast<double>(std::time(nullptr)), 60);
    EXPECT_EQ(
        body_in(sent),
        fmt::format(
            R"({{"data":{{"cents":1999}},"event_id":"{}","event_type":"order.paid","timestamp":{}}})",
            kEvent, time));
    const Sha512 digest = hmac_sha512(kPlanted, body_in(sent));
    EXPECT_EQ(
        header_in(sent, "X-JobForge-Signature"),
        "sha512=" + hex_encode({reinterpret_cast<const char*>(digest.data()), digest.size()}));
    EXPECT_EQ(result(id, "response_preview"), "thanks");
    EXPECT_EQ(result(id, "status"), "200");
}

TEST_F(WebhookConnector, every_answer_has_its_end_its_error_and_its_time) {
    const auto with = [](std::string_view status, const std::string& headers = "") {
        return answers(http_answer(status, headers, "said"));
    };
    const std::string refused = "FAILED WEBHOOK_NON_2XX";
    const std::string again = "QUEUED WEBHOOK_NON_2XX";
    expect_each({
        {"200", with("200 OK"), "SUCCEEDED", "said"},
        {"204", answers("HTTP/1.1 204 No Content\r\n\r\n"), "SUCCEEDED", ""},
        {"302", with("302 Found", "Location: http://127.0.0.1:1/\r\n"), refused, "said"},
        {"400", with("400 Bad"), refused, "said"},
        {"404", with("404 None"), refused, "said"},
        {"410", with("410 Gone"), refused, "said"},
        {"408", with("408 Slow"), again, "said", kBackoff},
        {"425", with("425 Early"), again, "said", kBackoff},
        {"429", with("429 Many"), again, "said", kBackoff},
        {"429 later", with("429 Many", fmt::format("Retry-After: {}\r\n", kLater)), again, "said",
         kLater},
        {"503 sooner than the backoff", with("503 Busy", "Retry-After: 5\r\n"), again, "said",
         kBackoff},
        {"500", with("500 Broken"), again, "said", kBackoff},
        {"a long answer", answers(http_answer("200 OK", "", std::string(100'000, 'x'))),
         "SUCCEEDED", std::string(500, 'x')},
        {"no text", answers(http_answer("200 OK", "", "\xFF\xFE"s)), "SUCCEEDED",
         "\xEF\xBF\xBD\xEF\xBF\xBD"},
    });
}

TEST_F(WebhookConnector, every_misbehaviour_has_its_end_its_error_and_its_time) {
    const std::string failed = "QUEUED WEBHOOK_DELIVERY_FAILED";
    expect_each({
        {"nothing",
         [](TcpPeer& peer) {
             (void)peer.read_request();
             (void)peer.closed_within(test::kPatience);
         },
         "QUEUED WEBHOOK_TIMEOUT", "", kBackoff},
        {"a body cut off", answers("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), failed,
         "", kBackoff},
        {"garbage", answers("\0\xFF not http\r\n\r\n"s), failed, "", kBackoff},
        {"hangs up at once", [](TcpPeer&) {}, failed, "", kBackoff},
        {"endless headers",
         [](TcpPeer& peer) {
             (void)peer.read_request();
             (void)peer.write("HTTP/1.1 200 OK\r\n");
             while (peer.write("X-More: " + std::string(8000, 'x') + "\r\n")) {
             }
         },
         failed, "", kBackoff},
        {"an endless body",
         [](TcpPeer& peer) {
             (void)peer.read_request();
             (void)peer.write("HTTP/1.1 200 OK\r\n\r\n");
             while (peer.write(std::string(16384, 'x'))) {
             }
         },
         "SUCCEEDED", std::string(500, 'x')},
    });
    EXPECT_EQ(end_of(deliver("http://10.0.0.1/hook")), "FAILED SSRF_BLOCKED");
}

TEST_F(WebhookConnector,
       the_secret_is_in_no_log_error_or_result_even_if_the_receiver_sends_it_back) {
    const TcpServer spiteful([](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.write(http_answer("400 No", "", "your key is "s + kPlanted));
    });
    const std::string id = deliver(spiteful.url());
    EXPECT_EQ(end_of(id), "FAILED WEBHOOK_NON_2XX");
    EXPECT_EQ(job(id, "last_error -> 'details' ->> 'response_preview'"), "your key is [redacted]");
    stop();
    EXPECT_THAT(kept(), Not(HasSubstr("planted-Secret")));
}

TEST_F(WebhookConnector, the_tenants_configuration_holds_and_cannot_forge_our_headers) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    configure(kWebhookDeliver,
              R"({"headers":{"X-Team":"ours","x-jobforge-signature":"forged","webhook-id":"1"}})");
    ASSERT_EQ(end_of(deliver(server->url())), "SUCCEEDED");
    EXPECT_THAT(server->requests().at(0), HasSubstr("X-Team: ours\r\n"));
    EXPECT_THAT(server->requests().at(0), Not(HasSubstr("forged")));
    EXPECT_EQ(header_in(server->requests().at(0), "webhook-id"), kEvent);
    configure(kWebhookDeliver, R"({"allowlist":["hooks.example.com"]})");
    EXPECT_EQ(end_of(deliver(server->url())), "FAILED SSRF_BLOCKED");
}

TEST_F(WebhookConnector, in_production_only_https) {
    connectors_.https_only = true;
    EXPECT_EQ(end_of(deliver("http://hooks.example.com/")), "FAILED SSRF_BLOCKED");
}

TEST_F(WebhookConnector, two_workers_deliver_each_event_once) {
    const auto server = TcpServer::answering(http_answer("200 OK"));
    std::vector<std::string> jobs;
    for (int i = 0; i < 100; ++i) {
        jobs.push_back(deliver(server->url()));
    }
    Worker other(options_);
    add_connector_handlers(other, connectors_);
    start();
    test::must(other.start());
    for (const std::string& id : jobs) {
        EXPECT_EQ(end_of(id), "SUCCEEDED");
    }
    EXPECT_EQ(server->requests().size(), 100U);
}

}  // namespace
}  // namespace jobforge::services
