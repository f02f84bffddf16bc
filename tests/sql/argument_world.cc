#include "argument_world.h"

#include <fmt/format.h>

#include "access_world.h"
#include "pipeline_world.h"
#include "price_world.h"

namespace jobforge::test {
namespace {

using Objects = std::map<std::string, std::string>;

void add_passports(Session& sql, Objects& to) {
    PipelineWorld world(sql);
    to["<uploaded>"] = world.document("UPLOADED");
    to["<validated>"] = world.document();
    to["<fact>"] = world.fact_of(to["<validated>"]);
    for (const char* status : {"building", "ready", "sealed"}) {
        to[fmt::format("<{}>", status)] =
            world.snapshot(status == std::string_view("building") ? "BUILDING"
                           : status == std::string_view("ready")  ? "READY"
                                                                  : "SEALED");
    }
    to["<fact_key>"] = sql.one(fmt::format(
        "select fact_key from jobforge.snapshot_items where snapshot_id = '{}'", to["<building>"]));
    to["<draft>"] = world.rules("DRAFT");
    to["<tested>"] = world.rules("TESTED");
    to["<published>"] = world.rules("PUBLISHED");
    to["<deprecated>"] = world.rules("DEPRECATED");
    to["<product>"] = world.product();
    to["<passport>"] = world.passport();
    to["<compiling>"] = world.version("COMPILING");
    to["<without_qr>"] = world.version("COMPILING");
    sql.run(PipelineWorld::sign_call(to["<without_qr>"]));
    to["<signed>"] = world.version("SIGNED");
    to["<active>"] = world.version("ACTIVE");
    to["<endpoint>"] = world.endpoint("'PASSPORT_SIGNED'");
    to["<delivery>"] = world.delivery("PENDING");
    to["<failed_delivery>"] = world.delivery("FAILED");
}

void add_prices(Session& sql, Objects& to) {
    PriceWorld world(sql);
    to["<source>"] = world.source();
    to["<by-hand>"] =
        sql.one("select jobforge.save_source('{\"name\": \"by hand\", \"adapter\": \"manual\"}')");
    to["<intake>"] = world.intake();
    to["<valued>"] = world.intake();
    sql.run(PriceWorld::valuation_call(to["<valued>"]));
}

void add_access(Session& sql, Objects& to) {
    to["<key>"] = sql.one(create_call("known"));
    to["<policy>"] =
        sql.one("select policy_id from jobforge.add_access_policy('deny', '/v1/jobs/**')");
    to["<access_version>"] = sql.one("select version from jobforge.access_versions");
    to["<platform_key>"] = sql.one(
        "select jobforge.create_platform_key('platform22222222', sha256('platform'), 'ops')");
    // As enter_platform_request does it, for every transaction of this session.
    sql.run(
        "select set_config('app.platform_key', 'platform22222222', false), "
        "set_config('app.platform_mac', encode(sha256('platform'), 'hex'), false)");
    to["<tenant>"] = kTenantA;
    to["<unused_endpoint>"] =
        sql.one("select jobforge.add_webhook_endpoint('https://example.com/unused', 'x')");
    to["<subscription>"] =
        sql.one("select webhook_subscription_id from jobforge.subscribe_webhook('" +
                to["<unused_endpoint>"] + "', '{*}')");
    sql.run("select jobforge.set_connector_config('connector.report.generate', '{}')");
    sql.run("select * from jobforge.governor_enter('host', 'h')");
    to["<artifact>"] = sql.one(
        "select jobforge.keep_job_artifact(job_id, 'n', 'x', 'text/plain') from jobforge.jobs "
        "where status = 'RUNNING'");
    sql.run("select jobforge.extend_event_log()");
    to["<log_length>"] = sql.one("select count(*) from jobforge.event_log");
}

}  // namespace

std::map<std::string, std::string> argument_world(Session& sql) {
    Objects objects;
    add_passports(sql, objects);
    add_prices(sql, objects);
    add_access(sql, objects);
    return objects;
}

}  // namespace jobforge::test
