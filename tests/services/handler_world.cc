#include "handler_world.h"

#include <fmt/format.h>

#include "connect/http/http_request.h"
#include "engine/schema/migrate.h"
#include "services/passport/documents.h"
#include "services/passport/passports.h"
#include "services/passport/rule_packages.h"
#include "services/passport/snapshots.h"
#include "services/secrets/secret_box.h"

namespace jobforge::test {

namespace {

constexpr std::string_view kLogin = "test_handler_worker";

Status prepare(const std::string& url) {
    if (auto migrated = engine::migrate(url); !migrated) {
        return migrated.error();
    }
    auto admin = pg::Connection::connect({.url = url});
    if (!admin) {
        return admin.error();
    }
    return admin->script(
        "test_login",
        "do $$ begin create role test_handler_worker login in role jobforge_worker; "
        "exception when duplicate_object or unique_violation then null; end $$;");
}

Uuid id_of(const std::string& text) {
    return must(Uuid::parse(text));
}

std::string sql_text(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        out += c == '\'' ? "''" : std::string(1, c);
    }
    return out + "'";
}

std::shared_ptr<const services::SigningKeys> signing_keys() {
    auto keys = std::make_shared<services::SigningKeys>();
    must(keys->add(std::string(kKeyId), kSigningSeed));
    return keys;
}

std::shared_ptr<connect::HttpClient> loopback_client() {
    connect::HttpOptions options;
    options.allowed_networks = connect::parse_networks("127.0.0.0/8").value();
    return std::make_shared<connect::HttpClient>(options);
}

}  // namespace

HandlerWorld::HandlerWorld()
    : database_("jobforge_handler_world", prepare), admin_(database_.connect()) {
    const std::string id = one("select jobforge.create_tenant('handlers')");
    tenant_ = id_of(id);
    run(fmt::format("select set_config('app.tenant_id', '{}', false)", id));
    const std::string url = database_.url(kLogin);
    calls_ = std::make_unique<engine::TenantCalls>(
        engine::TenantCalls::connect({.database_url = url, .tenant_id = tenant_, .pool_size = 2})
            .value());
    settings_.database_url = url;
    settings_.build_id = "test-build";
    settings_.signing_keys = signing_keys();
    settings_.secrets =
        std::make_shared<services::SecretBox>(services::SecretBox::from_base64(kMasterKey).value());
    settings_.http = loopback_client();
    options_ = {.database_url = url,
                .slots = 4,
                .poll_interval = std::chrono::milliseconds(20),
                .lease = std::chrono::seconds(20),
                .lease_renew = std::chrono::seconds(5),
                .drain_grace = std::chrono::seconds(5),
                .pool_size = 4};
}

void HandlerWorld::start() {
    if (worker_) {
        return;
    }
    tools_ = std::make_shared<services::PassportTools>();
    tools_->settings = settings_;
    worker_ = std::make_unique<Worker>(options_);
    services::add_passport_handlers(*worker_, tools_);
    add_handlers(*worker_);
    must(worker_->start());
}

void HandlerWorld::stop() {
    worker_.reset();
}

void HandlerWorld::hold(std::string_view type) {
    run(fmt::format("update jobforge.job_types set concurrency_limit = 0 where type = '{}'", type));
}

void HandlerWorld::release(std::string_view type) {
    run(fmt::format("update jobforge.job_types set concurrency_limit = null where type = '{}'",
                    type));
}

void HandlerWorld::run(const std::string& sql) {
    must(admin_.script("test", sql));
}

std::string HandlerWorld::one(const std::string& sql) {
    auto rows = admin_.exec({"test_one", fmt::format("select ({})::text", sql)});
    EXPECT_TRUE(rows.ok()) << (rows.ok() ? "" : rows.error().describe()) << "\n" << sql;
    return rows.ok() && !rows->empty() && !rows->is_null(0, 0) ? std::string(rows->text(0, 0)) : "";
}

std::string HandlerWorld::enqueue(std::string_view type, const std::string& payload) {
    // As a use case does it, where only use cases may.
    return one(
        fmt::format("select case when t.internal then jobforge.enqueue_step("
                    "jobforge.current_tenant(), t.type, {1}, null, null, null, null, null) "
                    "else (select e.job_id from jobforge.enqueue_job(t.type, {1}) e) end "
                    "from jobforge.job_types t where t.type = '{0}'",
                    type, sql_text(payload)));
}

std::string HandlerWorld::end_of(const std::string& job) {
    start();
    const std::string status = fmt::format(
        "select status || coalesce(' ' || (last_error ->> 'code'), '') from jobforge.finished_jobs "
        "where job_id = '{}'",
        job);
    std::string end;
    EXPECT_TRUE(wait_until([&] { return !(end = one(status)).empty(); }))
        << one(fmt::format("select row_to_json(j) from jobforge.jobs j where job_id = '{}'", job));
    return end.starts_with("SUCCEEDED") ? "SUCCEEDED" : end;
}

std::string HandlerWorld::retry_of(const std::string& job) {
    start();
    const std::string status = fmt::format(
        "select status || ' ' || (last_error ->> 'code') from jobforge.all_jobs where job_id = "
        "'{}' and status <> 'RUNNING' and last_error is not null",
        job);
    std::string found;
    EXPECT_TRUE(wait_until([&] { return !(found = one(status)).empty(); }));
    return found;
}

std::string HandlerWorld::message_of(const std::string& job) {
    return one(fmt::format(
        "select last_error ->> 'message' from jobforge.all_jobs where job_id = '{}'", job));
}

std::string HandlerWorld::job_with_key(const std::string& key) {
    return one(
        fmt::format("select job_id from jobforge.all_jobs where idempotency_key = '{}'", key));
}

std::string HandlerWorld::jobs_with_key(const std::string& key) {
    return one(fmt::format(
        "select string_agg(format('%s %s %s %s', type, priority, max_attempts, payload), '; ') "
        "from jobforge.all_jobs where idempotency_key = '{}'",
        key));
}

std::string HandlerWorld::events_of(const std::string& aggregate) {
    return one(fmt::format(
        "select string_agg(event_type, ' ' order by aggregate_version) from jobforge.events "
        "where aggregate_id = '{}'",
        aggregate));
}

std::string HandlerWorld::event_payload(const std::string& aggregate, std::string_view type) {
    return one(fmt::format(
        "select convert_from(payload_canonical, 'UTF8') from jobforge.events where aggregate_id = "
        "'{}' and event_type = '{}'",
        aggregate, type));
}

std::string HandlerWorld::stored() {
    std::string counts;
    for (const char* table : {"events", "facts", "fact_sources", "snapshot_items",
                              "passport_versions", "signing_keys", "rule_tests_runs"}) {
        counts += fmt::format("{} {} ", table,
                              one(fmt::format("select count(*) from jobforge.{}", table)));
    }
    return counts;
}

std::string HandlerWorld::upload(std::string_view kind, std::string_view content,
                                 std::string_view media_type) {
    const auto uploaded =
        services::upload_document(*calls_, {.kind = std::string(kind),
                                            .name = "test document",
                                            .content = std::string(content),
                                            .media_type = std::string(media_type)});
    EXPECT_TRUE(uploaded.ok()) << (uploaded.ok() ? "" : uploaded.error().describe());
    return uploaded.ok() ? uploaded->document_version_id.to_string() : "";
}

std::string HandlerWorld::document(std::string_view content) {
    std::string id = upload("BOM", content);
    EXPECT_EQ(end_of(job_with_key("parse-" + id)), "SUCCEEDED");
    return id;
}

std::string HandlerWorld::sealed_snapshot(std::string_view content) {
    const Uuid id = must(services::create_snapshot(*calls_, {.label = "test"}));
    must(services::add_snapshot_facts(*calls_, id,
                                      {.document_version_ids = {id_of(document(content))}}));
    EXPECT_EQ(end_of(must(services::build_snapshot(*calls_, id, "tester")).to_string()),
              "SUCCEEDED");
    must(services::seal_snapshot(*calls_, id, "tester"));
    return id.to_string();
}

std::string HandlerWorld::rules(std::string_view source, std::string_view tests) {
    return must(services::upload_rules(*calls_, {.package = "small",
                                                 .dsl_source = std::string(source),
                                                 .tests_source = std::string(tests)}))
        .rule_package_version_id.to_string();
}

std::string HandlerWorld::published_rules(std::string_view source) {
    std::string id = rules(source);
    const Uuid job = must(services::request_rule_tests(*calls_, id_of(id), 0, "tester"));
    EXPECT_EQ(end_of(job.to_string()), "SUCCEEDED");
    must(services::publish_rules(*calls_, id_of(id), "tester"));
    return id;
}

std::string HandlerWorld::passport(const std::string& sku) {
    const Uuid product = must(services::create_product(*calls_, {.sku = sku, .name = "A pack"}));
    return must(services::create_passport(*calls_, {.battery_product_id = product})).to_string();
}

std::string HandlerWorld::compile_payload(const std::string& version, const std::string& snapshot,
                                          const std::string& rules,
                                          const std::string& passport_id) {
    return fmt::format(
        R"({{"issued_at":"2027-02-18T09:30:00.000000Z","passport_id":"{}",)"
        R"("passport_version_id":"{}","rule_package_version_id":"{}","signing_key_id":"{}",)"
        R"("snapshot_id":"{}"}})",
        passport_id, version, rules, kKeyId, snapshot);
}

std::string HandlerWorld::compiled_version() {
    const auto request = must(
        services::request_compile(*calls_, {.passport_id = id_of(passport()),
                                            .snapshot_id = id_of(sealed_snapshot()),
                                            .rule_package_version_id = id_of(published_rules()),
                                            .signing_key_id = std::string(kKeyId)}));
    EXPECT_EQ(end_of(request.job_id.to_string()), "SUCCEEDED");
    return request.passport_version_id.to_string();
}

std::string HandlerWorld::signed_version() {
    std::string id = compiled_version();
    EXPECT_EQ(end_of(job_with_key("sign-" + id)), "SUCCEEDED");
    return id;
}

std::string HandlerWorld::version(const std::string& id, const std::string& expression) {
    return one(
        fmt::format("select {} from jobforge.passport_versions where passport_version_id = '{}'",
                    expression, id));
}

}  // namespace jobforge::test
