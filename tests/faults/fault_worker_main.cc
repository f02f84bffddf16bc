// A worker process for the fault tests: killed, frozen and cut off by them.
//
//     jobforge_fault_worker URL WORKER_ID LEASE_SECONDS SLOTS
//
// Handlers: `effect` writes one row in its completion transaction and takes payload.ms; `freeze`
// does the same, but says so on standard output first and then waits for a go (payload.ms) with the
// transaction open; `busy` takes payload.ms and writes nothing; `poison` kills this process.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <condition_variable>
#include <mutex>

#include <jobforge/worker.h>

namespace {

jobforge::Worker* the_worker = nullptr;

extern "C" void on_signal(int) {
    the_worker->request_stop();
}

// Waits in the way a real handler should: until the time is up or it is asked to stop.
bool wait_or_stop(const jobforge::JobContext& context, std::int64_t milliseconds) {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, context.stop_token(), std::chrono::milliseconds(milliseconds),
                            [] { return false; });
}

jobforge::Outcome write_effect(jobforge::JobContext& context, bool announce) {
    auto transaction = context.transaction();
    if (!transaction) {
        return jobforge::Retry{transaction.error()};
    }
    const jobforge::Job& job = context.job();
    auto written =
        (*transaction)
            ->exec("write_effect",
                   "insert into public.effects (job_id, lease_token) values ($1::uuid, $2::bigint)",
                   {job.job_id.to_string(), std::to_string(job.lease_token)});
    if (!written) {
        return jobforge::Retry{written.error()};
    }
    if (announce) {
        std::printf("in transaction %s\n", job.job_id.to_string().c_str());
        std::fflush(stdout);
    }
    const jobforge::Json* ms = job.payload.find("ms");
    (void)wait_or_stop(context, ms == nullptr ? 0 : ms->as_int64().value_or(0));
    return jobforge::Done{jobforge::Json::object({{"token", job.lease_token}})};
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        return 2;
    }
    jobforge::WorkerOptions options;
    options.database_url = argv[1];
    options.worker_id = argv[2];
    options.lease = std::chrono::seconds(std::atoi(argv[3]));
    options.lease_renew = options.lease / 2;
    options.poll_interval = std::chrono::milliseconds(200);
    options.slots = std::atoi(argv[4]);
    options.log = jobforge::Logger(jobforge::make_line_sink({}));
    jobforge::Worker worker(options);
    the_worker = &worker;
    worker.on("effect", [](jobforge::JobContext& context) { return write_effect(context, false); });
    worker.on("freeze", [](jobforge::JobContext& context) { return write_effect(context, true); });
    worker.on("busy", [](jobforge::JobContext& context) -> jobforge::Outcome {
        const jobforge::Json* ms = context.job().payload.find("ms");
        (void)wait_or_stop(context, ms == nullptr ? 0 : ms->as_int64().value_or(0));
        return jobforge::Done{};
    });
    worker.on("poison", [](jobforge::JobContext&) -> jobforge::Outcome {
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
