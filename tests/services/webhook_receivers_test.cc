// DELIVER_WEBHOOK against receivers that are right, wrong, slow, silent and gone: for each, what
// the delivery keeps, how the job goes on, and when.
#include <array>
#include <ctime>

#include "child_process.h"
#include "connect/guard/resolve.h"
#include "connect/http/http_request.h"
#include "webhook_world.h"

namespace jobforge::services {
namespace {

using test::http_answer;
using test::TcpPeer;
using test::TcpServer;
using namespace std::string_literals;

// What happens without a word from the receiver, long enough to be told from anything else.
constexpr int kBackoff = 3600;
constexpr int kLater = 7200;

struct Receiver {
    std::string name;
    TcpServer::Behaviour behaviour;
    std::string job;       // status and error code
    std::string delivery;  // status, attempts, HTTP status
    int wait = 0;          // seconds until the next attempt
};

TcpServer::Behaviour answers(std::string bytes) {
    return [bytes = std::move(bytes)](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.write(bytes);
    };
}

void says_nothing(TcpPeer& peer) {
    (void)peer.read_request();
    (void)peer.closed_within(test::kPatience);
}

// A byte now and then: never silent, never done.
void drips(TcpPeer& peer) {
    (void)peer.read_request();
    for (const char c : http_answer("200 OK", std::string(2000, 'x') + ": y\r\n")) {
        if (!peer.write(std::string_view(&c, 1)) ||
            peer.closed_within(std::chrono::milliseconds(20))) {
            return;
        }
    }
}

std::string http_date_in(int seconds) {
    const std::time_t time = std::time(nullptr) + seconds;
    std::tm parts{};
    ::gmtime_r(&time, &parts);
    std::array<char, 64> text{};
    const std::size_t size =
        std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return {text.data(), size};
}

std::vector<Receiver> that_answer() {
    const auto with = [](std::string_view status, std::string_view headers = "") {
        return answers(http_answer(status, headers, "said"));
    };
    const std::string refused = "FAILED WEBHOOK_NON_2XX";
    const std::string again = "QUEUED WEBHOOK_NON_2XX";
    return {
        {"200", with("200 OK"), "SUCCEEDED", "DELIVERED 1 200"},
        {"204", answers("HTTP/1.1 204 No Content\r\n\r\n"), "SUCCEEDED", "DELIVERED 1 204"},
        {"299", with("299 Odd"), "SUCCEEDED", "DELIVERED 1 299"},
        {"400", with("400 Bad"), refused, "FAILED 1 400"},
        {"401", with("401 Who"), refused, "FAILED 1 401"},
        {"404", with("404 None"), refused, "FAILED 1 404"},
        {"410", with("410 Gone"), refused, "FAILED 1 410"},
        {"408", with("408 Slow"), again, "PENDING 1 408", kBackoff},
        {"425", with("425 Early"), again, "PENDING 1 425", kBackoff},
        {"429", with("429 Many"), again, "PENDING 1 429", kBackoff},
        {"429 in seconds", with("429 Many", fmt::format("Retry-After: {}\r\n", kLater)), again,
         "PENDING 1 429", kLater},
        {"429 at a date",
         with("429 Many", fmt::format("Retry-After: {}\r\n", http_date_in(kLater))), again,
         "PENDING 1 429", kLater},
        {"429 sooner than the backoff", with("429 Many", "Retry-After: 5\r\n"), again,
         "PENDING 1 429", kBackoff},
        {"429 at a date that has passed",
         with("429 Many", "Retry-After: Sun, 06 Nov 1994 08:49:37 GMT\r\n"), again, "PENDING 1 429",
         kBackoff},
        {"429 in words", with("429 Many", "Retry-After: soon\r\n"), again, "PENDING 1 429",
         kBackoff},
        {"429 for a century", with("429 Many", "Retry-After: 3153600000\r\n"), again,
         "PENDING 1 429", 86400},
        {"500", with("500 Broken"), again, "PENDING 1 500", kBackoff},
        {"503 in seconds", with("503 Busy", fmt::format("Retry-After: {}\r\n", kLater)), again,
         "PENDING 1 503", kLater},
    };
}

std::vector<Receiver> that_misbehave() {
    const std::string failed = "QUEUED WEBHOOK_DELIVERY_FAILED";
    const std::string timeout = "QUEUED WEBHOOK_TIMEOUT";
    return {
        {"nothing", says_nothing, timeout, "PENDING 1 -", kBackoff},
        {"slow drip", drips, timeout, "PENDING 1 -", kBackoff},
        {"half a body",
         [](TcpPeer& peer) {
             (void)peer.read_request();
             (void)peer.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
             (void)peer.closed_within(test::kPatience);
         },
         timeout, "PENDING 1 -", kBackoff},
        {"a body cut off", answers("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), failed,
         "PENDING 1 -", kBackoff},
        {"garbage", answers("\0\xFF\xFE not http at all \r\n\r\n"s), failed, "PENDING 1 -",
         kBackoff},
        {"another protocol", answers("SSH-2.0-OpenSSH_9.2\r\n"), failed, "PENDING 1 -", kBackoff},
        {"hangs up after the request", [](TcpPeer& peer) { (void)peer.read_request(); }, failed,
         "PENDING 1 -", kBackoff},
        {"hangs up at once", [](TcpPeer&) {}, failed, "PENDING 1 -", kBackoff},
        {"endless headers",
         [](TcpPeer& peer) {
             (void)peer.read_request();
             (void)peer.write("HTTP/1.1 200 OK\r\n");
             while (peer.write("X-More: " + std::string(8000, 'x') + "\r\n")) {
             }
         },
         failed, "PENDING 1 -", kBackoff},
        {"headers that are not UTF-8, a body that is not a text",
         answers(http_answer("200 OK", "X-Latin: caf\xE9\r\nX-Quote: \"\\\r\n", "\0\xFF\x80"s)),
         "SUCCEEDED", "DELIVERED 1 200"},
        {"an endless body",
         [](TcpPeer& peer) {
             (void)peer.read_request();
             (void)peer.write("HTTP/1.1 200 OK\r\n\r\n");
             while (peer.write(std::string(16384, 'x'))) {
             }
         },
         "SUCCEEDED", "DELIVERED 1 200"},
    };
}

class WebhookReceivers : public test::WebhookWorld {
protected:
    WebhookReceivers() {
        run(
            fmt::format("update jobforge.job_types set backoff = 'source', backoff_base_seconds = "
                        "{}, backoff_jitter = 0 where type = 'DELIVER_WEBHOOK'",
                        kBackoff));
    }
    void expect_each(const std::vector<Receiver>& receivers) {
        std::vector<std::unique_ptr<TcpServer>> servers;
        std::vector<CreatedEndpoint> endpoints;
        for (const Receiver& receiver : receivers) {
            servers.push_back(std::make_unique<TcpServer>(receiver.behaviour));
            endpoints.push_back(endpoint(servers.back()->url("/hook")));
        }
        happen();
        for (std::size_t i = 0; i < receivers.size(); ++i) {
            SCOPED_TRACE(receivers[i].name);
            expect_state(receivers[i], endpoints[i]);
            EXPECT_EQ(servers[i]->connections(), 1);
        }
        stop();  // before the servers go
    }
    void expect_state(const Receiver& receiver, const CreatedEndpoint& to) {
        const std::string id = job_of(to);
        EXPECT_EQ(receiver.wait == 0 ? end_of(id) : retry_of(id), receiver.job) << message_of(id);
        EXPECT_EQ(delivery(to, kState), receiver.delivery);
        EXPECT_EQ(delivery(to, "delivered_at is not null"),
                  receiver.job == "SUCCEEDED" ? "true" : "false");
        EXPECT_EQ(delivery(to, "error_message"), receiver.job == "SUCCEEDED" ? "" : message_of(id));
        if (receiver.wait != 0) {
            const double wait =
                std::stod(job(id,
                              "extract(epoch from scheduled_at - (select max(ended_at) from "
                              "jobforge.attempt_records a where a.job_id = all_jobs.job_id))"));
            EXPECT_NEAR(wait, receiver.wait, 30);  // a busy machine is seconds late
        }
    }
};

TEST_F(WebhookReceivers, every_answer_has_its_state_its_error_and_its_time) {
    expect_each(that_answer());
    // What was said is kept, on success and on failure.
    EXPECT_EQ(one("select count(*) from jobforge.webhook_deliveries where response_body = 'said' "
                  "and response_headers @> '[[\"content-length\", \"4\"]]'"),
              "17");
    EXPECT_EQ(one("select count(*) from jobforge.all_jobs where last_error -> 'details' ->> "
                  "'http_status' = '410'"),
              "1");
}

TEST_F(WebhookReceivers, every_misbehaviour_has_its_state_its_error_and_its_time) {
    expect_each(that_misbehave());
    EXPECT_EQ(one("select max(length(response_body)) from jobforge.webhook_deliveries"), "65536")
        << "no more than that is kept";
    EXPECT_EQ(one("select encode(response_body, 'hex') from jobforge.webhook_deliveries where "
                  "length(response_body) = 3"),
              "00ff80");
}

TEST_F(WebhookReceivers, a_redirect_is_a_refusal_and_is_not_followed) {
    const auto canary = TcpServer::answering(http_answer("200 OK"));
    for (const char* status : {"301 Moved", "302 Found", "307 There", "308 There"}) {
        const auto server = TcpServer::answering(
            http_answer(status, fmt::format("Location: {}\r\n", canary->url())));
        const CreatedEndpoint to = endpoint(server->url());
        happen();
        EXPECT_EQ(end_of(job_of(to)), "FAILED WEBHOOK_NON_2XX");
        EXPECT_EQ(delivery(to, kState), fmt::format("FAILED 1 {}", std::string(status, 3)));
        test::must(set_webhook_endpoint_status(*calls_, to.webhook_endpoint_id, "DISABLED"));
    }
    EXPECT_EQ(canary->connections(), 0);
}

TEST_F(WebhookReceivers, nobody_listening_and_names_without_an_address_are_tried_again) {
    connect::HttpOptions options;
    options.allowed_networks = connect::parse_networks("127.0.0.0/8").value();
    options.resolver = connect::fixed_resolver({});
    settings_.http = std::make_shared<connect::HttpClient>(options);
    const CreatedEndpoint refused =
        endpoint(fmt::format("http://127.0.0.1:{}/hook", test::free_port()));
    const CreatedEndpoint nameless = endpoint("https://hooks.example.invalid/hook");
    happen();
    expect_state({"refused", {}, "QUEUED WEBHOOK_DELIVERY_FAILED", "PENDING 1 -", kBackoff},
                 refused);
    expect_state({"no name", {}, "QUEUED WEBHOOK_DELIVERY_FAILED", "PENDING 1 -", kBackoff},
                 nameless);
}

TEST_F(WebhookReceivers, a_private_address_is_never_called_however_it_is_written_or_named) {
    const auto canary = TcpServer::answering(http_answer("200 OK"));
    connect::HttpOptions options;  // no network is allowed
    options.resolver =
        connect::fixed_resolver({{"*", {connect::IpAddress::parse("127.0.0.1").value()}}});
    settings_.http = std::make_shared<connect::HttpClient>(options);
    for (const std::string host : {"127.0.0.1", "harmless.example", "[::ffff:127.0.0.1]"}) {
        SCOPED_TRACE(host);
        const CreatedEndpoint to = endpoint(fmt::format("http://{}:{}/hook", host, canary->port()));
        happen();
        EXPECT_EQ(end_of(job_of(to)), "FAILED SSRF_BLOCKED");
        EXPECT_EQ(delivery(to, kState), "FAILED 1 -");
        test::must(set_webhook_endpoint_status(*calls_, to.webhook_endpoint_id, "DISABLED"));
    }
    EXPECT_EQ(canary->connections(), 0);
}

}  // namespace
}  // namespace jobforge::services
