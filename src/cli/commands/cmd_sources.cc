// jobforge sources list|show|add|rules|enable|disable|pause|resume
#include <fmt/format.h>

#include "base/text/duration_text.h"
#include "base/text/time_text.h"
#include "cli/commands/commands.h"
#include "cli/commands/use_case.h"
#include "cli/offline/passport_inputs.h"
#include "cli/usage.h"
#include "cli/view/output.h"
#include "services/prices/sources.h"
#include "values/decimal.h"

namespace jobforge::cli {

namespace {

struct SourceOptions {
    std::string name;
    std::optional<std::string> adapter, base_url, config_file, reputation;
    std::optional<int> rate, tier, burst, failure_threshold, open_seconds, probe_seconds;
    std::vector<std::string> exclude, require;
    std::optional<std::string> allowed_path;
    bool no_exclude = false, no_require = false;
    std::string until, duration, reason;
};

void set_if(Json& object, const char* member, const std::optional<std::string>& text) {
    if (text) {
        object.set(member, *text);
    }
}

void set_if(Json& object, const char* member, const std::optional<int>& number) {
    if (number) {
        object.set(member, *number);
    }
}

Result<Json> source_of(const SourceOptions& options) {
    Json source = Json::object({{"name", options.name}});
    set_if(source, "adapter", options.adapter);
    set_if(source, "base_url", options.base_url);
    set_if(source, "rate_limit_per_minute", options.rate);
    set_if(source, "tier", options.tier);
    set_if(source, "burst", options.burst);
    set_if(source, "failure_threshold", options.failure_threshold);
    set_if(source, "open_seconds", options.open_seconds);
    set_if(source, "probe_seconds", options.probe_seconds);
    if (options.reputation) {
        const auto weight = Decimal::parse(*options.reputation);
        if (!weight.ok()) {
            return usage_error("--reputation must be a number from 0 to 1");
        }
        source.set("reputation_weight", Json::number(weight->text()).value());
    }
    if (options.config_file) {
        const auto text = read_whole_file(*options.config_file);
        auto config = text.ok() ? Json::parse(*text) : Result<Json>(text.error());
        if (!config.ok()) {
            return std::move(config).error();
        }
        source.set("config", *std::move(config));
    }
    return source;
}

int run_add(const Context& context, const SourceOptions& options) {
    const auto source = source_of(options);
    if (!source.ok()) {
        return context.fail(source.error());
    }
    return with_calls(context, [&](engine::TenantCalls& calls) -> Status {
        const auto id = services::save_source(calls, *source, kActor);
        if (!id.ok()) {
            return id.error();
        }
        print_id(context, "source_id", *id);
        return ok_status();
    });
}

int run_list(const Context& context, const SourceOptions& /*options*/) {
    return with_calls(context, [&context](engine::TenantCalls& calls) {
        return show_rows(
            context, services::list_sources(calls),
            {"name", "adapter", "enabled", "rate_limit_per_minute", "state", "failure_streak",
             "paused_until", "open_until", "last_success_at", "last_failure_at", "base_url"});
    });
}

int run_show(const Context& context, const SourceOptions& options) {
    return with_calls(context, [&](engine::TenantCalls& calls) {
        return show_row(context, services::get_source(calls, options.name));
    });
}

// Runs `change` and shows the source as it is then.
int changed(const Context& context, const SourceOptions& options,
            const std::function<Status(engine::TenantCalls&)>& change) {
    return with_calls(context, [&](engine::TenantCalls& calls) -> Status {
        if (auto done = change(calls); !done.ok()) {
            return done;
        }
        auto row = services::get_source(calls, options.name);
        if (!row.ok()) {
            return std::move(row).error();
        }
        return show_rows(context, std::vector<Json>{*std::move(row)},
                         {"name", "enabled", "state", "failure_streak", "paused_until",
                          "pause_reason", "exclude_keywords", "require_keywords", "allowed_path"});
    });
}

int run_rules(const Context& context, const SourceOptions& options) {
    Json rules = Json::object();
    const auto set_list = [&rules](const char* member, const std::vector<std::string>& keywords,
                                   bool none) {
        if (!keywords.empty() || none) {
            rules.set(member, Json::Array(keywords.begin(), keywords.end()));
        }
    };
    set_list("exclude_keywords", options.exclude, options.no_exclude);
    set_list("require_keywords", options.require, options.no_require);
    if (options.allowed_path) {
        rules.set("allowed_path",
                  options.allowed_path->empty() ? Json() : Json(*options.allowed_path));
    }
    if (options.rate) {
        rules.set("rate_limit_override", *options.rate == 0 ? Json() : Json(*options.rate));
    }
    return changed(context, options, [&](engine::TenantCalls& calls) {
        return services::set_source_rules(calls, options.name, rules);
    });
}

int run_enable(const Context& context, const SourceOptions& options) {
    return changed(context, options, [&](engine::TenantCalls& calls) {
        return services::set_source_enabled(calls, options.name, true);
    });
}

int run_disable(const Context& context, const SourceOptions& options) {
    return changed(context, options, [&](engine::TenantCalls& calls) {
        return services::set_source_enabled(calls, options.name, false);
    });
}

Result<services::PauseEnd> pause_end(const SourceOptions& options) {
    services::PauseEnd end;
    if (!options.until.empty()) {
        const auto time = parse_time(options.until);
        if (!time.ok()) {
            return usage_error("--until: " + time.error().message);
        }
        end.until = pg::Timestamp{*time};
    }
    if (!options.duration.empty()) {
        const auto span = parse_duration_ms(options.duration);
        if (!span.ok() || end.until) {
            return usage_error(span.ok() ? "give --until or --for"
                                         : "--for: " + span.error().message);
        }
        end.after_ms = *span;
    }
    return end;
}

int run_pause(const Context& context, const SourceOptions& options) {
    const auto end = pause_end(options);
    if (!end.ok()) {
        return context.fail(end.error());
    }
    return changed(context, options, [&](engine::TenantCalls& calls) {
        return services::pause_source(calls, options.name, *end, options.reason);
    });
}

int run_resume(const Context& context, const SourceOptions& options) {
    return changed(context, options, [&](engine::TenantCalls& calls) {
        return services::resume_source(calls, options.name);
    });
}

using Run = int (*)(const Context&, const SourceOptions&);

// A verb over one source.
std::pair<Command, std::shared_ptr<SourceOptions>> add_named(Command sources, Context& context,
                                                             const std::string& name,
                                                             const std::string& help, Run run) {
    auto options = std::make_shared<SourceOptions>();
    Command command = add_verb(sources, context, options, name, help, run);
    command.option("SOURCE", options->name, "Its name or id").required();
    return {command, options};
}

void add_settings(Command command, SourceOptions& options) {
    command.option("--adapter", options.adapter, "http_json (default) or manual");
    command.option("--base-url", options.base_url, "Where its API begins");
    command.option("--config", options.config_file,
                   "JSON file (- for standard input): how it is asked and read (docs/sources.md)");
    command.option("--rate", options.rate, "Requests a minute, for all workers together (60)")
        .in_range(1, 60000);
    command.option("--reputation", options.reputation, "Weight of its prices, 0 to 1 (0.5)");
    command.option("--tier", options.tier, "Lower ones are asked first (2)").in_range(1, 10);
    command.option("--burst", options.burst, "Requests at once after a pause (rate / 12)")
        .in_range(1, 60000);
    command
        .option("--failure-threshold", options.failure_threshold,
                "Failures in a row that open its breaker (5)")
        .in_range(1, 1000);
    command.option("--open-seconds", options.open_seconds, "How long the breaker stays open (300)")
        .in_range(1, 86400);
    command
        .option("--probe-seconds", options.probe_seconds,
                "How long a probe may take before another may try (60)")
        .in_range(1, 3600);
}

}  // namespace

void add_sources(Command program, Context& context) {
    Command sources = program.group("sources", "Where prices come from, and how fast");
    add_verb(sources, context, std::make_shared<SourceOptions>(), "list",
             "Sources with their breakers and pauses", &run_list);
    add_named(sources, context, "show", "One source with its config and rules", &run_show);
    auto [add, added] =
        add_named(sources, context, "add",
                  "A source; changes the one of that name where it is named", &run_add);
    add_settings(add, *added);
    auto [rules, ruled] = add_named(sources, context, "rules",
                                    "Which listings count; what is not named stays", &run_rules);
    rules.option("--exclude", ruled->exclude, "None of these words may be in a title")
        .one_at_a_time();
    rules.option("--require", ruled->require, "Each of these words must be").one_at_a_time();
    rules.flag("--no-exclude", ruled->no_exclude, "Exclude nothing");
    rules.flag("--no-require", ruled->no_require, "Require nothing");
    rules.option("--allowed-path", ruled->allowed_path, "Requests stay below it; \"\" for any");
    rules.option("--rate", ruled->rate, "Another limit a minute; 0: the source's own")
        .in_range(0, 60000);
    add_named(sources, context, "enable", "Collect from it again", &run_enable);
    add_named(sources, context, "disable", "Its jobs fail with SOURCE_DISABLED", &run_disable);
    auto [pause, paused] = add_named(
        sources, context, "pause",
        "Its jobs wait, without spending an attempt, and go on by themselves", &run_pause);
    pause.option("--until", paused->until, "RFC 3339; else until it is resumed");
    pause.option("--for", paused->duration, "30m, 2h, 1d ...");
    pause.option("--reason", paused->reason, "For people");
    add_named(sources, context, "resume", "Ends a pause and closes the breaker", &run_resume);
}

}  // namespace jobforge::cli
