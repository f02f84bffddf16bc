// Servers that mean harm: every one ends in a classified answer or error, in bounded time and in
// bounded memory (the peak of the whole process is measured, server included).
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "connect/http/classify.h"
#include "connect/http/decompress.h"
#include "connect/http/redirects.h"
#include "gzip_bytes.h"
#include "route_server.h"

namespace jobforge::connect {
namespace {

using namespace test_support;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::TcpPeer;
using test::TcpServer;
using Kind = Classified::Kind;

// A line of /proc/self/status in KiB: VmHWM is the peak, VmRSS the present.
long memory_kib(std::string_view name) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(name)) {
            return std::strtol(line.c_str() + name.size() + 1, nullptr, 10);
        }
    }
    return -1;
}

// Where that is not allowed, the peak stays, and only what goes beyond it is seen.
void forget_peak() {
    std::ofstream("/proc/self/clear_refs") << "5\n";
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long kMostKib = 512 * 1024;  // their shadows and quarantines grow with every allocation
#else
constexpr long kMostKib = 24 * 1024;
#endif

struct Hostile {
    const char* name;
    Kind kind;       // of what the client makes of it
    bool truncated;  // an answer that was cut off
    TcpServer::Behaviour behaviour;
    milliseconds timeout = seconds(20);  // for those that end by themselves, long before
};

void PrintTo(const Hostile& server, std::ostream* out) {
    *out << server.name;
}

constexpr char kHead[] = "HTTP/1.1 200 OK\r\n";

// Reads the request, says this, and hangs up.
TcpServer::Behaviour says(std::string bytes) {
    return [bytes = std::move(bytes)](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.write(bytes);
    };
}

// Says the first once, then the second until the client is gone.
TcpServer::Behaviour goes_on(std::string first, std::string again) {
    return [first = std::move(first), again = std::move(again)](TcpPeer& peer) {
        (void)peer.read_request();
        bool open = peer.write(first);
        while (open) {
            open = peer.write(again);
        }
    };
}

// Byte by byte, 5 ms each, until the client is gone.
TcpServer::Behaviour drips(std::string bytes, std::string drop) {
    return [bytes = std::move(bytes), drop = std::move(drop)](TcpPeer& peer) {
        (void)peer.read_request();
        bool open = peer.write(bytes);
        while (open && !peer.closed_within(milliseconds(5))) {
            open = peer.write(drop);
        }
    };
}

// Keeps quiet until the client is gone.
TcpServer::Behaviour falls_silent_after(std::string bytes) {
    return [bytes = std::move(bytes)](TcpPeer& peer) {
        (void)peer.read_request();
        (void)peer.write(bytes);
        (void)peer.read_request();
    };
}

std::string zipped(const std::string& body, std::string_view encoding = "gzip") {
    return answer(200, body, fmt::format("Content-Encoding: {}\r\n", encoding));
}

std::string times(int count, std::string_view text) {
    std::string all;
    for (int i = 0; i < count; ++i) {
        all += text;
    }
    return all;
}

// 1 GiB of zeros in about 1 MiB: a member of 1 MiB in 1 KiB, 1,024 times.
std::string bomb() {
    const std::string all = times(1024, gzip(std::string(1 << 20, '\0')));
    return all.substr(0, (1 << 20) - 64);  // what max_response_bytes lets through
}

std::string many_headers(int count) {
    std::string text(kHead);
    for (int i = 0; i < count; ++i) {
        text += fmt::format("X-{}: y\r\n", i);
    }
    return text + "Content-Length: 0\r\n\r\n";
}

const std::string kChunked = std::string(kHead) + "Transfer-Encoding: chunked\r\n\r\n";

constexpr milliseconds kShort{300};  // for those that only the timeout ends

class HostileServer : public testing::TestWithParam<Hostile> {};

TEST_P(HostileServer, costs_little_and_is_classified) {
    TcpServer server(GetParam().behaviour);
    HttpClient client(allowing());
    Decompress decompress(client);
    Redirects redirects(decompress);
    HttpRequest request = get(server.url());
    request.timeout = GetParam().timeout;
    request.follow_redirects = 10;
    request.decompress = true;
    forget_peak();
    const long before = memory_kib("VmHWM:");
    const auto start = std::chrono::steady_clock::now();
    const auto response = redirects.send(request);
    const auto took = std::chrono::steady_clock::now() - start;
    const long peak = memory_kib("VmHWM:");
    EXPECT_LT(took, seconds(10)) << "whatever the timeout, on a busy machine";
    EXPECT_LT(peak - before, kMostKib);
    EXPECT_EQ(classify(response, {}).kind, GetParam().kind)
        << (response.ok() ? fmt::format("answer {}", response->status)
                          : response.error().describe());
    if (response.ok()) {
        EXPECT_EQ(response->truncated, GetParam().truncated);
        EXPECT_LE(response->body.size(), std::size_t{1} << 20);
    } else {
        EXPECT_FALSE(GetParam().truncated) << response.error().describe();
        EXPECT_TRUE(response.error().outcome_unknown);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, HostileServer,
    testing::Values(
        Hostile{"endless", Kind::ok, true,
                goes_on(std::string(kHead) + "\r\n", std::string(65536, 'x'))},
        Hostile{"endless_in_chunks", Kind::ok, true,
                goes_on(kChunked, "10000\r\n" + std::string(65536, 'x') + "\r\n")},
        Hostile{"endless_in_tiny_chunks", Kind::ok, true,
                goes_on(kChunked, times(10'000, "1\r\nx\r\n"))},
        Hostile{"a_chunk_of_sixteen_exabytes", Kind::retry, false,
                goes_on(kChunked + "ffffffffffffffff\r\n", std::string(65536, 'x'))},
        Hostile{"a_huge_announcement", Kind::ok, true,
                goes_on(std::string(kHead) + "Content-Length: 9223372036854775807\r\n\r\n",
                        std::string(65536, 'x'))},
        Hostile{"an_announcement_beyond_all_numbers", Kind::ok, true,
                goes_on(std::string(kHead) + "Content-Length: 99999999999999999999999\r\n\r\n",
                        std::string(65536, 'x'))},
        Hostile{"an_endless_trailer", Kind::retry, false,
                goes_on(kChunked + "2\r\nok\r\n0\r\n", "X-Late: y\r\n")},
        Hostile{"a_bomb_of_a_gibibyte", Kind::ok, true, says(zipped(bomb()))},
        Hostile{"a_bomb_within_a_bomb", Kind::permanent, false,
                says(zipped(gzip(bomb()), "gzip, gzip"))},
        Hostile{"gzip_that_is_none", Kind::retry, false, says(zipped(std::string(5000, 'x')))},
        Hostile{
            "gzip_of_nothing_for_ever", Kind::ok, true,
            goes_on(std::string(kHead) + "Content-Encoding: gzip\r\n\r\n", times(1000, gzip("")))}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Lengths, HostileServer,
    testing::Values(
        Hostile{"shorter_than_announced", Kind::retry, false,
                says(std::string(kHead) + "Content-Length: 100\r\n\r\nhalf")},
        Hostile{"longer_than_announced", Kind::ok, false,
                says(std::string(kHead) + "Content-Length: 2\r\n\r\nokHTTP/1.1 200 forged")},
        Hostile{"two_different", Kind::retry, false,
                says(std::string(kHead) + "Content-Length: 2\r\nContent-Length: 5\r\n\r\nok123")},
        Hostile{"two_in_one", Kind::retry, false,
                says(std::string(kHead) + "Content-Length: 2, 5\r\n\r\nok123")},
        Hostile{"twice_the_same", Kind::ok, false,
                says(std::string(kHead) + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok")},
        Hostile{"negative", Kind::retry, false,
                says(std::string(kHead) + "Content-Length: -1\r\n\r\nok")},
        Hostile{"invalid_chunk_size", Kind::retry, false, says(kChunked + "zz\r\nok\r\n")},
        Hostile{"negative_chunk_size", Kind::retry, false, says(kChunked + "-2\r\nok\r\n")},
        Hostile{"chunk_without_end", Kind::retry, false, says(kChunked + "2\r\nok")},
        Hostile{"chunk_longer_than_said", Kind::retry, false,
                says(kChunked + "2\r\nokay\r\n0\r\n")},
        Hostile{"chunks_without_the_last", Kind::retry, false, says(kChunked + "2\r\nok\r\n")}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Headers, HostileServer,
    testing::Values(
        Hostile{"a_megabyte_in_one", Kind::retry, false,
                says(std::string(kHead) + "X: " + std::string(1 << 20, 'x') + "\r\n\r\n")},
        Hostile{"ten_thousand", Kind::retry, false, says(many_headers(10'000))},
        Hostile{"endless", Kind::retry, false, goes_on(kHead, "X: y\r\n")},
        Hostile{"an_endless_line", Kind::retry, false, goes_on(kHead, std::string(65536, 'x'))},
        Hostile{"an_endless_status", Kind::retry, false,
                goes_on("HTTP/1.1 200 ", std::string(65536, 'x'))},
        Hostile{"endless_early_hints", Kind::retry, false,
                goes_on("", "HTTP/1.1 103 Early\r\nLink: x\r\n\r\n")},
        Hostile{"with_zero_bytes", Kind::retry, false,
                says(std::string(kHead) + std::string("X: a\0b\r\n\r\n", 10))},
        Hostile{"of_no_http", Kind::retry, false, says("SSH-2.0-OpenSSH_9.2\r\n")}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Slow, HostileServer,
    testing::Values(
        Hostile{"status_line", Kind::retry, false, drips("HTTP/1.1 200 ", "x"), kShort},
        Hostile{"headers", Kind::retry, false, drips(kHead, "X"), kShort},
        Hostile{"body", Kind::retry, false,
                drips(std::string(kHead) + "Content-Length: 100000\r\n\r\n", "x"), kShort},
        Hostile{"chunks", Kind::retry, false, drips(kChunked, "1\r\nx\r\n"), kShort},
        Hostile{"silence_at_once", Kind::retry, false, falls_silent_after(""), kShort},
        Hostile{"silence_in_the_headers", Kind::retry, false, falls_silent_after(kHead), kShort},
        Hostile{"silence_in_the_body", Kind::retry, false,
                falls_silent_after(std::string(kHead) + "Content-Length: 5\r\n\r\nok"), kShort}),
    [](const auto& row) { return row.param.name; });

// One good answer, cut after every single byte.
TEST(HangUp, at_every_byte_of_an_answer_is_an_error_that_may_be_repeated) {
    const std::string whole =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok";
    HttpClient client(allowing());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        TcpServer server(says(whole.substr(0, size)));
        const auto response = client.send(get(server.url()));
        ASSERT_FALSE(response.ok()) << size;
        EXPECT_EQ(classify(response, {}).kind, Kind::retry) << size << response.error().describe();
    }
    TcpServer server(says(whole));
    EXPECT_TRUE(client.send(get(server.url())).ok());
}

TEST(HangUp, before_a_byte_of_the_request_was_read_may_be_repeated) {
    TcpServer server([](TcpPeer&) {});
    HttpClient client(allowing());
    HttpRequest request = get(server.url());
    request.method = "POST";
    request.body = std::string(1 << 20, 'x');
    const auto response = client.send(request);
    ASSERT_FALSE(response.ok());
    EXPECT_EQ(classify(response, {}).kind, Kind::retry) << response.error().describe();
}

TEST(HostileMemory, does_not_grow_from_request_to_request) {
    TcpServer server(goes_on(std::string(kHead) + "\r\n", std::string(65536, 'x')));
    HttpClient client(allowing());
    for (int i = 0; i < 5; ++i) {
        ASSERT_TRUE(client.send(get(server.url())).ok());
    }
    const long before = memory_kib("VmRSS:");
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(client.send(get(server.url())).ok());
    }
    EXPECT_LT(memory_kib("VmRSS:") - before, kMostKib) << "50 bodies of a megabyte";
}

}  // namespace
}  // namespace jobforge::connect
