#include "cli/demo/demo_prices.h"

#include <thread>

#include <fmt/format.h>

#include "cli/commands/price_commands.h"
#include "cli/demo/demo_marketplace.h"
#include "cli/view/output.h"
#include "cli/view/rows_view.h"
#include "services/prices/intakes.h"
#include "services/prices/sources.h"

namespace jobforge::cli {

namespace {

namespace wl = services;

constexpr std::chrono::seconds kLimit{60};
constexpr std::chrono::milliseconds kLook{50};
constexpr const char* kStoryteller = "demo";
constexpr const char* kSource = "demo-marketplace";
constexpr std::size_t kAnswersPerMinute = 600;

void step(std::string_view name, const std::string& text) {
    print_line(fmt::format("  {:<10}{}", name, text));
}

Status save_source(engine::TenantCalls& calls, const DemoMarketplace& marketplace) {
    const Json source = Json::object({{"name", kSource},
                                      {"enabled", true},
                                      {"base_url", marketplace.base_url()},
                                      {"rate_limit_per_minute", std::uint64_t{kAnswersPerMinute}},
                                      {"reputation_weight", 1},
                                      {"config", DemoMarketplace::source_config()}});
    const auto saved = wl::save_source(calls, source, kStoryteller);
    if (!saved.ok()) {
        return saved.error();
    }
    auto ruled = wl::set_source_rules(
        calls, kSource, Json::object({{"exclude_keywords", Json::array({"replica", "copy"})}}));
    if (ruled.ok()) {
        step("market", fmt::format("{} sells old coins, in pages of 20", marketplace.base_url()));
        step("source",
             fmt::format("{}: at most {} requests a minute, for all workers together; no replicas",
                         kSource, kAnswersPerMinute));
    }
    return ruled;
}

Result<Uuid> add_coin(engine::TenantCalls& calls) {
    auto intake = wl::add_intake(calls,
                                 Json::object({{"year", 1909},
                                               {"mintmark", "S"},
                                               {"denomination", "cent"},
                                               {"series", "Lincoln"},
                                               {"grade", "F12"}}),
                                 kStoryteller);
    if (intake.ok()) {
        step("intake", fmt::format("1909-S Lincoln cent, {}", intake->to_string()));
    }
    return intake;
}

// The job's end; nullopt after a signal.
Result<std::optional<JobDetails>> finished(Client& client, const Uuid& job,
                                           const Signals& signals) {
    const auto deadline = std::chrono::steady_clock::now() + kLimit;
    while (!signals.arrived()) {
        auto details = client.get(job);
        if (!details.ok()) {
            return std::move(details).error();
        }
        if (details->status == "SUCCEEDED") {
            return std::optional(*std::move(details));
        }
        if (details->completed_at) {
            return error_of_job(*details);
        }
        if (std::chrono::steady_clock::now() > deadline) {
            return still_waiting(client, job);
        }
        std::this_thread::sleep_for(kLook);
    }
    return std::optional<JobDetails>();
}

Result<Uuid> enqueue(engine::TenantCalls& calls, const Uuid& intake) {
    const auto jobs = wl::enqueue_collections(
        calls, {.intake_id = intake, .sources = {kSource}, .actor_id = kStoryteller});
    if (!jobs.ok()) {
        return jobs.error();
    }
    return Uuid::parse(text_member(jobs->front(), "job_id"));
}

Status collect_and_value(engine::TenantCalls& calls, Client& client, const Uuid& intake,
                         const Signals& signals, std::string_view heading) {
    const auto job = enqueue(calls, intake);
    if (!job.ok()) {
        return job.error();
    }
    const auto ended = finished(client, *job, signals);
    if (!ended.ok() || !*ended) {
        return ended.ok() ? ok_status() : Status(ended.error());
    }
    const Json& result = (*ended)->result;
    step(
        "collected",
        fmt::format("{} pages, {} listings: {} prices stored, skipped {}, left out {}",
                    cell_of(result, "pages"), cell_of(result, "items"), cell_of(result, "inserted"),
                    result.find("skipped")->dump(), result.find("left_out")->dump()));
    const auto valuation = wl::get_valuation(calls, intake);
    if (!valuation.ok()) {
        return valuation.error();
    }
    print_line("\n" + valuation_text(*valuation));
    print_line(
        fmt::format("{2}\n  jobforge prices list {0}\n  jobforge valuations show {0}\n"
                    "  jobforge sources show {1}",
                    intake.to_string(), kSource, heading));
    return ok_status();
}

Status tell(engine::TenantCalls& calls, Client& client, const Signals& signals,
            std::string_view heading) {
    print_line("\ndemo: what is an old coin worth? Prices from a marketplace, and a valuation");
    const auto marketplace = DemoMarketplace::start({.limit_per_minute = kAnswersPerMinute});
    if (!marketplace.ok()) {
        return marketplace.error();
    }
    if (auto saved = save_source(calls, **marketplace); !saved.ok()) {
        return saved;
    }
    const auto intake = add_coin(calls);
    if (!intake.ok()) {
        return intake.error();
    }
    if (auto done = collect_and_value(calls, client, *intake, signals, heading); !done.ok()) {
        return done;
    }
    // There is no listener after this.
    return wl::set_source_enabled(calls, kSource, false);
}

}  // namespace

Status run_prices_demo(const Context& context, const std::string& url, const Signals& signals,
                       std::string_view heading) {
    auto tenant = context.tenant_id(url);
    if (!tenant.ok()) {
        return std::move(tenant).error();
    }
    auto client =
        Client::connect({.database_url = url, .tenant_id = *tenant, .created_by = kStoryteller});
    engine::TenantCallsOptions options;
    options.database_url = url;
    options.tenant_id = *tenant;
    options.pool_size = 2;
    auto calls = engine::TenantCalls::connect(std::move(options));
    if (!client.ok() || !calls.ok()) {
        return client.ok() ? std::move(calls).error() : std::move(client).error();
    }
    return tell(*calls, *client, signals, heading);
}

}  // namespace jobforge::cli
