// Hole 13 of the attack on tenants' service, through the connector: what leaves the house.
#include <gmock/gmock.h>

#include "connector_world.h"

namespace jobforge::services {
namespace {

using test::http_answer;
using test::kHttpRequest;
using test::TcpServer;
using ::testing::HasSubstr;
using ::testing::Not;

class Hole13Outgoing : public test::ConnectorWorld {
protected:
    // Every name leads to this machine, which may be called.
    Hole13Outgoing() {
        connect::HttpOptions options;
        options.allowed_networks = connect::parse_networks("127.0.0.0/8").value();
        options.resolver =
            connect::fixed_resolver({{"*", {connect::IpAddress::parse("127.0.0.1").value()}}});
        connectors_.http = std::make_shared<connect::HttpClient>(options);
    }
    std::string ends_with(const std::string& url, const std::string& more = "") {
        last_ = enqueue(kHttpRequest,
                        fmt::format(R"({{"url":"{}"{}{}}})", url, more.empty() ? "" : ",", more));
        return end_of(last_);
    }

    std::string last_;
    TcpServer echo_{test::echoes};
};

TEST_F(Hole13Outgoing, an_api_key_does_not_follow_a_redirect_to_another_origin) {
    const auto away = TcpServer::answering(
        http_answer("307 Away", fmt::format("Location: {}\r\n", echo_.url("/end"))));
    ASSERT_EQ(ends_with(away->url(), R"("follow_redirects":1,"headers":{"X-Api-Key":"k-17",
                  "Accept":"text/x","Authorization":"Bearer t-17","X-Own":"o-17"})"),
              "SUCCEEDED");
    EXPECT_THAT(away->requests().at(0), HasSubstr("X-Api-Key: k-17\r\n"));
    EXPECT_THAT(result(last_, "body"), HasSubstr("Accept: text/x\r\n"));
    EXPECT_THAT(result(last_, "body"), Not(HasSubstr("-17")));
}

TEST_F(Hole13Outgoing, an_international_name_is_called_and_governed_by_its_ascii_form) {
    ASSERT_EQ(ends_with(fmt::format("http://müller.example:{}/x", echo_.port()),
                        R"("allowlist":["xn--mller-kva.example"])"),
              "SUCCEEDED")
        << message_of(last_);
    EXPECT_THAT(result(last_, "body"),
                HasSubstr(fmt::format("Host: xn--mller-kva.example:{}\r\n", echo_.port())));
    ASSERT_EQ(ends_with(fmt::format("http://xn--mller-kva.example:{}/x", echo_.port())),
              "SUCCEEDED");
    EXPECT_EQ(one("select string_agg(key, ' | ') from jobforge.governors where kind = 'host'"),
              fmt::format("connector.http.request http://xn--mller-kva.example:{}", echo_.port()))
        << "one breaker for both spellings";
    EXPECT_EQ(ends_with(fmt::format("http://１２７.0.0.1:{}/", echo_.port())),
              "FAILED SSRF_BLOCKED");
}

TEST_F(Hole13Outgoing, names_that_mean_the_inside_are_refused_whatever_they_resolve_to) {
    connect::HttpOptions options;
    options.resolver =
        connect::fixed_resolver({{"*", {connect::IpAddress::parse("93.184.216.34").value()}}});
    connectors_.http = std::make_shared<connect::HttpClient>(options);
    for (const char* url : {"http://metadata.google.internal/computeMetadata/v1/",
                            "https://kubernetes.default.svc/api", "http://db:5432/",
                            "http://printer.local./", "http://host.docker.internal/"}) {
        EXPECT_EQ(ends_with(url), "FAILED SSRF_BLOCKED") << url;
        EXPECT_EQ(job(last_, "attempts"), "1") << url;
    }
}

}  // namespace
}  // namespace jobforge::services
