#include "price_world.h"

#include <csignal>

#include <fmt/format.h>

#include "connect/http/http_request.h"
#include "engine/schema/migrate.h"
#include "test_paths.h"

namespace jobforge::test {

namespace {

constexpr std::string_view kLogin = "test_price_worker";

Status prepare(const std::string& url) {
    if (auto migrated = engine::migrate(url); !migrated) {
        return migrated.error();
    }
    auto admin = pg::Connection::connect({.url = url});
    if (!admin) {
        return admin.error();
    }
    return admin->script("test_login",
                         "do $$ begin create role test_price_worker login in role jobforge_worker; "
                         "exception when duplicate_object or unique_violation then null; end $$;");
}

std::shared_ptr<connect::Transport> loopback_client() {
    connect::HttpOptions options;
    options.allowed_networks = connect::parse_networks("127.0.0.0/8").value();
    return std::make_shared<connect::HttpClient>(options);
}

// `base` with the members of the JSON object `more` set.
std::string merged(Json base, const std::string& more) {
    const Json changes = must(Json::parse(more));
    for (const auto& [name, value] : *changes.as_object()) {
        base.set(name, value);
    }
    return base.dump();
}

}  // namespace

std::string sql_text(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? "''" : std::string(1, c);
    }
    return out + "'";
}

PriceWorld::PriceWorld() : database_("jobforge_price_world", prepare), admin_(database_.connect()) {
    tenant_ = one("select jobforge.create_tenant('prices')");
    run(fmt::format("select set_config('app.tenant_id', '{}', false)", tenant_));
    settings_.database_url = database_.url(kLogin);
    settings_.http = loopback_client();
    settings_.secrets = std::make_shared<services::SecretStore>(
        [this](std::string_view name) -> std::optional<std::string> {
            const auto found = secrets_.find(std::string(name));
            return found == secrets_.end() ? std::nullopt : std::optional(found->second);
        },
        "");
}

PriceWorld::~PriceWorld() = default;

std::unique_ptr<cli::DemoMarketplace> PriceWorld::market(cli::MarketplaceOptions options) {
    return must(cli::DemoMarketplace::start(std::move(options)));
}

std::string PriceWorld::source(const SourceText& text) {
    const Json usual = Json::object({{"name", text.name},
                                     {"adapter", "http_json"},
                                     {"base_url", text.base_url},
                                     {"rate_limit_per_minute", 60'000},
                                     {"config", cli::DemoMarketplace::source_config()}});
    return one(
        fmt::format("select jobforge.save_source({})", sql_text(merged(usual, text.members))));
}

std::string PriceWorld::intake(const std::string& members) {
    const Json usual = Json::object({{"year", 1909},
                                     {"mintmark", "S"},
                                     {"denomination", "cent"},
                                     {"series", "Lincoln"},
                                     {"title", "VDB"}});
    return one(fmt::format("select jobforge.add_intake({})", sql_text(merged(usual, members))));
}

std::string PriceWorld::enqueue(const std::string& intake, const std::string& source,
                                const std::string& more) {
    const Json payload = Json::object({{"intake_id", intake}, {"source_id", source}});
    return one(
        fmt::format("select jobforge.enqueue_step(jobforge.current_tenant(), "
                    "'COLLECT_PRICES', {}, null, null, null, null, null)",
                    sql_text(merged(payload, more))));
}

std::string PriceWorld::collect(const std::string& intake, const std::string& source) {
    return one(fmt::format("select job_id from jobforge.enqueue_collections('{}', array['{}'])",
                           intake, source));
}

void PriceWorld::start(int slots) {
    if (worker_) {
        return;
    }
    worker_ = std::make_unique<Worker>(WorkerOptions{.database_url = settings_.database_url,
                                                     .slots = slots,
                                                     .poll_interval = std::chrono::milliseconds(20),
                                                     .lease = std::chrono::seconds(20),
                                                     .lease_renew = std::chrono::seconds(5),
                                                     .drain_grace = std::chrono::seconds(5),
                                                     .pool_size = 4});
    services::add_price_handlers(*worker_, settings_);
    must(worker_->start());
}

ChildProcess& PriceWorld::start_process(std::map<std::string, std::string> environment) {
    environment.insert({{"DATABASE_URL", settings_.database_url},
                        {"JOBFORGE_ALLOW_NETWORKS", "127.0.0.0/8"},
                        {"JOBFORGE_DATA", directory_.path()},
                        {"BPC_JOBS_POLL_INTERVAL_MS", "20"},
                        {"BPC_JOBS_CONCURRENCY", "4"},
                        {"BPC_METRICS_ENABLED", "false"}});
    processes_.push_back(std::make_unique<ChildProcess>(
        std::vector<std::string>{JOBFORGE_PROGRAM, "worker"}, std::move(environment)));
    EXPECT_TRUE(processes_.back()->wait_for_output("worker started"))
        << processes_.back()->error_output();
    return *processes_.back();
}

void PriceWorld::end_processes() {
    for (const auto& process : processes_) {
        process->send_signal(SIGTERM);
    }
    for (const auto& process : processes_) {
        const auto code = process->wait();
        EXPECT_TRUE(code == 0 || code == 128 + SIGKILL) << process->error_output();
    }
    processes_.clear();
}

void PriceWorld::run(const std::string& sql) {
    must(admin_.script("test", sql));
}

std::string PriceWorld::one(const std::string& sql) {
    auto rows = admin_.exec({"test_one", fmt::format("select ({})::text", sql)});
    EXPECT_TRUE(rows.ok()) << (rows.ok() ? "" : rows.error().describe()) << "\n" << sql;
    return rows.ok() && !rows->empty() && !rows->is_null(0, 0) ? std::string(rows->text(0, 0)) : "";
}

std::string PriceWorld::job(const std::string& id, const std::string& expression) {
    return one(fmt::format("select {} from jobforge.all_jobs where job_id = '{}'", expression, id));
}

std::string PriceWorld::end_of(const std::string& job) {
    if (!worker_ && processes_.empty()) {
        start();
    }
    std::string end;
    EXPECT_TRUE(wait_until([&] {
        end =
            one(fmt::format("select status || coalesce(' ' || (last_error ->> 'code'), '') from "
                            "jobforge.finished_jobs where job_id = '{}'",
                            job));
        return !end.empty();
    })) << this->job(job, "row_to_json(all_jobs)");
    return end.starts_with("SUCCEEDED") ? "SUCCEEDED" : end;
}

std::string PriceWorld::retry_of(const std::string& job) {
    if (!worker_ && processes_.empty()) {
        start();
    }
    std::string found;
    EXPECT_TRUE(wait_until([&] {
        found = one(fmt::format(
            "select status || ' ' || (last_error ->> 'code') from jobforge.all_jobs where "
            "job_id = '{}' and status <> 'RUNNING' and last_error is not null",
            job));
        return !found.empty();
    }));
    return found;
}

std::string PriceWorld::governor(const std::string& source, const std::string& expression) {
    return one(fmt::format("select {} from jobforge.governors where kind = 'source' and key = '{}'",
                           expression, source));
}

std::string PriceWorld::points(const std::string& intake, const std::string& expression) {
    return one(fmt::format("select {} from jobforge.price_points where intake_id = '{}'",
                           expression, intake));
}

}  // namespace jobforge::test
