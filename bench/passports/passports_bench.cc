// jobforge_passports_bench: passports compiled, signed and given QR codes a second by one worker,
// durable, with audit events, log and proofs, and where the time goes.
//
//     jobforge_passports_bench EXAMPLE_DIRECTORY [PASSPORTS] [SLOTS]
//
// Slots: 0, the program's default (cores x 4), unless given.
// Every version must be SIGNED with a QR code and three events, or the run fails.
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include <jobforge/client.h>
#include <jobforge/worker.h>

#include "base/keep_memory.h"
#include "bench_world.h"
#include "cpu_use.h"
#include "engine/database/tenant_calls.h"
#include "services/passport/documents.h"
#include "services/passport/passport_handlers.h"
#include "services/passport/passports.h"
#include "services/passport/rule_packages.h"
#include "services/passport/snapshots.h"

namespace jobforge::bench {
namespace {

namespace wl = services;

constexpr char kKeyId[] = "bench-key";
constexpr char kKey[] = "YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmI=";

template <typename T>
T must(Result<T> result) {
    if (!result.ok()) {
        die(result.error().describe());
    }
    return *std::move(result);
}

std::string read(const std::string& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    if (text.str().empty()) {
        die("cannot read " + path);
    }
    return text.str();
}

wl::SharedTools make_tools(const World& world) {
    auto keys = std::make_shared<wl::SigningKeys>();
    must(keys->add(kKeyId, kKey));
    auto tools = std::make_shared<wl::PassportTools>();
    tools->settings.database_url = world.url();
    tools->settings.build_id = "bench";
    tools->settings.signing_keys = std::move(keys);
    return tools;
}

void finish(Client& client, const Uuid& job) {
    for (;;) {
        const JobDetails details = must(client.get(job));
        if (details.completed_at) {
            if (details.status != "SUCCEEDED") {
                die(details.type + ": " + details.last_error.dump());
            }
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

struct Inputs {
    Uuid snapshot, rules, product;
};

Inputs prepare(engine::TenantCalls& calls, Client& client, const std::string& example) {
    const auto document =
        must(wl::upload_document(calls, {.kind = "BATTERY_DATA",
                                         .name = "ev.json",
                                         .content = read(example + "/documents/ev.json")}));
    finish(client, *document.job_id);
    const Uuid snapshot = must(wl::create_snapshot(calls, {.label = "bench"}));
    must(wl::add_snapshot_facts(calls, snapshot,
                                {.document_version_ids = {document.document_version_id}}));
    finish(client, must(wl::build_snapshot(calls, snapshot, "")));
    must(wl::seal_snapshot(calls, snapshot, ""));
    const auto rules =
        must(wl::upload_rules(calls, {.package = "battery-eu",
                                      .dsl_source = read(example + "/battery-eu.rules"),
                                      .tests_source = read(example + "/battery-eu.tests")}));
    finish(client, must(wl::request_rule_tests(calls, rules.rule_package_version_id, 1, "")));
    must(wl::publish_rules(calls, rules.rule_package_version_id, ""));
    const auto product = must(Json::parse(read(example + "/products/ev.json")));
    return {snapshot, rules.rule_package_version_id,
            must(wl::create_product(
                calls, {*product.find("sku")->as_string(), *product.find("name")->as_string()}))};
}

void request_all(engine::TenantCalls& calls, const Inputs& inputs, int count) {
    for (int n = 0; n < count; ++n) {
        const Uuid passport = must(wl::create_passport(calls, {inputs.product}));
        must(wl::request_compile(calls, {passport, inputs.snapshot, inputs.rules, kKeyId}));
    }
}

void check(const World& world, int count) {
    const auto good = world.number(
        "select count(*) from jobforge.passport_versions v where v.status = 'SIGNED' "
        "and v.qr_png is not null and (select count(*) from jobforge.events e "
        "where e.tenant_id = v.tenant_id and e.aggregate_id = v.passport_version_id) = 3");
    if (good != count) {
        die(fmt::format("{} of {} passports are complete", good, count));
    }
}

void print_time(const World& world) {
    for (const char* type : {"COMPILE_PASSPORT", "SIGN_PASSPORT", "GENERATE_QR"}) {
        fmt::print("  {:<18} {:>6.2f} ms from claim to commit, on average\n", type,
                   static_cast<double>(world.number(fmt::format(
                       "select (1000000 * avg(extract(epoch from completed_at - started_at)))"
                       "::bigint from jobforge.finished_jobs where type = '{}'",
                       type))) /
                       1000.0);
    }
}

void print_metrics(const wl::PassportMetrics& metrics) {
    std::istringstream lines(metrics.text());
    double seconds = 0;
    double compiles = 0;
    for (std::string line; std::getline(lines, line);) {
        const auto value = [&line] { return std::atof(line.substr(line.rfind(' ')).c_str()); };
        if (line.starts_with("bpc_compile_duration_seconds_sum")) {
            seconds = value();
        } else if (line.starts_with("bpc_compile_duration_seconds_count")) {
            compiles = value();
        }
    }
    fmt::print("  {:<18} {:>6.2f} ms of the first is compiling itself\n", "",
               1000 * seconds / compiles);
}

void print_cpu(double program, const std::map<std::string, double>& server, int count) {
    const double each = 1000.0 / count;
    fmt::print("  processor time a passport: {:.2f} ms in the worker\n", program * each);
    double sum = 0;
    for (const auto& [name, seconds] : server) {
        sum += seconds;
    }
    if (sum > 0) {
        fmt::print("  {:<26} {:.2f} ms in the server\n", "", sum * each);
    }
    for (const auto& [name, seconds] : server) {
        if (seconds * each >= 0.05) {
            fmt::print("  {:<28} {:>5.2f} ms {}\n", "", seconds * each, name);
        }
    }
}

int run(const std::string& example, int count, int slots) {
    const World world;
    engine::TenantCalls calls = must(engine::TenantCalls::connect(
        {.database_url = world.url(), .tenant_id = must(Uuid::parse(kTenant))}));
    Client client = must(
        Client::connect({.database_url = world.url(), .tenant_id = must(Uuid::parse(kTenant))}));
    const auto tools = make_tools(world);
    Inputs inputs;
    {
        Worker worker(
            {.database_url = world.url(), .poll_interval = std::chrono::milliseconds(50)});
        wl::add_passport_handlers(worker, tools);
        must(worker.start());
        inputs = prepare(calls, client, example);
    }
    const double asked = seconds([&] { request_all(calls, inputs, count); });
    Worker worker({.database_url = world.url(),
                   .slots = slots,
                   .poll_interval = std::chrono::milliseconds(50)});
    wl::add_passport_handlers(worker, tools);
    pg::Connection watcher = world.connect();
    const auto open_jobs = [&watcher] {
        return must(watcher.exec({"open_jobs", "select exists (select from jobforge.jobs)"}))
            .boolean(0, 0);
    };
    const CpuUse cpu(watcher);
    const double took = seconds([&] {
        must(worker.start());
        while (open_jobs()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    });
    const double program_cpu = cpu.program_seconds();
    const auto server_cpu = cpu.server_seconds();
    check(world, count);
    fmt::print("fsync = {}, synchronous_commit = {}\n", world.text("show fsync"),
               world.text("show synchronous_commit"));
    fmt::print("{} passports asked for: {:.0f} a second\n", count, count / asked);
    fmt::print("{} passports compiled, signed and given QR codes: {:.0f} a second (aim: 100)\n",
               count, count / took);
    print_time(world);
    print_metrics(tools->metrics);
    print_cpu(program_cpu, server_cpu, count);
    fmt::print("  payload {} bytes, proof {} bytes, PNG {} bytes\n",
               world.number("select length(payload_canonical) from jobforge.passport_versions "
                            "limit 1"),
               world.number("select length(proof_canonical) from jobforge.passport_versions "
                            "limit 1"),
               world.number("select length(qr_png) from jobforge.passport_versions limit 1"));
    return 0;
}

}  // namespace
}  // namespace jobforge::bench

int main(int argc, char** argv) {
    jobforge::keep_freed_memory();  // as the program does
    if (argc < 2) {
        jobforge::bench::die(
            "usage: jobforge_passports_bench EXAMPLE_DIRECTORY [PASSPORTS] [SLOTS]");
    }
    const auto number = [&](int place, int least, int otherwise) {
        return argc > place ? std::max(least, std::atoi(argv[place])) : otherwise;
    };
    return jobforge::bench::run(argv[1], number(2, 1, 1000), number(3, 0, 0));
}
