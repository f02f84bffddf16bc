// jobforge intakes add|enqueue|show|list
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/price_commands.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"
#include "services/prices/intakes.h"

namespace jobforge::cli {

namespace {

struct IntakeOptions {
    std::string id;
    std::optional<int> year;
    std::optional<std::string> denomination, mintmark, series, title, grade;
    bool cleaned = false, scratches = false, rim_damage = false, details_damaged = false,
         harsh_cleaning = false;
    std::vector<std::string> include, exclude, sources;
    int stagger_seconds = 10;
    PageOptions page;
    WaitOptions wait;
};

Json intake_of(const IntakeOptions& options) {
    Json intake = Json::object();
    if (!options.id.empty()) {
        intake.set("intake_id", options.id);
    }
    if (options.year) {
        intake.set("year", *options.year);
    }
    for (const auto& [member, text] : {std::pair{"denomination", &options.denomination},
                                       {"mintmark", &options.mintmark},
                                       {"series", &options.series},
                                       {"title", &options.title},
                                       {"grade", &options.grade}}) {
        if (*text) {
            intake.set(member, **text);
        }
    }
    for (const auto& [member, flag] : {std::pair{"cleaned", options.cleaned},
                                       {"scratches", options.scratches},
                                       {"rim_damage", options.rim_damage},
                                       {"details_damaged", options.details_damaged},
                                       {"harsh_cleaning", options.harsh_cleaning}}) {
        if (flag) {
            intake.set(member, true);
        }
    }
    intake.set("keywords_include", Json::Array(options.include.begin(), options.include.end()));
    intake.set("keywords_exclude", Json::Array(options.exclude.begin(), options.exclude.end()));
    return intake;
}

int run_add(const Context& context, const IntakeOptions& options) {
    return with_calls(context, [&](engine::TenantCalls& calls) -> Status {
        const auto id = services::add_intake(calls, intake_of(options), kActor);
        if (!id.ok()) {
            return id.error();
        }
        print_id(context, "intake_id", *id);
        return ok_status();
    });
}

// Waits for each job in turn; all of them run meanwhile.
Status wait_for_all(const Context& context, const WaitOptions& wait,
                    const std::vector<Json>& jobs) {
    auto client = context.client();
    if (!client.ok()) {
        return std::move(client).error();
    }
    Patience patience(wait);
    for (const Json& row : jobs) {
        const auto job_id = Uuid::parse(text_member(row, "job_id"));
        auto job = job_id.ok() ? wait_for_job(*client, *job_id, patience)
                               : Result<JobDetails>(job_id.error());
        if (!job.ok()) {
            return std::move(job).error();
        }
    }
    return ok_status();
}

int run_enqueue(const Context& context, const IntakeOptions& options) {
    return with_id(
        context, kIntakeId, options.id, [&](engine::TenantCalls& calls, const Uuid& id) -> Status {
            auto jobs =
                services::enqueue_collections(calls, {.intake_id = id,
                                                      .sources = options.sources,
                                                      .stagger_seconds = options.stagger_seconds,
                                                      .actor_id = kActor});
            if (!jobs.ok()) {
                return std::move(jobs).error();
            }
            auto shown =
                show_rows(context, *jobs, {"name", "job_id", "scheduled_at", "deduplicated"});
            return shown.ok() && options.wait.wait ? wait_for_all(context, options.wait, *jobs)
                                                   : shown;
        });
}

// The intake, what became of its collections, and its valuation, as one.
int run_show(const Context& context, const IntakeOptions& options) {
    return with_id(context, kIntakeId, options.id,
                   [&](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       auto intake = services::get_intake(calls, id);
                       auto jobs = services::list_collections(calls, id);
                       auto valuation = services::get_valuation(calls, id);
                       if (!intake.ok() || !jobs.ok()) {
                           return intake.ok() ? std::move(jobs).error() : std::move(intake).error();
                       }
                       if (!valuation.ok() && valuation.error().code != ErrorCode::NOT_FOUND) {
                           return std::move(valuation).error();
                       }
                       if (context.json) {
                           Json out = *std::move(intake);
                           out.set("collections", Json::Array(jobs->begin(), jobs->end()));
                           out.set("valuation", valuation.ok() ? *valuation : Json());
                           print_line(out.dump());
                           return ok_status();
                       }
                       print(row_as_text(*intake) + "\n" +
                             rows_as_table(*jobs, {"name", "status", "attempts", "scheduled_at",
                                                   "completed_at", "job_id", "last_error"}));
                       print("\n" + (valuation.ok() ? valuation_text(*valuation)
                                                    : std::string("no valuation yet\n")));
                       return ok_status();
                   });
}

int run_list(const Context& context, const IntakeOptions& options) {
    const auto before = optional_id_argument(kIntakeId, options.page.before);
    if (!before.ok()) {
        return context.fail(before.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) {
        return show_rows(
            context,
            services::list_intakes(calls, {.limit = options.page.limit, .before = *before}),
            {"intake_id", "year", "mintmark", "denomination", "series", "title", "grade",
             "created_at"});
    });
}

std::shared_ptr<IntakeOptions> fresh() {
    return std::make_shared<IntakeOptions>();
}

void add_description(Command command, IntakeOptions& options) {
    command.option("--id", options.id, "An id of your own");
    command.option("--year", options.year, "1909").in_range(-3000, 3000);
    command.option("--mintmark", options.mintmark, "S");
    command.option("--denomination", options.denomination, "cent, dime, half dollar ...");
    command.option("--series", options.series, "Lincoln");
    command.option("--title", options.title, "Anything else that sources are asked with");
    command.option("--grade", options.grade, "MS65");
    command.flag("--cleaned", options.cleaned, "Condition: cleaned");
    command.flag("--scratches", options.scratches, "Condition: scratches");
    command.flag("--rim-damage", options.rim_damage, "Condition: damaged rim");
    command.flag("--details-damaged", options.details_damaged, "Condition: damaged details");
    command.flag("--harsh-cleaning", options.harsh_cleaning, "Condition: harshly cleaned");
    command.option("--include", options.include, "One of these words must be in a listing's title")
        .one_at_a_time();
    command.option("--exclude", options.exclude, "None of these words may be").one_at_a_time();
}

}  // namespace

void add_intakes(Command program, Context& context) {
    Command intakes = program.group("intakes", "What is to be priced");
    auto added = fresh();
    add_description(add_verb(intakes, context, added, "add", "Something to price", &run_add),
                    *added);
    auto enqueued = fresh();
    Command enqueue = add_verb(intakes, context, enqueued, "enqueue",
                               "Collect its prices from each source", &run_enqueue);
    enqueue.option("INTAKE", enqueued->id, "Intake id").required();
    enqueue.option("--source", enqueued->sources, "Only this one; repeatable").one_at_a_time();
    enqueue.option("--stagger", enqueued->stagger_seconds, "Seconds between two sources")
        .in_range(0, 86400)
        .shows_default();
    add_wait_options(enqueue, enqueued->wait, "all have been collected");
    auto shown = fresh();
    Command show = add_verb(intakes, context, shown, "show",
                            "An intake, its collections and its valuation", &run_show);
    show.option("INTAKE", shown->id, "Intake id").required();
    auto listed = fresh();
    add_page_options(add_verb(intakes, context, listed, "list", "Newest first", &run_list),
                     listed->page);
}

}  // namespace jobforge::cli
