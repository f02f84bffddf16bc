// jobforge marketplace: something to try sources with.
#include <fmt/format.h>

#include "cli/commands/commands.h"
#include "cli/demo/demo_marketplace.h"
#include "cli/serve/signals.h"
#include "cli/view/output.h"

namespace jobforge::cli {

namespace {

struct MarketplaceFlags {
    int port = 0;
    int limit = 0;
};

int run_marketplace(const Context& context, const MarketplaceFlags& flags) {
    const Signals signals;
    const auto marketplace = DemoMarketplace::start(
        {.port = flags.port, .limit_per_minute = static_cast<std::size_t>(flags.limit)});
    if (!marketplace.ok()) {
        return context.fail(marketplace.error());
    }
    print_line((*marketplace)->base_url());
    (void)signals.wait();
    return kOk;
}

}  // namespace

void add_marketplace(Command program, Context& context) {
    Command command = program.subcommand(
        "marketplace", "Serve a marketplace of old coins on loopback, to try sources with");
    auto flags = std::make_shared<MarketplaceFlags>();
    command.option("--port", flags->port, "0: a free one").in_range(0, 65535);
    command.option("--limit", flags->limit, "Answer 429 beyond so many requests a minute; 0: never")
        .in_range(0, 60000);
    command.runs([&context, flags] { return run_marketplace(context, *flags); });
}

}  // namespace jobforge::cli
