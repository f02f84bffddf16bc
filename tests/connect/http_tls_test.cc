// Certificates: a server is who it says, or nothing is sent to it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "connect/http/classify.h"
#include "connect/http/http_request.h"
#include "tcp_server.h"
#include "tls_server.h"

namespace jobforge::connect {
namespace {

using test_support::TlsServer;

Result<HttpResponse> get(const std::string& url, const std::string& ca_file) {
    HttpOptions options;
    options.allowed_networks = parse_networks("127.0.0.0/8").value();
    options.resolver = fixed_resolver({{"*", {IpAddress::parse("127.0.0.1").value()}}});
    options.ca_file = ca_file;
    HttpClient client(options);
    HttpRequest request;
    request.url = url;
    request.timeout = std::chrono::seconds(20);
    return client.send(request);
}

void expect_permanent(const Result<HttpResponse>& response) {
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::CONNECTION_FAILED) << response.error().describe();
    EXPECT_FALSE(response.error().retryable) << response.error().describe();
    EXPECT_FALSE(response.error().outcome_unknown);
    EXPECT_NE(response.error().hint.find("certificate"), std::string::npos);
}

TEST(HttpTls, a_certificate_that_is_trusted_is_enough) {
    const TlsServer server;
    const auto response = get(server.url("hooks.example"), server.certificate_file());
    ASSERT_TRUE(response.ok()) << response.error().describe();
    EXPECT_EQ(response->status, 200);
}

TEST(HttpTls, a_certificate_nobody_vouches_for_is_permanent) {
    const TlsServer server;
    expect_permanent(get(server.url("hooks.example"), ""));
}

TEST(HttpTls, a_certificate_for_another_name_is_permanent) {
    const TlsServer server;
    expect_permanent(get(server.url("other.example"), server.certificate_file()));
}

TEST(HttpTls, a_certificate_that_has_expired_is_permanent) {
    const TlsServer server(-1);
    expect_permanent(get(server.url("hooks.example"), server.certificate_file()));
}

TEST(HttpTls, a_bad_certificate_is_classified_as_permanent_and_as_the_peers_failure) {
    const TlsServer server(-1);
    const Classified result =
        classify(get(server.url("hooks.example"), server.certificate_file()), {});
    EXPECT_EQ(result.kind, Classified::Kind::permanent);
    EXPECT_EQ(result.peer, Classified::Peer::failing);
}

TEST(HttpTls, a_server_that_does_not_speak_tls_may_learn_it) {
    std::atomic<bool> in_the_clear{false};
    test::TcpServer plain([&](test::TcpPeer& peer) {
        (void)peer.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        in_the_clear = !peer.read_request().empty();
    });
    const auto response = get(fmt::format("https://hooks.example:{}/", plain.port()), "");
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(response.error().code, ErrorCode::CONNECTION_FAILED) << response.error().describe();
    EXPECT_TRUE(response.error().retryable);
    EXPECT_FALSE(in_the_clear.load());
}

TEST(HttpTls, a_missing_file_of_certificates_is_permanent) {
    const TlsServer server;
    expect_permanent(get(server.url("hooks.example"), "/does/not/exist.pem"));
}

}  // namespace
}  // namespace jobforge::connect
