// A worker process for the torture suite, which kills it, freezes it and takes its server away.
//
//     jobforge_torture_worker URL WORKER_ID LEASE_SECONDS SLOTS HISTORY
//
// Every run is written to HISTORY as a claim, for the checker, and the end of this process by a
// poisonous job as `poison`. A write is one line.
//
// Handlers:
//   effect  works for payload.ms milliseconds, then inserts one row into public.effects in its
//           completion transaction, which it keeps open for payload.open_ms. The table has no
//           unique constraint: a second row is for the checker to find. With payload.stubborn it
//           ignores the request to stop, as code that blocks in a foreign call does.
//   plain   works for payload.ms and ends without a transaction
//   poison  kills this process
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <string>

#include <fmt/format.h>
#include <jobforge/worker.h>

namespace {

// What a stop gives running handlers. The suite expects the process to end within it
// (DRAIN_GRACE_SECONDS of tests/torture/fleet.py).
constexpr std::chrono::seconds kDrainGrace{5};

jobforge::Worker* the_worker = nullptr;

extern "C" void on_signal(int) {
    the_worker->request_stop();
}

std::int64_t number(const jobforge::Job& job, const char* name) {
    const jobforge::Json* value = job.payload.find(name);
    return value == nullptr ? 0 : value->as_int64().value_or(0);
}

void write_event(int history, const char* event, const std::string& worker_id,
                 const jobforge::Job& job) {
    const double at =
        std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    const std::string line = fmt::format(
        R"({{"event": "{}", "at": {:.6f}, "worker": "{}", "job_id": "{}", "lease_token": {}, )"
        R"("claim_id": "{}"}})"
        "\n",
        event, at, worker_id, job.job_id.to_string(), job.lease_token, job.claim_id.to_string());
    [[maybe_unused]] const auto written = ::write(history, line.data(), line.size());
}

// Until the time is up or the handler is asked to stop; a stubborn job is not to be stopped.
void work(const jobforge::JobContext& context, std::int64_t milliseconds) {
    const bool stubborn = number(context.job(), "stubborn") != 0;
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    (void)changed.wait_for(lock, stubborn ? std::stop_token{} : context.stop_token(),
                           std::chrono::milliseconds(milliseconds), [] { return false; });
}

// Answers Done also after a request to stop: the fence has to refuse it, not the handler's manners.
jobforge::Outcome write_effect(jobforge::JobContext& context, const std::string& worker_id) {
    const jobforge::Job& job = context.job();
    work(context, number(job, "ms"));
    auto transaction = context.transaction();
    if (!transaction) {
        return jobforge::Retry{transaction.error()};
    }
    auto written = (*transaction)
                       ->exec("write_effect",
                              "insert into public.effects (job_id, lease_token, worker, attempt) "
                              "values ($1::uuid, $2::bigint, $3, $4::integer)",
                              {job.job_id.to_string(), std::to_string(job.lease_token), worker_id,
                               std::to_string(job.attempt_no)});
    if (!written) {
        return jobforge::Retry{written.error()};
    }
    work(context, number(job, "open_ms"));
    return jobforge::Done{};
}

}  // namespace

int main(int argc, char** argv) {
    const int history = argc == 6 ? ::open(argv[5], O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (history < 0) {
        std::fprintf(stderr,
                     "usage: jobforge_torture_worker URL WORKER_ID LEASE_SECONDS SLOTS "
                     "HISTORY\n");
        return 2;
    }
    jobforge::WorkerOptions options;
    options.database_url = argv[1];
    options.worker_id = argv[2];
    options.lease = std::chrono::seconds(std::atoi(argv[3]));
    options.lease_renew = options.lease / 2;
    options.poll_interval = std::chrono::milliseconds(200);
    options.slots = std::atoi(argv[4]);
    options.pool_size = options.slots;
    options.drain_grace = kDrainGrace;
    options.log = jobforge::Logger(jobforge::make_line_sink({}));
    const std::string worker_id = options.worker_id;
    jobforge::Worker worker(options);
    the_worker = &worker;
    worker.on("effect", [&worker_id, history](jobforge::JobContext& context) {
        write_event(history, "claim", worker_id, context.job());
        return write_effect(context, worker_id);
    });
    worker.on("plain", [&worker_id, history](jobforge::JobContext& context) -> jobforge::Outcome {
        write_event(history, "claim", worker_id, context.job());
        work(context, number(context.job(), "ms"));
        return jobforge::Done{};
    });
    worker.on("poison", [&worker_id, history](jobforge::JobContext& context) -> jobforge::Outcome {
        write_event(history, "claim", worker_id, context.job());
        write_event(history, "poison", worker_id, context.job());
        std::raise(SIGKILL);
        return jobforge::Done{};
    });
    std::signal(SIGTERM, on_signal);
    if (auto ended = worker.run(); !ended) {
        std::fprintf(stderr, "%s\n", ended.error().describe().c_str());
        return 1;
    }
    return 0;
}
