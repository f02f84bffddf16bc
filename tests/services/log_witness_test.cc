// A witness is given the head as it is, through the guard that every outgoing call has.
#include "services/audit/log_witness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "connect/http/http_request.h"
#include "tcp_server.h"
#include "webhook_world.h"

namespace jobforge::services {
namespace {

using test::http_answer;
using test::TcpServer;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kHead[] = "jobforge/t\n2\nroot\n\n— jobforge/t signature\n";

Status send(const std::string& url, const char* networks = "127.0.0.0/8") {
    connect::HttpOptions options;
    options.allowed_networks = connect::parse_networks(networks).value();
    return log_witness(std::make_shared<connect::HttpClient>(std::move(options)), url,
                       std::chrono::seconds(5))(kHead, {});
}

TEST(LogWitness, is_sent_the_signed_note_as_it_is) {
    const auto witness = TcpServer::answering(http_answer("204 No Content"));
    const Status sent = send(witness->url("/heads"));
    ASSERT_TRUE(sent.ok()) << sent.error().describe();
    ASSERT_EQ(witness->requests().size(), 1U);
    EXPECT_THAT(witness->requests()[0],
                AllOf(::testing::StartsWith("POST /heads HTTP/1.1"),
                      HasSubstr("text/plain; charset=utf-8"), ::testing::EndsWith(kHead)));
}

TEST(LogWitness, has_not_taken_it_unless_it_says_so) {
    for (const char* status : {"500 Oops", "404 No", "302 There"}) {
        const auto witness = TcpServer::answering(http_answer(status));
        const Status sent = send(witness->url());
        ASSERT_FALSE(sent.ok()) << status;
        EXPECT_THAT(sent.error().message, HasSubstr(std::string(status).substr(0, 3)));
    }
}

TEST(LogWitness, is_not_reached_at_an_address_that_is_not_allowed) {
    const auto witness = TcpServer::answering(http_answer("200 OK"));
    EXPECT_EQ(send(witness->url(), "").error().code, ErrorCode::SSRF_BLOCKED);
    EXPECT_EQ(witness->connections(), 0);
}

}  // namespace
}  // namespace jobforge::services
