// jobforge jobs list|show|cancel|retry|reschedule
#include <memory>

#include <fmt/format.h>

#include "base/text/counted.h"
#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/view/jobs_view.h"
#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

struct JobsOptions {
    std::vector<std::string> jobs;
    std::optional<std::string> status;
    std::optional<std::string> type;
    std::optional<std::string> error_code;
    std::string since;
    std::string until;
    std::string before;
    int limit = 50;
    bool all = false;
    bool keep_attempts = false;
    bool reset_attempts = false;
    std::optional<int> max_attempts;
    std::string at;
    std::string in;
    std::string reason;
};

using SharedOptions = std::shared_ptr<JobsOptions>;

// What a command does with a connected client: returns the error, if any.
using ClientAction = std::function<Status(Client&)>;

int with_client(const Context& context, const ClientAction& action) {
    auto client = context.client();
    if (!client.ok()) {
        return context.fail(client.error());
    }
    auto done = action(*client);
    return done.ok() ? static_cast<int>(kOk) : context.fail(done.error());
}

// A filter whose times still wait for the database's clock.
struct Wanted {
    JobFilter filter;
    When since;
    When until;
};

Result<Wanted> to_wanted(const JobsOptions& options) {
    Wanted wanted;
    JobFilter& filter = wanted.filter;
    filter.status = options.status;
    filter.type = options.type;
    filter.error_code = options.error_code;
    filter.limit = options.limit;
    auto since = past_argument("--since", options.since);
    if (!since.ok()) {
        return std::move(since).error();
    }
    auto until = past_argument("--until", options.until);
    if (!until.ok()) {
        return std::move(until).error();
    }
    wanted.since = *since;
    wanted.until = *until;
    if (!options.before.empty()) {
        auto before = job_argument(options.before);
        if (!before.ok()) {
            return std::move(before).error();
        }
        filter.before = *before;
    }
    return wanted;
}

Result<JobFilter> to_filter(const Wanted& wanted, bool finished, Client& client) {
    JobFilter filter = wanted.filter;
    auto since = resolve(wanted.since, client);
    if (!since.ok()) {
        return std::move(since).error();
    }
    auto until = resolve(wanted.until, client);
    if (!until.ok()) {
        return std::move(until).error();
    }
    (finished ? filter.finished_after : filter.created_after) = *since;
    (finished ? filter.finished_before : filter.created_before) = *until;
    return filter;
}

Result<std::vector<Uuid>> to_ids(const std::vector<std::string>& texts) {
    std::vector<Uuid> ids;
    for (const std::string& text : texts) {
        auto id = job_argument(text);
        if (!id.ok()) {
            return std::move(id).error();
        }
        ids.push_back(*id);
    }
    return ids;
}

int run_list(const Context& context, const JobsOptions& options) {
    auto wanted = to_wanted(options);
    if (!wanted.ok()) {
        return context.fail(wanted.error());
    }
    return with_client(context, [&](Client& client) -> Status {
        auto filter = to_filter(*wanted, /*finished=*/false, client);
        if (!filter.ok()) {
            return std::move(filter).error();
        }
        auto jobs = client.list(*filter);
        if (!jobs.ok()) {
            return std::move(jobs).error();
        }
        auto now = client.now();
        if (!now.ok()) {
            return std::move(now).error();
        }
        print(context.json ? jobs_as_json(*jobs) : jobs_as_table(*jobs, *now));
        return ok_status();
    });
}

int run_show(const Context& context, const JobsOptions& options) {
    auto ids = to_ids(options.jobs);
    if (!ids.ok()) {
        return context.fail(ids.error());
    }
    return with_client(context, [&](Client& client) -> Status {
        auto job = client.get(ids->front());
        if (!job.ok()) {
            return std::move(job).error();
        }
        auto now = client.now();
        if (!now.ok()) {
            return std::move(now).error();
        }
        print(context.json ? to_json(*job).dump() + "\n" : job_as_text(*job, *now));
        return ok_status();
    });
}

// Goes through all ids and reports each; the first error decides the exit code.
int for_each_job(const Context& context, const JobsOptions& options, std::string_view done_word,
                 const std::function<Status(Client&, const Uuid&)>& work) {
    auto ids = to_ids(options.jobs);
    if (!ids.ok()) {
        return context.fail(ids.error());
    }
    auto client = context.client();
    if (!client.ok()) {
        return context.fail(client.error());
    }
    int exit_code = kOk;
    for (const Uuid& id : *ids) {
        if (auto done = work(*client, id); !done.ok()) {
            const int code = context.fail(done.error());
            exit_code = exit_code == kOk ? code : exit_code;
        } else if (context.json) {
            print_line(Json::object({{"job_id", id.to_string()}, {"done", done_word}}).dump());
        } else {
            print_line(fmt::format("{} {}", id.to_string(), done_word));
        }
    }
    return exit_code;
}

int run_cancel(const Context& context, const JobsOptions& options) {
    return for_each_job(context, options, "cancelled", [&options](Client& client, const Uuid& id) {
        return client.cancel(id, options.reason);
    });
}

int run_reschedule(const Context& context, const JobsOptions& options) {
    auto when = future_argument(options.at, options.in);
    if (!when.ok()) {
        return context.fail(when.error());
    }
    return for_each_job(
        context, options, "rescheduled", [&](Client& client, const Uuid& id) -> Status {
            auto at = resolve(*when, client);
            if (!at.ok()) {
                return std::move(at).error();
            }
            auto due = client.reschedule(id, *at, options.reset_attempts, options.max_attempts);
            return due.ok() ? ok_status() : Status(std::move(due).error());
        });
}

int run_retry_many(const Context& context, const JobsOptions& options) {
    auto wanted = to_wanted(options);
    if (!wanted.ok()) {
        return context.fail(wanted.error());
    }
    return with_client(context, [&](Client& client) -> Status {
        auto filter = to_filter(*wanted, /*finished=*/true, client);
        if (!filter.ok()) {
            return std::move(filter).error();
        }
        auto ids = client.retry(*filter, !options.keep_attempts);
        if (!ids.ok()) {
            return std::move(ids).error();
        }
        if (context.json) {
            Json list = Json::array();
            for (const Uuid& id : *ids) {
                list.push_back(id.to_string());
            }
            print_line(Json::object({{"retried", static_cast<std::int64_t>(ids->size())},
                                     {"job_ids", std::move(list)}})
                           .dump());
        } else {
            for (const Uuid& id : *ids) {
                print_line(id.to_string());
            }
            print_line(counted(static_cast<std::int64_t>(ids->size()), "job") + " retried");
        }
        return ok_status();
    });
}

int run_retry(const Context& context, const JobsOptions& options) {
    const bool filtered = options.all || options.status || options.type || options.error_code ||
                          !options.since.empty() || !options.until.empty();
    if (filtered == !options.jobs.empty()) {
        Error error = Error::of(ErrorCode::CONFIG_MISSING,
                                filtered ? "give job ids or a filter, not both"
                                         : "which jobs? Give their ids, a filter, or --all");
        return context.fail(error);
    }
    if (filtered && options.max_attempts) {
        return context.fail(Error::of(ErrorCode::CONFIG_MISSING,
                                      "--max-attempts goes with job ids, not with a filter"));
    }
    if (filtered) {
        return run_retry_many(context, options);
    }
    return for_each_job(
        context, options, "retried", [&options](Client& client, const Uuid& id) -> Status {
            auto due = client.reschedule(id, {}, !options.keep_attempts, options.max_attempts);
            return due.ok() ? ok_status() : Status(std::move(due).error());
        });
}

void add_filter(Command command, JobsOptions& options) {
    command.option("--status", options.status, "QUEUED, RUNNING, SUCCEEDED, FAILED, ...");
    command.option("--type", options.type, "Only this job type");
    command.option("--error,--error-code", options.error_code, "Only with this last error's code");
    command.option("--since", options.since, "From this time on, or a span back (2h)");
    command.option("--until", options.until, "Before this time, or a span back");
}

Command add_leaf(Command parent, Context& context, const SharedOptions& options,
                 const std::string& name, const std::string& help,
                 int (*run)(const Context&, const JobsOptions&)) {
    Command command = parent.subcommand(name, help);
    command.runs([&context, options, run] { return run(context, *options); });
    return command;
}

void add_reschedule(Command jobs, Context& context) {
    auto options = std::make_shared<JobsOptions>();
    Command command = add_leaf(jobs, context, options, "reschedule", "Move jobs to another time",
                               &run_reschedule);
    command.option("JOB", options->jobs, "Job ids").required();
    command.option("--at", options->at, "Due at this time; default: now");
    command.option("--in", options->in, "Due after this span (30s, 5m, 2h)");
    command.flag("--reset-attempts", options->reset_attempts, "Give a fresh budget of attempts");
    command.option("--max-attempts", options->max_attempts, "A new budget of attempts")
        .in_range(1, 1000);
}

void add_retry(Command jobs, Context& context) {
    auto options = std::make_shared<JobsOptions>();
    options->limit = 1000;
    Command command =
        add_leaf(jobs, context, options, "retry",
                 "Run finished jobs again: by id, or all that match a filter", &run_retry);
    command.option("JOB", options->jobs, "Job ids");
    add_filter(command, *options);
    command.flag("--all", options->all, "All FAILED and DEAD_LETTER jobs");
    command.option("--limit", options->limit, "At most this many, oldest first")
        .in_range(1, 100000);
    command.flag("--keep-attempts", options->keep_attempts, "Go on counting attempts");
    command.option("--max-attempts", options->max_attempts, "A new budget of attempts")
        .in_range(1, 1000);
}

}  // namespace

void add_jobs(Command program, Context& context) {
    Command jobs = program.group("jobs", "Look at jobs and change them");

    auto list_options = std::make_shared<JobsOptions>();
    Command list = add_leaf(jobs, context, list_options, "list", "Jobs, newest first", &run_list);
    add_filter(list, *list_options);
    list.option("--limit", list_options->limit, "At most this many").in_range(1, 1000);
    list.option("--before", list_options->before, "The page before this job id");

    auto show_options = std::make_shared<JobsOptions>();
    Command show = add_leaf(jobs, context, show_options, "show",
                            "One job with payload, result and attempts", &run_show);
    show.option("JOB", show_options->jobs, "Job id").required().expected(1);

    auto cancel_options = std::make_shared<JobsOptions>();
    Command cancel = add_leaf(jobs, context, cancel_options, "cancel",
                              "End waiting or running jobs at once", &run_cancel);
    cancel.option("JOB", cancel_options->jobs, "Job ids").required();
    cancel.option("--reason", cancel_options->reason, "Kept with the job");

    add_retry(jobs, context);
    add_reschedule(jobs, context);
}

}  // namespace jobforge::cli
