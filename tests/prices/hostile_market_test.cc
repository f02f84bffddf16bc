// Marketplaces that mean harm or are broken: whatever they send, the job ends with a classified
// error or the honest part of the answer, and nothing else is stored.
#include <fmt/format.h>

#include "../connect/gzip_bytes.h"
#include "price_world.h"
#include "tcp_server.h"

namespace jobforge::test {
namespace {

class HostileMarket : public PriceWorld {
protected:
    // A server that answers so, and a source for it with a short timeout.
    std::string source_for(TcpServer& server) {
        Json config = cli::DemoMarketplace::source_config();
        config.set("timeout_ms", 1000);
        config.set("max_response_bytes", 65536);
        return source({.name = fmt::format("hostile {}", ++sources_),
                       .base_url = server.url("/api"),
                       .members = Json::object({{"config", config}}).dump()});
    }
    // How a job for a server with this answer ends, or waits: "FAILED CODE", "QUEUED CODE".
    std::string outcome(const std::string& answer) {
        const auto server = TcpServer::answering(answer);
        return outcome(*server);
    }
    std::string outcome(TcpServer& server) {
        last_job_ = enqueue(intake(), source_for(server));
        start();
        std::string found;
        EXPECT_TRUE(wait_until([&] {
            found = job(last_job_, "status || coalesce(' ' || (last_error ->> 'code'), '')");
            return found != "QUEUED" && found != "RUNNING" && !found.starts_with("RUNNING");
        })) << found;
        return found;
    }
    std::string last_job_;

private:
    int sources_ = 0;
};

std::string body_of(const std::string& results) {
    return R"({"results":[)" + results + "]}";
}

using connect::test_support::gzip;

TEST_F(HostileMarket, AnswersThatAreNoAnswersFailForGood) {
    for (const std::string& body :
         {std::string("<html>maintenance</html>"), std::string(), std::string("null"),
          std::string(R"({"results":"many"})"), std::string(R"({"results":[)"),
          std::string(200, '['), std::string("{\"results\":[\xff]}"),
          std::string(R"({"results":[{"title":"\ud800"}]})"), body_of("") + std::string(3, '\0'),
          body_of(std::string(70'000, ' '))}) {
        EXPECT_EQ(outcome(cli::demo_answer("200 OK", "", body)), "FAILED VALIDATION_ERROR")
            << body.substr(0, 40);
    }
    EXPECT_EQ(one("select count(*) from jobforge.price_points"), "0");
}

TEST_F(HostileMarket, TroubleOnTheWayIsRetried) {
    EXPECT_EQ(outcome("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"results\":"),
              "QUEUED TIMEOUT");
    EXPECT_EQ(outcome("I am no HTTP at all\r\n\r\n"), "QUEUED CONNECTION_FAILED");
    TcpServer silent([](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.closed_within(std::chrono::seconds(10));
    });
    EXPECT_EQ(outcome(silent), "QUEUED TIMEOUT");
    TcpServer drip([](TcpPeer& peer) {
        (void)peer.read_request();
        peer.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        while (peer.write(" ") && !peer.closed_within(std::chrono::milliseconds(50))) {
        }
    });
    EXPECT_EQ(outcome(drip), "QUEUED TIMEOUT");
    for (const char* status : {"500 Oh", "502 Bad Gateway", "503 No", "504 Late", "429 Slow down",
                               "408 Late", "425 Early"}) {
        EXPECT_EQ(outcome(cli::demo_answer(status)), "QUEUED HTTP_STATUS_UNEXPECTED") << status;
    }
}

TEST_F(HostileMarket, RefusalsAndRedirectsAreFinal) {
    for (const char* status : {"400 Bad", "401 Who", "403 No", "404 Gone", "410 Gone", "451 Law"}) {
        EXPECT_EQ(outcome(cli::demo_answer(status)), "FAILED HTTP_STATUS_UNEXPECTED") << status;
    }
    const auto canary = TcpServer::answering(cli::demo_answer("200 OK", "", body_of("")));
    EXPECT_EQ(outcome(cli::demo_answer("302 Found", "Location: " + canary->url() + "\r\n")),
              "FAILED HTTP_STATUS_UNEXPECTED");
    EXPECT_EQ(canary->connections(), 0);
}

TEST_F(HostileMarket, ANextPageElsewhereIsNotVisited) {
    const auto canary = TcpServer::answering(cli::demo_answer("200 OK", "", body_of("")));
    for (const std::string& next :
         {canary->url("/api/search"), "//127.0.0.1:" + std::to_string(canary->port()) + "/",
          std::string("http://169.254.169.254/latest/meta-data"), std::string("file:///etc/passwd"),
          std::string("http://user:pw@127.0.0.1/"), std::string("gopher://x/")}) {
        const Json body = Json::object({{"results", Json::array()}, {"next", next}});
        EXPECT_EQ(outcome(cli::demo_answer("200 OK", "", body.dump())), "FAILED SSRF_BLOCKED")
            << next;
    }
    EXPECT_EQ(canary->connections(), 0);
}

TEST_F(HostileMarket, PagesWithoutEndEnd) {
    std::atomic<int> pages{0};
    TcpServer server([&pages](TcpPeer& peer) {
        while (!peer.read_request().empty()) {
            const Json body = Json::object(
                {{"results", Json::array()}, {"next", fmt::format("?page={}", ++pages)}});
            peer.write(fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}",
                                   body.dump().size(), body.dump()));
        }
    });
    EXPECT_EQ(outcome(server), "SUCCEEDED");
    EXPECT_EQ(pages, 5);  // max_pages of the config
    const auto same = TcpServer::answering(cli::demo_answer(
        "200 OK", "", R"({"results":[],"next":"?q=1909%20S%20cent%20Lincoln%20VDB"})"));
    EXPECT_EQ(outcome(*same), "SUCCEEDED");
    EXPECT_EQ(same->connections(), 1);  // a page that names itself is the last
}

TEST_F(HostileMarket, CompressedAnswersAreBoundedAfterDecompressionToo) {
    const std::string good = body_of(R"({"id":1,"title":"1909 lincoln cent","kind":"SOLD",
        "price":{"amount":"19.99","currency":"USD"}})");
    EXPECT_EQ(outcome(cli::demo_answer("200 OK", "Content-Encoding: gzip\r\n", gzip(good))),
              "SUCCEEDED");
    EXPECT_EQ(one("select price_cents from jobforge.price_points"), "1999");
    EXPECT_EQ(outcome(cli::demo_answer("200 OK", "Content-Encoding: gzip\r\n",
                                       gzip(std::string(1'000'000, ' '), 50))),
              "FAILED VALIDATION_ERROR");
    EXPECT_NE(outcome(cli::demo_answer("200 OK", "Content-Encoding: gzip\r\n", "not gzip")),
              "SUCCEEDED");
}

TEST_F(HostileMarket, TheHonestPartOfAnAnswerIsStoredAndTheRestIsCounted) {
    const std::string answer = body_of(
        R"({"id":1,"title":"1909 lincoln cent","kind":"SOLD","price":{"amount":"19.99"}},)"
        R"({"id":2,"title":"'; drop table jobforge.price_points; --","kind":"SOLD",)"
        R"("price":{"amount":"1.00","currency":"USD"}},)"
        R"({"id":3,"title":"negative","kind":"SOLD","price":{"amount":-5,"currency":"USD"}},)"
        R"({"id":4,"title":"huge","kind":"SOLD","price":{"amount":1e39,"currency":"USD"}},)"
        R"({"id":5,"title":"script","link":"javascript:x","price":{"amount":1,"currency":"USD"}},)"
        R"({"id":6,"title":"<b>\u0001\u202e</b>","price":{"amount":2,"currency":"USD"}},)"
        R"(null,[],{},"x")");
    ASSERT_EQ(outcome(cli::demo_answer("200 OK", "", answer)), "SUCCEEDED");
    EXPECT_EQ(
        result(last_job_, "skipped"),
        R"({"title: missing": 2, "currency: missing": 1, "listing: no object": 2, )"
        R"("url: no http address": 1, "price: it is negative": 1, "price: it is too large": 1})");
    EXPECT_EQ(one("select string_agg(price_cents::text, ' ' order by dedupe_key) from "
                  "jobforge.price_points"),
              "100 200");
}

}  // namespace
}  // namespace jobforge::test
