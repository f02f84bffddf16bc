// jobforge_bench: what the engine reaches on this machine, each number next to what plain SQL
// reaches in the same run. Ratios travel between machines; absolute numbers do not.
//
//     jobforge_bench [--quick] [--jobs N] [--rounds N] [--seconds N]
//                    [--only enqueue|drain|latency|snapshot]
//
// Plain SQL and ours take turns, `rounds` times: the machine's own speed may change by a third from
// one minute to the next. The line printed has the medians.
//
// Everything is durable (it prints the settings and ends with an error if they are not), and every
// job must have left its history and result row, or the run fails.
#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include <jobforge/client.h>
#include <jobforge/worker.h>

#include "bench_world.h"
#include "raw_sql.h"

namespace jobforge::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Plan {
    int jobs = 300'000;     // of a drain
    int singles = 4'000;    // of single enqueues
    int pings = 500;        // of the latency test
    int rounds = 3;         // of enqueues and drains
    int hold_seconds = 60;  // of the old snapshot
    std::string only;       // one part of it; empty: all
};

Client client_of(const World& world) {
    auto client = Client::connect(
        {.database_url = world.url(), .tenant_id = *Uuid::parse(kTenant), .pool_size = 16});
    if (!client) {
        die(client.error().describe());
    }
    return std::move(*client);
}

NewJob noop() {
    return {.type = kType, .payload = Json::object({{"n", 1}})};
}

void print_settings(const World& world) {
    for (const char* name :
         {"server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers"}) {
        const std::string value = world.text(fmt::format("show {}", name));
        fmt::print("{} = {}\n", name, value);
        if ((std::strcmp(name, "fsync") == 0 || std::strcmp(name, "synchronous_commit") == 0) &&
            value != "on") {
            die(fmt::format("{} is {}: not a durable run", name, value));
        }
    }
    fmt::print("\n{:<52} {:>10}   {:>14} {:<7} {:>6}\n", "", "jobforge", "plain SQL", "", "ratio");
}

double single_enqueues(Client& client, int clients, int jobs) {
    std::atomic<int> left = jobs;
    return jobs / parallel(clients, [&](int) {
               while (left.fetch_sub(1) > 0) {
                   if (auto job = client.enqueue(noop()); !job) {
                       die(job.error().describe());
                   }
               }
           });
}

double batch_enqueues(Client& client, int clients, int batch, int jobs) {
    const std::vector<NewJob> some(static_cast<std::size_t>(batch), noop());
    std::atomic<int> left = jobs;
    return jobs / parallel(clients, [&](int) {
               while (left.fetch_sub(batch) > 0) {
                   if (auto added = client.enqueue_many(some); !added) {
                       die(added.error().describe());
                   }
               }
           });
}

// Counts finished handlers and wakes the thread that waits for a number of them.
class Counter final {
public:
    void add() {
        if (done_.fetch_add(1, std::memory_order_relaxed) + 1 ==
            target_.load(std::memory_order_relaxed)) {
            const std::lock_guard lock(mutex_);
            reached_.notify_all();
        }
    }
    void wait_for(std::int64_t target) {
        std::unique_lock lock(mutex_);
        target_ = target;
        reached_.wait(lock, [&] { return done_.load() >= target; });
    }
    [[nodiscard]] std::int64_t done() const { return done_.load(); }

private:
    std::atomic<std::int64_t> done_ = 0;
    std::atomic<std::int64_t> target_ = -1;
    std::mutex mutex_;
    std::condition_variable reached_;
};

// It says what a worker of a deployment says, to nobody.
WorkerOptions worker_options(const World& world) {
    static const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    WorkerOptions options;
    options.database_url = world.url();
    options.slots = 64;
    options.log = Logger(make_line_sink({.fd = nowhere}));
    return options;
}

void start(Worker& worker) {
    if (auto started = worker.start(); !started) {
        die(started.error().describe());
    }
}

// Every job has one attempt and one result row, or the benchmark measured something else.
void check_rows(const World& world, std::int64_t expected) {
    const auto finished =
        world.number("select count(*) from jobforge.finished_jobs where status = 'SUCCEEDED'");
    const auto attempts =
        world.number("select count(*) from jobforge.job_attempts where outcome = 'SUCCEEDED'");
    const auto results =
        world.number("select count(*) from jobforge.job_results where result = '{\"ok\": true}'");
    const auto left = world.number("select count(*) from jobforge.jobs");
    fmt::print("    rows: finished {}, history {}, results {}, left {}\n", finished, attempts,
               results, left);
    if (finished != expected || attempts != expected || results != expected || left != 0) {
        die(fmt::format("{} rows of each were expected", expected));
    }
}

// Until the database itself says that everything is finished: the last completion has committed.
double drain(const World& world, std::int64_t jobs) {
    Counter counter;
    Worker worker(worker_options(world));
    worker.on(kType, [&](JobContext&) -> Outcome {
        counter.add();
        return Done{Json::object({{"ok", true}})};
    });
    const double took = seconds([&] {
        start(worker);
        counter.wait_for(jobs);
        worker.stop();
        worker.wait();  // flushes: every completion has committed when it returns
    });
    return static_cast<double>(jobs) / took;
}

void latency(const World& world, Client& client, int pings) {
    std::mutex mutex;
    std::condition_variable arrived;
    std::atomic<std::int64_t> at = 0;
    Worker worker(worker_options(world));
    worker.on(kType, [&](JobContext&) -> Outcome {
        at = Clock::now().time_since_epoch().count();
        const std::lock_guard lock(mutex);
        arrived.notify_all();
        return Done{Json::object({{"ok", true}})};
    });
    start(worker);
    std::vector<double> milliseconds;
    for (int ping = 0; ping < pings; ++ping) {
        at = 0;
        const auto sent = Clock::now();
        if (auto job = client.enqueue(noop()); !job) {
            die(job.error().describe());
        }
        std::unique_lock lock(mutex);
        arrived.wait(lock, [&] { return at.load() != 0; });
        const Clock::time_point began{Clock::duration(at.load())};
        milliseconds.push_back(std::chrono::duration<double, std::milli>(began - sent).count());
    }
    worker.stop();
    worker.wait();
    const std::vector<double> raw = raw_pings(world, pings);
    fmt::print("{:<52} p50 {:.2f} ms, p99 {:.2f} ms   raw insert, then claim: p50 {:.2f} ms\n",
               "latency, call of enqueue to start of handler", at_share(milliseconds, 0.5),
               at_share(milliseconds, 0.99), at_share(raw, 0.5));
}

// Jobs a second through enqueue, claim and completion for a while; with an old snapshot, a
// transaction elsewhere keeps all dead rows from being vacuumed.
double sustained(const World& world, Client& client, int for_seconds, bool old_snapshot) {
    world.clear();
    pg::Connection holder = world.connect();
    if (old_snapshot) {
        if (auto held = holder.script(
                "hold",
                "begin isolation level repeatable read; select count(*) from jobforge.jobs");
            !held) {
            die(held.error().describe());
        }
    }
    Counter counter;
    Worker worker(worker_options(world));
    worker.on(kType, [&](JobContext&) -> Outcome {
        counter.add();
        return Done{Json::object({{"ok", true}})};
    });
    start(worker);
    const std::vector<NewJob> batch(500, noop());
    std::int64_t sent = 0;
    const double took = seconds([&] {
        const auto end = Clock::now() + std::chrono::seconds(for_seconds);
        while (Clock::now() < end) {
            if (sent - counter.done() > 20'000) {
                counter.wait_for(sent - 10'000);
            }
            if (auto added = client.enqueue_many(batch); !added) {
                die(added.error().describe());
            }
            sent += 500;
        }
        counter.wait_for(sent);
    });
    worker.stop();
    worker.wait();
    check_rows(world, sent);
    return static_cast<double>(sent) / took;
}

// Both measured in turn; the lines of the single rounds show how steady the machine was.
void compare(std::string_view what, int rounds, const std::function<double()>& raw,
             const std::function<double()>& ours) {
    std::vector<double> raw_rates;
    std::vector<double> our_rates;
    for (int round = 1; round <= rounds; ++round) {
        raw_rates.push_back(raw());
        our_rates.push_back(ours());
        report(fmt::format("    round {}", round), our_rates.back(), raw_rates.back());
    }
    report(what, at_share(our_rates, 0.5), at_share(raw_rates, 0.5));
}

void enqueues(const World& world, Client& client, const Plan& plan) {
    for (int clients : {1, 8}) {
        world.clear();
        compare(
            fmt::format("enqueue, one per transaction, {} client{}", clients,
                        clients > 1 ? "s" : ""),
            plan.rounds, [&] { return raw_single_inserts(world, clients, plan.singles); },
            [&] { return single_enqueues(client, clients, plan.singles); });
    }
    for (int batch : {100, 1000}) {
        world.clear();
        compare(
            fmt::format("enqueue, {} per transaction, 2 clients", batch), plan.rounds,
            [&] { return raw_batch_inserts(world, 2, batch, plan.jobs / 3); },
            [&] { return batch_enqueues(client, 2, batch, plan.jobs / 3); });
    }
}

double raw_drain_of_new_jobs(const World& world, const Plan& plan) {
    world.clear();
    return raw_drain(world, 500, plan.jobs);
}

double drain_of_new_jobs(const World& world, Client& client, const Plan& plan) {
    world.clear();
    (void)batch_enqueues(client, 2, 1000, plan.jobs);
    const std::int64_t jobs = world.number("select count(*) from jobforge.jobs");
    const double rate = drain(world, jobs);
    check_rows(world, jobs);
    return rate;
}

void drains(const World& world, Client& client, const Plan& plan) {
    compare(
        fmt::format("drain of {} jobs, 1 worker, 64 slots", plan.jobs), plan.rounds,
        [&] { return raw_drain_of_new_jobs(world, plan); },
        [&] { return drain_of_new_jobs(world, client, plan); });
}

void snapshots(const World& world, Client& client, const Plan& plan) {
    const double plain = sustained(world, client, plan.hold_seconds, false);
    const double held = sustained(world, client, plan.hold_seconds, true);
    fmt::print("{:<52} {:>10.0f}   without {:>6.0f} jobs/s  loss {:.0f} %\n",
               fmt::format("enqueue + drain, old snapshot held for {} s", plan.hold_seconds), held,
               plain, 100 * (1 - held / plain));
}

int run(const Plan& plan) {
    const World world;
    Client client = client_of(world);
    print_settings(world);
    const auto wanted = [&](std::string_view part) {
        return plan.only.empty() || plan.only == part;
    };
    if (wanted("enqueue")) {
        enqueues(world, client, plan);
    }
    if (wanted("drain")) {
        drains(world, client, plan);
    }
    if (wanted("latency")) {
        world.clear();
        latency(world, client, plan.pings);
    }
    if (wanted("snapshot")) {
        snapshots(world, client, plan);
    }
    return 0;
}

}  // namespace
}  // namespace jobforge::bench

int main(int argc, char** argv) {
    jobforge::bench::Plan plan;
    for (int index = 1; index < argc; ++index) {
        const std::string argument = argv[index];
        if (argument == "--quick") {
            plan = {.jobs = 30'000,
                    .singles = 500,
                    .pings = 100,
                    .rounds = 1,
                    .hold_seconds = 5,
                    .only = plan.only};
        } else if (argument == "--jobs" && index + 1 < argc) {
            plan.jobs = std::max(1000, std::atoi(argv[++index]));
        } else if (argument == "--rounds" && index + 1 < argc) {
            plan.rounds = std::max(1, std::atoi(argv[++index]));
        } else if (argument == "--seconds" && index + 1 < argc) {
            plan.hold_seconds = std::max(1, std::atoi(argv[++index]));
        } else if (argument == "--only" && index + 1 < argc) {
            plan.only = argv[++index];
        } else {
            jobforge::bench::die(
                "usage: jobforge_bench [--quick] [--jobs N] [--rounds N] [--seconds N] "
                "[--only enqueue|drain|latency|snapshot]");
        }
    }
    return jobforge::bench::run(plan);
}
