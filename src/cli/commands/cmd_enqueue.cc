// jobforge enqueue TYPE [PAYLOAD|-]
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

struct EnqueueOptions {
    std::string type;
    std::string payload;
    std::optional<int> priority;
    std::string at;
    std::string in;
    std::optional<std::string> key;
    std::optional<int> max_attempts;
    std::string trace;
};

Result<NewJob> to_job(const EnqueueOptions& options, const Config& config) {
    NewJob job;
    job.type = options.type;
    auto payload = payload_argument(options.payload);
    if (!payload.ok()) {
        return std::move(payload).error();
    }
    job.payload = *std::move(payload);
    job.priority = options.priority;
    job.idempotency_key = options.key;
    job.max_attempts = options.max_attempts ? options.max_attempts : config.max_attempts;
    job.trace_id = options.trace;
    return job;
}

// Only with BPC_QUEUE_ENABLED; a broker that is away costs the wake-up, not the job.
Result<std::unique_ptr<Trigger>> make_trigger(const Context& context) {
    if (!context.config.queue_enabled || !context.services.trigger) {
        return std::unique_ptr<Trigger>();
    }
    TriggerOptions options;
    options.url = context.config.queue_url;
    options.exchange = context.config.queue_exchange;
    options.routing_key = context.config.queue_routing_key;
    options.log = context.logger();
    return context.services.trigger(std::move(options));
}

int run_enqueue(const Context& context, const EnqueueOptions& options) {
    auto job = to_job(options, context.config);
    if (!job.ok()) {
        return context.fail(job.error());
    }
    auto when = future_argument(options.at, options.in);
    if (!when.ok()) {
        return context.fail(when.error());
    }
    auto trigger = make_trigger(context);
    if (!trigger.ok()) {
        return context.fail(trigger.error());
    }
    auto client = context.client([&trigger](std::span<const Uuid> jobs) {
        for (const Uuid& id : jobs) {
            if (*trigger) {
                (*trigger)->publish(id);
            }
        }
    });
    if (!client.ok()) {
        return context.fail(client.error());
    }
    auto at = resolve(*when, *client);
    if (!at.ok()) {
        return context.fail(at.error());
    }
    job->scheduled_at = *at;
    auto enqueued = client->enqueue(*job);
    if (!enqueued.ok()) {
        return context.fail(enqueued.error());
    }
    if (*trigger) {
        (void)(*trigger)->flush(std::chrono::seconds(2));
        (*trigger)->stop();
    }
    const std::string id = enqueued->job_id.to_string();
    if (context.json) {
        print_line(Json::object({{"job_id", id}, {"deduplicated", enqueued->deduplicated}}).dump());
    } else {
        print_line(id);
        if (enqueued->deduplicated) {
            std::fputs("jobforge: the key was known: this is the earlier job\n", stderr);
        }
    }
    return kOk;
}

}  // namespace

void add_enqueue(Command program, Context& context) {
    Command command = program.subcommand("enqueue", "Put a job into the queue and print its id");
    auto options = std::make_shared<EnqueueOptions>();
    command.option("TYPE", options->type, "Job type, e.g. test.echo").required();
    command.option("PAYLOAD", options->payload, "A JSON object, or - for standard input");
    command.option("--priority", options->priority, "0 critical, 1 high, 2 normal, 3 low")
        .in_range(0, 3);
    command.option("--at", options->at, "Not before this time (2030-01-31T12:00:00Z)");
    command.option("--in", options->in, "Not before this span has passed (30s, 5m, 2h)");
    command.option("--key", options->key, "Idempotency key: the same key makes no second job");
    command.option("--max-attempts", options->max_attempts, "1..1000; default: the type's")
        .in_range(1, 1000);
    command.option("--trace", options->trace, "Trace id, kept with the job and its log lines");
    command.runs([&context, options] { return run_enqueue(context, *options); });
}

}  // namespace jobforge::cli
