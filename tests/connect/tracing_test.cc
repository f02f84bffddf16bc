// Trace ids on their way out.
#include "connect/http/tracing.h"

#include <regex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "route_server.h"

namespace jobforge::connect {
namespace {

using namespace test_support;

TEST(Tracing, a_trace_id_of_the_right_form_is_kept) {
    EXPECT_EQ(w3c_trace_id("4bf92f3577b34da6a3ce929d0e0e4736"), "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(w3c_trace_id("4BF92F3577B34DA6A3CE929D0E0E4736"), "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(w3c_trace_id("4bf92f35-77b3-4da6-a3ce-929d0e0e4736"),
              "4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST(Tracing, any_other_text_becomes_the_start_of_its_hash) {
    // printf 'order-17' | sha256sum
    EXPECT_EQ(w3c_trace_id("order-17"), "72a90ea3da8b5dd01bde2f27314e02e2");
    const std::regex form("[0-9a-f]{32}");
    for (const char* text :
         {"", "x", "00000000000000000000000000000000", "4bf92f3577b34da6a3ce929d0e0e473",
          "4bf92f3577b34da6a3ce929d0e0e47360", "4bf92f3577b34da6a3ce929d0e0e473g",
          "4bf92f3577b34da6-a3ce929d0e0e4736", "\r\nX-Injected: 1"}) {
        EXPECT_TRUE(std::regex_match(w3c_trace_id(text), form)) << text;
        EXPECT_NE(w3c_trace_id(text), std::string(32, '0'));
        EXPECT_NE(w3c_trace_id(text), text);
    }
}

TEST(Tracing, the_header_has_the_form_of_the_recommendation) {
    EXPECT_EQ(traceparent("4bf92f3577b34da6a3ce929d0e0e4736", 0x00f067aa0ba902b7),
              "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    EXPECT_EQ(traceparent("4bf92f3577b34da6a3ce929d0e0e4736", 0),
              "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000001-01");
}

TEST(Tracing, span_ids_differ_also_between_threads) {
    std::set<std::uint64_t> seen;
    std::mutex mutex;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                const SpanIds ids = random_span_ids();
                for (int n = 0; n < 250; ++n) {
                    const std::lock_guard lock(mutex);
                    seen.insert(ids());
                }
            });
        }
    }
    EXPECT_EQ(seen.size(), 1000U);
}

TEST(Traced, every_request_is_a_span_of_the_jobs_trace) {
    RouteServer server;
    server.at("/", answer(200, "ok"));
    HttpClient client(allowing());
    std::uint64_t next = 0xa0;
    Traced traced(client, "4bf92f3577b34da6a3ce929d0e0e4736", [&] { return next++; });
    HttpRequest request = get(server.url());
    request.headers = {{"TraceParent", "00-forged"}, {"tracestate", "a=b"}, {"X-Own", "1"}};
    ASSERT_TRUE(traced.send(request).ok());
    ASSERT_TRUE(traced.send(request).ok());
    const auto seen = server.requests();
    ASSERT_EQ(seen.size(), 2U);
    EXPECT_NE(seen[0].find("traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00000000000000a0-01"),
              std::string::npos);
    EXPECT_NE(seen[1].find("-00000000000000a1-01"), std::string::npos);
    for (const std::string& text : seen) {
        EXPECT_EQ(text.find("forged"), std::string::npos);
        EXPECT_EQ(text.find("tracestate"), std::string::npos);
        EXPECT_TRUE(has_header(text, "X-Own"));
    }
}

TEST(Traced, a_job_without_a_trace_adds_nothing) {
    RouteServer server;
    server.at("/", answer(200, "ok"));
    HttpClient client(allowing());
    Traced traced(client, "");
    ASSERT_TRUE(traced.send(get(server.url())).ok());
    EXPECT_FALSE(has_header(server.requests().at(0), "traceparent"));
}

}  // namespace
}  // namespace jobforge::connect
