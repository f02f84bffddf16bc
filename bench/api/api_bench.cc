// jobforge_api_bench: what the HTTP API costs, and what an attack costs everybody else.
//
//     jobforge_api_bench [--seconds N] [--rounds N] [--attack-seconds N] [--only rates|attack]
//
// rates: requests a second by wrk on GET /v1/jobs/{id} and POST /v1/jobs, next to the same
// statements sent by pgbench in a pipeline over as many connections, in turn. attack: the p99 of
// clients that behave, alone and while 200 malformed requests a second, 500 slow connections and
// bodies of 100 MB come in (attackers.h), in turn; medians of the rounds. Fails if that p99 more
// than doubles, the program's memory passes 256 MB, or a healthy answer is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "api_program.h"
#include "attackers.h"
#include "bench_world.h"
#include "healthy_clients.h"

namespace jobforge::bench {
namespace {

constexpr int kConnections = 10;  // the program's pool has as many
constexpr double kMostMegabytes = 256;
constexpr double kMostSlower = 2;
constexpr double kLeastMalformed = 190;  // a second, of the 200 that are tried
constexpr int kAttacks = 6;              // their seconds together are --attack-seconds

struct Plan {
    int seconds = 2;  // short and many: each ratio compares neighbours in time
    int rounds = 15;
    int attack_seconds = 60;
    std::string only;
};

struct Rate {
    double per_second = 0;
    std::string p99;
    double cpu = 0;  // seconds of the API's process
};

std::string output_of(std::vector<std::string> arguments) {
    const test::Finished done = test::run(arguments, {}, std::chrono::minutes(10));
    if (done.exit_code != 0) {
        die(fmt::format("{} ended with {}: {}{}", arguments[0], done.exit_code, done.output,
                        done.error_output));
    }
    return done.output;
}

Rate by_wrk(const ApiProgram& api, const Plan& plan, const std::string& path,
            const std::string& script) {
    std::vector<std::string> arguments = {
        "wrk",       "-t1", fmt::format("-c{}", kConnections),   fmt::format("-d{}s", plan.seconds),
        "--latency", "-H",  "Authorization: Bearer " + api.key()};
    if (!script.empty()) {
        arguments.insert(arguments.end(), {"-s", script});
    }
    arguments.push_back(api.url() + path);
    const double before = api.cpu_seconds();
    const std::string told = output_of(std::move(arguments));
    if (told.find("Non-2xx") != std::string::npos ||
        told.find("Socket errors") != std::string::npos) {
        die("wrk met errors: " + told);
    }
    return {std::stod(must_find(told, "Requests/sec: +([0-9.]+)")),
            must_find(told, "99% +([0-9.a-z]+)"), api.cpu_seconds() - before};
}

double by_pgbench(const World& world, const Plan& plan, const std::string& script) {
    const std::string told =
        output_of({"pgbench", "-n", "-M", "prepared", "-j", "1", "-c", std::to_string(kConnections),
                   "-T", std::to_string(plan.seconds), "-f", script, world.url()});
    return std::stod(must_find(told, "tps = ([0-9.]+)"));
}

// In turn, because a machine's speed changes while it runs: the rounds show by how much.
void compare(const World& world, const ApiProgram& api, const Plan& plan, std::string_view what,
             const std::string& path, const std::string& wrk_script,
             const std::string& statements) {
    const std::string script =
        api.file("statements.sql", "\\startpipeline\n" + statements + "\\endpipeline\n");
    std::vector<double> ratios;
    for (int round = 0; round < plan.rounds; ++round) {
        world.run("checkpoint");
        const double raw = by_pgbench(world, plan, script);
        const Rate ours = by_wrk(api, plan, path, wrk_script);
        ratios.push_back(ours.per_second / raw);
        fmt::print(
            "{:<22} {:>7.0f} requests/s  p99 {:<9} pgbench {:>7.0f}/s  ratio {:.2f}  "
            "processor {:.0f} us a request\n",
            what, ours.per_second, ours.p99, raw, ratios.back(),
            ours.cpu * 1e6 / (ours.per_second * plan.seconds));
        std::fflush(stdout);
    }
    fmt::print("{:<22} median ratio {:.2f} (aim: 0.70)\n", what, at_share(ratios, 0.5));
}

void rates(const World& world, const ApiProgram& api, const Plan& plan) {
    const auto entered = [&](const char* changes) {
        return fmt::format("select jobforge.enter_request('{}', 1, 0, {});\n", api.key_id(),
                           changes);
    };
    compare(world, api, plan, "GET /v1/jobs/{id}", "/v1/jobs/" + api.job_id(), "",
            entered("false") + fmt::format("select pg_catalog.row_to_json(j) from "
                                           "jobforge.get_job('{}') j;\n",
                                           api.job_id()));
    const std::string wrk_script =
        api.file("post.lua", fmt::format("wrk.method = \"POST\"\nwrk.body = '{{\"type\":\"{}\"}}'\n"
                                         "wrk.headers[\"Content-Type\"] = \"application/json\"\n",
                                         kType));
    // pgbench takes a colon for a variable, even in a text: created_by is not "key:..." here.
    compare(world, api, plan, "POST /v1/jobs", "/v1/jobs", wrk_script,
            entered("true") + fmt::format("select job_id, deduplicated from jobforge.enqueue_job("
                                          "p_type => '{}', p_payload => '{{}}', p_created_by => "
                                          "'{}');\n",
                                          kType, api.key_id()));
}

// The p99 of every round: one pause of the machine spoils one round, not the figure.
struct Waits {
    std::vector<double> p50s;
    std::vector<double> p99s;
    std::size_t count = 0;

    void add(const std::vector<double>& round) {
        p50s.push_back(at_share(round, 0.5));
        p99s.push_back(at_share(round, 0.99));
        count += round.size();
    }
    [[nodiscard]] std::string told() const {
        return fmt::format("p50 {:.2f} ms, p99 {:.2f} ms ({:.2f} to {:.2f})", at_share(p50s, 0.5),
                           at_share(p99s, 0.5), at_share(p99s, 0), at_share(p99s, 1));
    }
};

bool attack(ApiProgram& api, const Plan& plan) {
    HealthyPlan healthy{.port = api.port(), .key = api.key(), .job_id = api.job_id()};
    healthy.seconds = std::max(1, plan.attack_seconds / kAttacks);
    Waits alone;
    Waits attacked;
    AttackReport all;
    // In turn, for the same reason as above.
    for (int round = 0; round < kAttacks; ++round) {
        alone.add(ask_healthily(healthy));
        Attackers attackers(api.port(), api.key());
        attacked.add(ask_healthily(healthy));
        const AttackReport sent = attackers.finish();
        all.malformed += sent.malformed;
        all.heavy_rounds += sent.heavy_rounds;
        all.seconds += sent.seconds;
    }
    const double normal = at_share(alone.p99s, 0.5);
    const double worse = at_share(attacked.p99s, 0.5);
    fmt::print(
        "attack of {:.0f} s: {:.0f} malformed requests/s, 500 slow connections, {} rounds of heavy "
        "requests\n  {} healthy requests meanwhile, all answered: {}\n  {} without it: {}\n"
        "  ratio of the p99 {:.2f} (at most {}); memory of the program at most {:.0f} MB (limit "
        "{})\n",
        all.seconds, all.malformed / all.seconds, all.heavy_rounds, attacked.count, attacked.told(),
        alone.count, alone.told(), worse / normal, kMostSlower, api.peak_megabytes(),
        kMostMegabytes);
    if (all.malformed < kLeastMalformed * all.seconds) {
        die("the attack was too weak: the machine has no time left for it");
    }
    return api.running() && worse <= kMostSlower * normal && api.peak_megabytes() < kMostMegabytes;
}

int run(const Plan& plan) {
    const World world;
    ApiProgram api(world);
    if (plan.only != "attack") {
        rates(world, api, plan);
    }
    if (plan.only != "rates" && !attack(api, plan)) {
        die("the attack was felt");
    }
    return 0;
}

}  // namespace
}  // namespace jobforge::bench

int main(int argc, char** argv) {
    if (jobforge::bench::Attackers::is_attacker()) {
        return jobforge::bench::Attackers::main();
    }
    jobforge::bench::Plan plan;
    for (int index = 1; index + 1 < argc; index += 2) {
        const std::string name = argv[index];
        const int number = std::max(1, std::atoi(argv[index + 1]));
        if (name == "--seconds") {
            plan.seconds = number;
        } else if (name == "--rounds") {
            plan.rounds = number;
        } else if (name == "--attack-seconds") {
            plan.attack_seconds = number;
        } else if (name == "--only") {
            plan.only = argv[index + 1];
        } else {
            jobforge::bench::die(
                "usage: jobforge_api_bench [--seconds N] [--rounds N] [--attack-seconds N] "
                "[--only rates|attack]");
        }
    }
    return jobforge::bench::run(plan);
}
