#include "healthy_clients.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "bench_world.h"
#include "http_client.h"

namespace jobforge::bench {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<double> one_client(const HealthyPlan& plan, int client) {
    const std::string who = fmt::format("Host: x\r\nAuthorization: Bearer {}\r\n", plan.key);
    const std::string body = fmt::format(R"({{"type":"{}"}})", kType);
    const std::string get = fmt::format("GET /v1/jobs/{} HTTP/1.1\r\n{}\r\n", plan.job_id, who);
    const std::string post = fmt::format(
        "POST /v1/jobs HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: "
        "{}\r\n\r\n{}",
        who, body.size(), body);
    const auto pause = std::chrono::microseconds(std::int64_t{1'000'000} * plan.clients /
                                                 plan.requests_per_second);
    const auto begin = Clock::now() + pause * client / plan.clients;
    std::vector<double> waited;
    test::HttpConnection connection(plan.port);
    for (auto due = begin; due < begin + std::chrono::seconds(plan.seconds); due += pause) {
        std::this_thread::sleep_until(due);
        const bool reads = waited.size() % 2 == 0;
        connection.send(reads ? get : post);
        const test::HttpReply reply = connection.receive_one();
        waited.push_back(std::chrono::duration<double, std::milli>(Clock::now() - due).count());
        if (reply.status != (reads ? 200 : 201) ||
            (reads && reply.body.find(plan.job_id) == std::string::npos)) {
            die(fmt::format("a healthy request was answered {} {}", reply.status, reply.body));
        }
    }
    return waited;
}

}  // namespace

std::vector<double> ask_healthily(const HealthyPlan& plan) {
    std::vector<std::vector<double>> each(static_cast<std::size_t>(plan.clients));
    (void)parallel(plan.clients, [&](int client) {
        each[static_cast<std::size_t>(client)] = one_client(plan, client);
    });
    std::vector<double> all;
    for (const std::vector<double>& waited : each) {
        all.insert(all.end(), waited.begin(), waited.end());
    }
    return all;
}

}  // namespace jobforge::bench
