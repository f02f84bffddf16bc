// jobforge up: everything in one process, with no configuration.
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "base/text/counted.h"
#include "cli/commands/commands.h"
#include "cli/commands/type_settings.h"
#include "cli/demo/demo.h"
#include "cli/demo/demo_api.h"
#include "cli/demo/demo_passport.h"
#include "cli/demo/demo_prices.h"
#include "cli/serve/api_run.h"
#include "cli/serve/service_run.h"
#include "cli/view/output.h"
#include "cli/view/page_links.h"
#include "engine/schema/migrate.h"
#include "localpg/cluster.h"
#include "statements/schema.h"

namespace jobforge::cli {

namespace {

struct UpFlags {
    bool demo = false;
    bool leave = false;  // after the demonstration
    int metrics_port = 0;
    std::optional<int> http_port;
    bool lan = false;  // phones in the network may open the passports' pages
};

void say(std::string_view text) {
    print_line(text);
}

struct Database {
    std::unique_ptr<pg::PrivateCluster> cluster;  // empty: another server
    std::string url;                              // for work
    std::string admin_url;                        // for migrations
};

Result<Database> open_database(const Context& context, const Logger& log) {
    Database database;
    if (!context.config.database_url.empty()) {
        say("using the Postgres of the environment");
        database.url = context.config.database_url;
        database.admin_url = database.url;
        return database;
    }
    say(fmt::format("starting a private Postgres in {} ...", context.config.data_dir));
    pg::ClusterOptions options;
    options.data_dir = context.config.data_dir;
    options.on_event = [log](const pg::ClusterEvent& event) { log.warn(event.message); };
    auto cluster = pg::PrivateCluster::start(options);
    if (!cluster.ok()) {
        return std::move(cluster).error();
    }
    database.cluster = *std::move(cluster);
    database.url = database.cluster->url();
    database.admin_url = database.cluster->admin_url();
    return database;
}

Status migrate_database(const Database& database) {
    engine::MigrateOptions options;
    options.on_step = [](std::string_view step) { say(fmt::format("migrating: {}", step)); };
    auto report = engine::migrate(database.admin_url, options);
    if (!report.ok()) {
        return std::move(report).error();
    }
    if (!database.cluster) {
        return ok_status();
    }
    auto admin = pg::Connection::connect({.url = database.admin_url});
    if (!admin.ok()) {
        return std::move(admin).error();
    }
    return admin->script(statements::schema::kGrantAll);
}

// The first start makes a tenant, so that the next command works at once.
Result<std::string> first_tenant(const Database& database) {
    auto admin = engine::Admin::connect(database.url);
    if (!admin.ok()) {
        return std::move(admin).error();
    }
    auto tenants = admin->tenants();
    if (!tenants.ok()) {
        return std::move(tenants).error();
    }
    if (!tenants->empty()) {
        return counted(static_cast<std::int64_t>(tenants->size()), "tenant");
    }
    auto created = admin->create_tenant("default");
    if (!created.ok()) {
        return std::move(created).error();
    }
    return fmt::format("tenant \"default\" ({})", created->to_string());
}

// " --data DIRECTORY" where commands need it to find the private Postgres.
std::string data_option(const Database& database, const Context& context) {
    return database.cluster && context.config.data_dir != Config().data_dir
               ? fmt::format(" --data {}", context.config.data_dir)
               : std::string();
}

// What printed codes can name again after the next start.
constexpr int kLanPort = 8080;

// 0: a free one.
int port_of_api(const Context& context, const UpFlags& flags) {
    return flags.http_port ? *flags.http_port
                           : context.config.http_port.value_or(flags.lan ? kLanPort : 0);
}

// In dev the QR codes of `up` are links to its own API, so that a phone opens the page. `demo` ends
// before anybody can scan its code: it keeps the text for use without a network.
Context with_page_links(const Context& context, const ApiRun* api, const UpFlags& flags) {
    Context linked = context;
    if (api != nullptr && !flags.leave && context.config.environment == "dev" &&
        context.config.qr_base_url.empty()) {
        linked.config.qr_base_url = reachable_url(api->url(), context.config.http_host);
    }
    return linked;
}

// Where codes lead, and what keeps a phone from getting there.
std::string page_directions(const Context& context, const ApiRun& api, const UpFlags& flags) {
    const Config& config = context.config;
    if (config.qr_base_url.empty()) {
        return {};
    }
    std::string text = fmt::format("  QR codes  {}/p/PASSPORT\n", config.qr_base_url);
    if (config.qr_base_url != reachable_url(api.url(), config.http_host)) {
        return text;  // somewhere else, by BPC_QR_BASE_URL
    }
    if (only_this_machine(config.http_host)) {
        text += "            not from a phone: jobforge up --lan serves your network\n";
    } else {
        text += "            without encryption: use a network that you trust\n";
    }
    if (port_of_api(context, flags) == 0) {
        text += "            until this stops: --http-port 8080 keeps the address\n";
    }
    return text;
}

void print_directions(const Database& database, const Context& context, const Service& service,
                      const ApiRun* api, const std::string& tenant, const UpFlags& flags) {
    std::string text = "\njobforge is up\n";
    if (database.cluster) {
        text += fmt::format("  psql      psql '{}'\n", database.url);
    }
    text += fmt::format("  tenant    {}\n", tenant);
    if (api != nullptr) {
        text +=
            fmt::format("  api       {}/v1\n", api->url()) + page_directions(context, *api, flags);
    }
    if (!service.metrics_url().empty()) {
        text += fmt::format("  metrics   {}\n", service.metrics_url());
    }
    text += fmt::format(
        "\ntry, in another terminal:\n"
        "  jobforge{0} enqueue test.echo '{{\"hello\": \"world\"}}'\n"
        "  jobforge{0} jobs list\n"
        "  jobforge{0} stats\n"
        "  jobforge{0} keys create me --role Admin\n"
        "  jobforge{0} doctor\n\n"
        "Ctrl-C stops it: running jobs get 30 s, then go back into the queue.\n",
        data_option(database, context));
    print(text);
}

// Null where no server was handed over (tests).
Result<std::unique_ptr<ApiRun>> start_api(const Context& context, const std::string& url,
                                          const UpFlags& flags) {
    if (!context.services.api_server) {
        return std::unique_ptr<ApiRun>();
    }
    return ApiRun::start(context, url, port_of_api(context, flags));
}

// What stands above the commands of a demonstration. `demo` stops its database before anybody can
// type them.
std::string heading(const Database& database, const Context& context, bool leave) {
    return leave && database.cluster
               ? fmt::format("to look at it, start the database again with `jobforge{} up`, then:",
                             data_option(database, context))
               : "look at it:";
}

Status show_all(const Database& database, const Context& context, const UpFlags& flags,
                const Signals& signals) {
    const std::string above = heading(database, context, flags.leave);
    auto shown = run_demo(context, database.url, signals);
    if (shown.ok() && !signals.arrived()) {
        shown = run_passport_demo(context, database.url, signals, above);
    }
    if (shown.ok() && !signals.arrived()) {
        shown = run_prices_demo(context, database.url, signals, above);
    }
    return shown;
}

void stop_cluster(const Database& database) {
    if (database.cluster) {
        database.cluster->stop();
    }
}

int run_up(const Context& context, const UpFlags& flags) {
    const Signals signals;
    const Logger log = context.logger();
    auto database = open_database(context, log);
    if (!database.ok()) {
        return context.fail(database.error());
    }
    if (auto migrated = migrate_database(*database); !migrated.ok()) {
        return context.fail(migrated.error());
    }
    // `up` is there to try things, so it opens the test types wherever it is not told that this is
    // prod.
    if (auto applied = apply_type_settings(database->admin_url, context.config, true);
        !applied.ok()) {
        return context.fail(applied.error());
    }
    auto tenant = first_tenant(*database);
    if (!tenant.ok()) {
        return context.fail(tenant.error());
    }
    {
        // First, because its port is part of what the worker's QR codes say.
        auto api = start_api(context, database->url, flags);
        if (!api.ok()) {
            return context.fail(api.error());
        }
        const Context linked = with_page_links(context, api->get(), flags);
        ServiceOptions options;
        options.worker = worker_options(context, database->url);
        options.metrics_port = flags.metrics_port;
        Service service(linked, std::move(options));
        if (auto started = service.start(); !started.ok()) {
            return context.fail(started.error());
        }
        if (!flags.leave) {
            print_directions(*database, linked, service, api->get(), *tenant, flags);
        }
        if (flags.demo) {
            auto shown = show_all(*database, context, flags, signals);
            if (shown.ok() && *api && !flags.leave && !signals.arrived()) {
                shown = show_api(context, database->url, (*api)->url());
            }
            if (!shown.ok()) {
                return context.fail(shown.error());
            }
        }
        const int left = flags.leave ? service.drain() : service.run(signals);
        say("stopping ...");
        if (left > 0) {
            stop_cluster(*database);
            end_process(log, left);
        }
    }
    stop_cluster(*database);
    say("stopped");
    return kOk;
}

// The demonstration's receiver of webhooks and its marketplace listen on loopback, which the guard
// refuses. Not in prod: there the demonstration says that its calls were blocked.
void allow_loopback(Context& context) {
    if (context.config.environment == "prod") {
        return;
    }
    if (auto loopback = connect::parse_networks("127.0.0.0/8"); loopback.ok()) {
        auto& allowed = context.config.allowed_networks;
        allowed.insert(allowed.end(), loopback->begin(), loopback->end());
    }
}

// Loopback is what `up` listens on unless it is asked for more: its keys and pages are not
// encrypted.
Status listen_in_network(Context& context) {
    if (context.config.environment != "dev") {
        Error error = Error::of(ErrorCode::VALIDATION_ERROR,
                                "--lan is for BPC_ENV=dev: it serves without encryption");
        error.hint = "Set BPC_HTTP_HOST, BPC_HTTP_TLS_* and BPC_QR_BASE_URL instead.";
        return error;
    }
    if (!only_this_machine(context.config.http_host)) {
        return ok_status();  // BPC_HTTP_HOST says which address
    }
    const auto address = network_address();
    if (!address) {
        return Error::of(ErrorCode::CONFIG_MISSING,
                         "--lan: this machine has no IPv4 address but those of loopback");
    }
    context.config.http_host = *address;
    return ok_status();
}

}  // namespace

void add_up(Command program, Context& context) {
    Command command = program.subcommand(
        "up", "Start everything: a private Postgres (without DATABASE_URL), the schema, a worker");
    auto flags = std::make_shared<UpFlags>();
    command.flag(
        "--demo", flags->demo,
        "Show a few jobs of each kind, the story of a battery passport, and a coin's value");
    command.option("--metrics-port", flags->metrics_port, "0: a free one").in_range(0, 65535);
    command
        .option("--http-port", flags->http_port, "Of the HTTP API; 0: a free one (BPC_HTTP_PORT)")
        .in_range(0, 65535);
    command.flag("--lan", flags->lan,
                 "Serve your network, without encryption, on port 8080: a phone opens the pages "
                 "that QR codes name");
    command.runs([&context, flags] {
        if (flags->lan) {
            if (auto serves = listen_in_network(context); !serves.ok()) {
                (void)context.fail(serves.error());
                return static_cast<int>(kBadUsage);
            }
        }
        if (flags->demo) {
            allow_loopback(context);
        }
        return run_up(context, *flags);
    });
}

void add_demo(Command program, Context& context) {
    Command command = program.subcommand(
        "demo", "Start everything as `up` does, tell the story of a passport, and stop");
    command.runs([&context] {
        allow_loopback(context);
        UpFlags flags;
        flags.demo = flags.leave = true;
        return run_up(context, flags);
    });
}

}  // namespace jobforge::cli
