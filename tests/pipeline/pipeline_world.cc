#include "pipeline_world.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/crypto/ed25519.h"
#include "engine/schema/migrate.h"
#include "services/audit/audit.h"
#include "services/audit/log_keeper.h"
#include "services/passport/documents.h"
#include "services/passport/passports.h"
#include "services/passport/rule_packages.h"
#include "services/passport/snapshots.h"
#include "services/webhooks/webhooks.h"
#include "test_paths.h"
#include "wait_until.h"

namespace jobforge::test {

namespace {

namespace wl = services;

constexpr char kTenant[] = "aaaaaaaa-0000-4000-8000-00000000a55a";
constexpr char kSnapshot[] = "aaaaaaaa-0000-4000-8000-000000005ea1";
constexpr char kRules[] = "aaaaaaaa-0000-4000-8000-00000000401e";
constexpr char kDocument[] = "aaaaaaaa-0000-4000-8000-00000000d0c5";
// 32 bytes of "k" and of "m": for tests only.
constexpr char kSigningKey[] = "a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=";
constexpr char kMasterKey[] = "bW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW1tbW0=";
constexpr char kKeyId[] = "test-key";
// 2027-03-01T12:00:00Z: a day on which the obligations of the example are in force.
constexpr std::int64_t kIssuedAt = 1803902400000000;

Uuid uuid(const char* text) {
    return *Uuid::parse(text);
}

Uuid numbered(std::string_view kind, int n) {
    return *Uuid::parse(fmt::format("{}-0000-4000-8000-{:012x}", kind, n));
}

template <typename T>
T must(Result<T> result) {
    if (!result.ok()) {
        ADD_FAILURE() << result.error().describe();
        std::abort();
    }
    return *std::move(result);
}

std::string example(const std::string& name) {
    std::ifstream file(std::string(JOBFORGE_SOURCE_DIR) + "/examples/battery-eu/" + name);
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_FALSE(text.str().empty()) << name;
    return text.str();
}

Status migrate_template(const std::string& url) {
    auto report = engine::migrate(url);
    return report.ok() ? ok_status() : Status(std::move(report).error());
}

wl::SigningKeys test_keys() {
    wl::SigningKeys keys;
    EXPECT_TRUE(keys.add(kKeyId, kSigningKey).ok());
    return keys;
}

}  // namespace

PipelineWorld::PipelineWorld()
    : database_("pipeline_test", &migrate_template), admin_(database_.connect()) {
    prepare_tenant();
    prepare_inputs();
}

PipelineWorld::~PipelineWorld() {
    workers_.clear();
}

void PipelineWorld::prepare_tenant() {
    // Killed workers must not use up a job's budget, nor make it wait for long.
    must(admin_.script("fixtures", fmt::format(R"(
        select jobforge.create_tenant('pipeline', '{}');
        select jobforge.set_job_type(t.type, '{{"max_attempts": 1000, "backoff_jitter": 0}}')
        from jobforge.list_job_types() t;
    )",
                                               kTenant)));
    calls_ = std::make_unique<engine::TenantCalls>(must(engine::TenantCalls::connect(
        {.database_url = database_.url(), .tenant_id = uuid(kTenant)})));
    client_ = std::make_unique<Client>(
        must(Client::connect({.database_url = database_.url(), .tenant_id = uuid(kTenant)})));
    receiver_ = must(cli::DemoReceiver::start());
    box_ = std::make_unique<wl::SecretBox>(must(wl::SecretBox::from_base64(kMasterKey)));
    const auto endpoint = must(
        wl::add_webhook_endpoint(*calls_, *box_, uuid(kTenant), {.url = receiver_->url()}, false));
    receiver_->expect_secret(endpoint.secret);
    must(wl::subscribe_webhook(*calls_, endpoint.webhook_endpoint_id, {"*"}));
}

void PipelineWorld::expect_succeeds(const Uuid& job) {
    const bool ended = wait_until([&] { return must(client_->get(job)).completed_at.has_value(); },
                                  std::chrono::seconds(200));
    ASSERT_TRUE(ended);
    const JobDetails details = must(client_->get(job));
    ASSERT_EQ(details.status, "SUCCEEDED") << details.type << details.last_error.dump();
}

void PipelineWorld::prepare_inputs() {
    start_worker();
    const auto document =
        must(wl::upload_document(*calls_, {.kind = "BATTERY_DATA",
                                           .name = "ev.json",
                                           .content = example("documents/ev.json"),
                                           .document_version_id = uuid(kDocument)}));
    expect_succeeds(*document.job_id);
    must(wl::create_snapshot(*calls_, {.label = "test", .snapshot_id = uuid(kSnapshot)}));
    must(wl::add_snapshot_facts(*calls_, uuid(kSnapshot),
                                {.document_version_ids = {uuid(kDocument)}}));
    expect_succeeds(must(wl::build_snapshot(*calls_, uuid(kSnapshot), "")));
    must(wl::seal_snapshot(*calls_, uuid(kSnapshot), ""));
    rules_ = must(wl::upload_rules(*calls_, {.package = "battery-eu",
                                             .dsl_source = example("battery-eu.rules"),
                                             .tests_source = example("battery-eu.tests"),
                                             .rule_package_version_id = uuid(kRules)}))
                 .rule_package_version_id;
    expect_succeeds(must(wl::request_rule_tests(*calls_, rules_, 7, "")));
    must(wl::publish_rules(*calls_, rules_, ""));
    stop_workers();
}

std::string PipelineWorld::start_worker() {
    std::string id = fmt::format("worker-{}", ++started_);
    const std::map<std::string, std::string> environment{
        {"DATABASE_URL", database_.url()},
        {"BPC_WORKER_ID", id},
        {"BPC_JOBS_LEASE_SECONDS", "2"},
        {"BPC_JOBS_POLL_INTERVAL_MS", "50"},
        {"BPC_JOBS_CONCURRENCY", "4"},
        {"BPC_DB_POOL_SIZE", "4"},
        {"BPC_METRICS_ENABLED", "false"},
        {"BPC_COMPILER_BUILD_ID", "test-build"},
        {"BPC_SIGNING_KEY_ID", kKeyId},
        {"BPC_SIGNING_ED25519_PRIVATE_KEY_BASE64", kSigningKey},
        {"JOBFORGE_MASTER_KEY_BASE64", kMasterKey},
        {"JOBFORGE_ALLOW_NETWORKS", "127.0.0.0/8"},
        {"BPC_LOG_LEVEL", "warn"}};
    workers_[id] = std::make_unique<ChildProcess>(
        std::vector<std::string>{JOBFORGE_PROGRAM, "worker"}, environment);
    return id;
}

std::vector<std::string> PipelineWorld::alive() {
    std::vector<std::string> ids;
    for (const auto& [id, process] : workers_) {
        if (process->running()) {
            ids.push_back(id);
        }
    }
    return ids;
}

int PipelineWorld::kill(const std::string& id) {
    ChildProcess& process = *workers_.at(id);
    process.send_signal(SIGSTOP);
    const int running = number(fmt::format(
        "select count(*) from jobforge.jobs where status = 'RUNNING' and lease_owner = '{}'", id));
    process.send_signal(SIGKILL);
    EXPECT_TRUE(process.wait().has_value());
    workers_.erase(id);
    return running;
}

void PipelineWorld::stop_workers() {
    for (const auto& [id, process] : workers_) {
        process->send_signal(SIGTERM);
    }
    for (const auto& [id, process] : workers_) {
        EXPECT_EQ(process->wait(std::chrono::seconds(60)), 0) << process->error_output();
    }
    workers_.clear();
}

std::string PipelineWorld::text(const std::string& sql) {
    auto rows = admin_.exec({"test_text", "select (" + sql + ")::text"});
    if (!rows.ok()) {
        ADD_FAILURE() << rows.error().describe();
        std::abort();
    }
    return std::string(rows->opt_text(0, 0).value_or(""));
}

Uuid PipelineWorld::version_id(int n) {
    return numbered("cccccccc", n);
}

void PipelineWorld::request(int n) {
    // One product has one sku; the document speaks of this one, so all passports are of it.
    const Uuid product = must(wl::create_product(
        *calls_, {"09524000001016", "Nordlicht Traction 55", numbered("eeeeeeee", 0)}));
    const Uuid passport = must(wl::create_passport(*calls_, {product, numbered("bbbbbbbb", n)}));
    wl::CompileRequest request{passport, uuid(kSnapshot), rules_, kKeyId};
    request.issued_at = TimePoint(std::chrono::microseconds(kIssuedAt + n));
    request.passport_version_id = version_id(n);
    must(wl::request_compile(*calls_, request));
}

std::string PipelineWorld::fingerprint(int n) {
    return text(fmt::format(
        "select encode(sha256(v.payload_canonical || v.proof_canonical || v.receipt_signed "
        "|| convert_to(v.qr_payload, 'UTF8')), 'hex') from jobforge.passport_versions v "
        "where v.passport_version_id = '{}'",
        version_id(n).to_string()));
}

void PipelineWorld::expect_audit_verifies() {
    const auto keys = std::make_shared<const wl::SigningKeys>(test_keys());
    must(wl::extend_log(admin_, uuid(kTenant), {.keys = keys, .key_id = kKeyId}));
    const auto report =
        must(wl::verify_audit(admin_, {uuid(kTenant), {keys->find(kKeyId)->public_key()}, {}}));
    EXPECT_TRUE(report.ok()) << (report.fault ? report.fault->message : "");
    EXPECT_EQ(report.events, number("select count(*) from jobforge.events"));
    EXPECT_EQ(report.events_not_logged, 0);
    EXPECT_GT(report.signatures_checked, 0);
}

void PipelineWorld::expect_complete(int count) {
    EXPECT_EQ(number("select count(*) from jobforge.passport_versions"), count);
    EXPECT_EQ(number("select count(*) from jobforge.passport_versions v where v.status = 'SIGNED' "
                     "and v.version_number = 1 and length(v.signature) = 64 "
                     "and v.qr_png is not null and v.qr_payload is not null"),
              count);
    // The chain of each version: three events, in order, none twice.
    EXPECT_EQ(number("select count(*) from (select string_agg(e.event_type, ' ' order by "
                     "e.aggregate_version) as chain from jobforge.events e "
                     "where e.aggregate_type = 'PassportVersion' group by e.aggregate_id) c "
                     "where c.chain = 'PASSPORT_COMPILED PASSPORT_SIGNED QR_GENERATED'"),
              count);
    EXPECT_EQ(number("select count(*) from jobforge.webhook_deliveries d "
                     "where d.status = 'DELIVERED'"),
              number("select count(*) from jobforge.events"));
    EXPECT_EQ(number("select count(*) from jobforge.webhook_deliveries"),
              number("select count(*) from jobforge.events"));
    EXPECT_EQ(number("select count(*) from jobforge.finished_jobs f where f.status <> 'SUCCEEDED'"),
              0);
    EXPECT_EQ(receiver_->refused(), 0);
    expect_audit_verifies();
}

}  // namespace jobforge::test
