// jobforge prices list|add, jobforge valuations show
#include <algorithm>

#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/commands/price_commands.h"
#include "cli/view/output.h"
#include "services/prices/intakes.h"

namespace jobforge::cli {

namespace {

struct PriceOptions {
    std::string intake;
    std::optional<std::string> source;
    std::string price, currency, title, type, observed_at, url, external_id;
    PageOptions page;
    WaitOptions wait;
};

int run_list(const Context& context, const PriceOptions& options) {
    const auto before = optional_id_argument(kPricePointId, options.page.before);
    if (!before.ok()) {
        return context.fail(before.error());
    }
    return with_id(context, kIntakeId, options.intake,
                   [&](engine::TenantCalls& calls, const Uuid& id) {
                       services::PriceFilter filter;
                       filter.intake_id = id;
                       filter.source = options.source;
                       filter.limit = options.page.limit;
                       filter.before = *before;
                       auto rows = services::list_price_points(calls, filter);
                       if (rows.ok() && !context.json) {
                           std::transform(rows->begin(), rows->end(), rows->begin(), with_price);
                       }
                       return show_rows(context, std::move(rows),
                                        {"source_name", "price_type", "price", "currency",
                                         "match_strength", "observed_at", "title", "url"});
                   });
}

Json price_of(const PriceOptions& options) {
    Json price = Json::object({{"price", options.price}});
    for (const auto& [member, text] : {std::pair{"currency", &options.currency},
                                       {"title", &options.title},
                                       {"price_type", &options.type},
                                       {"observed_at", &options.observed_at},
                                       {"url", &options.url},
                                       {"external_id", &options.external_id}}) {
        if (!text->empty()) {
            price.set(member, *text);
        }
    }
    return price;
}

Status add(const Context& context, const PriceOptions& options, engine::TenantCalls& calls,
           const Uuid& intake) {
    const auto job = services::add_manual_prices(calls, intake, options.source.value_or(""),
                                                 Json::array({price_of(options)}), kActor);
    if (!job.ok()) {
        return job.error();
    }
    print_id(context, "job_id", *job);
    return wait_if_wanted(context, options.wait, *job);
}

int run_add(const Context& context, const PriceOptions& options) {
    return with_id(context, kIntakeId, options.intake,
                   [&](engine::TenantCalls& calls, const Uuid& id) {
                       return add(context, options, calls, id);
                   });
}

int run_show(const Context& context, const PriceOptions& options) {
    return with_id(context, kIntakeId, options.intake,
                   [&](engine::TenantCalls& calls, const Uuid& id) -> Status {
                       const auto valuation = services::get_valuation(calls, id);
                       if (!valuation.ok()) {
                           return valuation.error();
                       }
                       print(context.json ? valuation->dump() + "\n" : valuation_text(*valuation));
                       return ok_status();
                   });
}

}  // namespace

void add_prices(Command program, Context& context) {
    Command prices = program.group("prices", "What sources and people say about intakes");
    auto listed = std::make_shared<PriceOptions>();
    Command list =
        add_verb(prices, context, listed, "list", "Prices of an intake, newest first", &run_list);
    list.option("INTAKE", listed->intake, "Intake id").required();
    list.option("--source", listed->source, "Only of this source");
    add_page_options(list, listed->page);

    auto added = std::make_shared<PriceOptions>();
    Command add_price =
        add_verb(prices, context, added, "add",
                 "A price of your own, for a source of the adapter manual", &run_add);
    add_price.option("INTAKE", added->intake, "Intake id").required();
    add_price.option("--source", added->source, "Its name or id").required();
    add_price.option("--price", added->price, "19.99").required();
    add_price.option("--currency", added->currency, "USD, EUR ...").required();
    add_price.option("--title", added->title, "What was offered or sold").required();
    add_price.option("--type", added->type, "sold, ask (default) or bid");
    add_price.option("--observed-at", added->observed_at, "A day or a time");
    add_price.option("--url", added->url, "Where");
    add_price.option("--external-id", added->external_id,
                     "Its id there: the same one is one price");
    add_wait_options(add_price, added->wait, "it counts");
}

void add_valuations(Command program, Context& context) {
    Command valuations = program.group("valuations", "What intakes are worth");
    auto shown = std::make_shared<PriceOptions>();
    Command show = add_verb(valuations, context, shown, "show",
                            "Percentiles, mean, and why it can be trusted", &run_show);
    show.option("INTAKE", shown->intake, "Intake id").required();
}

}  // namespace jobforge::cli
