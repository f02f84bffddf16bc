// jobforge_webhooks_bench: webhooks delivered a second by one worker to a receiver on this machine,
// durable, each with its signature, its row and its history; memory over time, and where the time
// goes.
//
//     jobforge_webhooks_bench [DELIVERIES]
//
// Every delivery must be DELIVERED and have reached the receiver exactly once, or the run fails.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include <jobforge/worker.h>

#include "bench_world.h"
#include "connect/http/http_request.h"
#include "engine/database/tenant_calls.h"
#include "passports/cpu_use.h"
#include "receiver.h"
#include "services/jobs/outgoing_slot.h"
#include "services/passport/passport_handlers.h"
#include "services/secrets/secret_box.h"
#include "services/webhooks/webhooks.h"

namespace jobforge::bench {
namespace {

namespace wl = services;

constexpr char kMasterKey[] = "YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmI=";
constexpr int kSlots = 16;

template <typename T>
T must(Result<T> result) {
    if (!result.ok()) {
        die(result.error().describe());
    }
    return *std::move(result);
}

wl::SharedTools make_tools(const World& world) {
    connect::HttpOptions http;
    http.allowed_networks = must(connect::parse_networks("127.0.0.0/8"));
    auto tools = std::make_shared<wl::PassportTools>();
    tools->settings.database_url = world.url();
    tools->settings.secrets =
        std::make_shared<wl::SecretBox>(must(wl::SecretBox::from_base64(kMasterKey)));
    tools->settings.http = std::make_shared<connect::HttpClient>(std::move(http));
    tools->settings.calls = wl::outgoing_calls(kSlots);
    return tools;
}

// An endpoint, and so many events that it is to hear of.
void prepare(const World& world, const wl::PassportTools& tools, const std::string& url,
             int deliveries) {
    const Uuid tenant = must(Uuid::parse(kTenant));
    auto calls =
        must(engine::TenantCalls::connect({.database_url = world.url(), .tenant_id = tenant}));
    const auto endpoint =
        must(wl::add_webhook_endpoint(calls, *tools.settings.secrets, tenant, {.url = url}, false));
    must(wl::subscribe_webhook(calls, endpoint.webhook_endpoint_id, {"PASSPORT_SIGNED"}));
    // Some at a time: a transaction of many thousand walks over its own dead rows.
    constexpr int kAtOnce = 500;
    for (int done = 0; done < deliveries; done += kAtOnce) {
        world.run(
            fmt::format("select set_config('app.tenant_id', '{}', false); select "
                        "count(jobforge.append_event('PassportVersion', gen_random_uuid(), "
                        "'PASSPORT_SIGNED', jsonb_build_object('key_id', 'bench', 'n', n))) "
                        "from generate_series(1, {}) n",
                        kTenant, std::min(kAtOnce, deliveries - done)));
    }
    world.run("analyze");
}

// Resident memory of this program in MiB.
double resident() {
    std::ifstream file("/proc/self/statm");
    double total = 0;
    double pages = 0;
    file >> total >> pages;
    return pages * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

struct Sample {
    double seconds = 0, memory = 0;
    std::int64_t delivered = 0;
};

// Until all are delivered; a line a second.
std::vector<Sample> watch(const Receiver& receiver, const World& world, int deliveries) {
    std::vector<Sample> samples;
    const auto begin = std::chrono::steady_clock::now();
    pg::Connection watcher = world.connect();
    for (;;) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const double passed =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        const bool over =
            receiver.requests() >= deliveries &&
            must(watcher.exec({"open_jobs", "select count(*) from jobforge.jobs"})).integer(0, 0) ==
                0;
        if (over || samples.empty() || passed - samples.back().seconds >= 1) {
            const Sample now{passed, resident(), receiver.requests()};
            const Sample before = samples.empty() ? Sample{} : samples.back();
            fmt::print("  {:>5.1f} s {:>8} delivered {:>6.0f} a second {:>7.1f} MiB resident\n",
                       now.seconds, now.delivered,
                       static_cast<double>(now.delivered - before.delivered) /
                           (now.seconds - before.seconds),
                       now.memory);
            std::fflush(stdout);
            samples.push_back(now);
        }
        if (over) {
            return samples;
        }
    }
}

void check(const World& world, const Receiver& receiver, int deliveries) {
    const auto good = world.number(
        "select count(*) from jobforge.webhook_deliveries d join jobforge.finished_jobs j "
        "on j.tenant_id = d.tenant_id and j.job_id = d.job_id where d.status = 'DELIVERED' "
        "and d.attempts = 1 and d.http_status = 200 and j.status = 'SUCCEEDED'");
    if (good != deliveries || receiver.requests() != deliveries) {
        die(fmt::format("{} of {} deliveries are complete, {} reached the receiver", good,
                        deliveries, receiver.requests()));
    }
}

void print_cpu(const CpuUse& cpu, const Receiver& receiver, int deliveries) {
    const double each = 1000.0 / deliveries;
    const double program = cpu.program_seconds();
    fmt::print("  processor time a delivery: {:.3f} ms in the worker, {:.3f} ms in the receiver\n",
               (program - receiver.cpu_seconds()) * each, receiver.cpu_seconds() * each);
    for (const auto& [name, seconds] : cpu.server_seconds()) {
        if (seconds * each >= 0.005) {
            fmt::print("  {:<26} {:.3f} ms in the server: {}\n", "", seconds * each, name);
        }
    }
}

int run(int deliveries) {
    const World world;
    const auto tools = make_tools(world);
    const Receiver receiver;
    prepare(world, *tools, receiver.url(), deliveries);
    Worker worker({.database_url = world.url(),
                   .slots = kSlots,
                   .poll_interval = std::chrono::milliseconds(50),
                   .pool_size = kSlots});
    wl::add_passport_handlers(worker, tools);
    pg::Connection watcher = world.connect();
    const CpuUse cpu(watcher);
    must(worker.start());
    const auto samples = watch(receiver, world, deliveries);
    fmt::print("fsync = {}, synchronous_commit = {}\n", world.text("show fsync"),
               world.text("show synchronous_commit"));
    fmt::print("{} deliveries: {:.0f} a second (aim: 1000), over {} connections\n", deliveries,
               deliveries / samples.back().seconds, receiver.connections());
    print_cpu(cpu, receiver, deliveries);
    check(world, receiver, deliveries);
    return 0;
}

}  // namespace
}  // namespace jobforge::bench

int main(int argc, char** argv) {
    return jobforge::bench::run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 20'000);
}
