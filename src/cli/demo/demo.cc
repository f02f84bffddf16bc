#include "cli/demo/demo.h"

#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/text/counted.h"
#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

constexpr std::chrono::seconds kLimit{60};
constexpr std::chrono::milliseconds kLook{100};

// test.crash is missing on purpose: it would take this very process with it.
std::vector<NewJob> demo_jobs() {
    const auto job = [](std::string type, Json payload) {
        NewJob one;
        one.type = std::move(type);
        one.payload = std::move(payload);
        return one;
    };
    std::vector<NewJob> jobs;
    for (const char* word : {"one", "two", "three"}) {
        jobs.push_back(job("test.echo", Json::object({{"word", word}})));
    }
    jobs.push_back(job("test.sleep", Json::object({{"seconds", 1}})));
    jobs.push_back(job("test.sleep", Json::object({{"seconds", 2}})));
    jobs.push_back(job("test.fail", Json::object({{"times", 1}})));
    jobs.push_back(job("test.fail", Json::object({{"permanent", true}})));
    return jobs;
}

bool is_finished(const JobDetails& job) {
    return job.completed_at.has_value();
}

std::string line(const JobDetails& job) {
    const std::string end = job.last_error.is_null() || job.status == "SUCCEEDED"
                                ? job.result.dump()
                                : error_cell(job.last_error);
    return fmt::format("{}  {:<10}  {:<11}  {}  {}", job.job_id.to_string(), job.type, job.status,
                       counted(job.attempts, "attempt"), shortened(end, 50));
}

}  // namespace

Status run_demo(const Context& context, const std::string& url, const Signals& signals) {
    auto tenant = context.tenant_id(url);
    if (!tenant.ok()) {
        return std::move(tenant).error();
    }
    auto client =
        Client::connect({.database_url = url, .tenant_id = *tenant, .created_by = "demo"});
    if (!client.ok()) {
        return std::move(client).error();
    }
    auto enqueued = client->enqueue_many(demo_jobs());
    if (!enqueued.ok()) {
        return std::move(enqueued).error();
    }
    print_line(fmt::format("demo: {} jobs enqueued; they end like this:", enqueued->size()));
    std::vector<Enqueued> waiting = *enqueued;
    const auto deadline = std::chrono::steady_clock::now() + kLimit;
    while (!waiting.empty() && !signals.arrived() && std::chrono::steady_clock::now() < deadline) {
        std::vector<Enqueued> left;
        for (const Enqueued& one : waiting) {
            auto job = client->get(one.job_id);
            if (!job.ok()) {
                return std::move(job).error();
            }
            if (is_finished(*job)) {
                print_line(line(*job));
            } else {
                left.push_back(one);
            }
        }
        waiting = std::move(left);
        std::this_thread::sleep_for(kLook);
    }
    print_line(waiting.empty()
                   ? "demo: all have ended"
                   : fmt::format("demo: {} still wait; see jobforge jobs list", waiting.size()));
    return ok_status();
}

}  // namespace jobforge::cli
