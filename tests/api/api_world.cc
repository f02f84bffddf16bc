#include "api_world.h"

#include <poll.h>

#include "engine/schema/migrate.h"
#include "http/parse/request_target.h"
#include "services/access/access_admin.h"
#include "services/access/platform_keys.h"

namespace jobforge::test {

namespace {

constexpr std::string_view kPepper = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
constexpr std::string_view kMasterKey = "ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1+f4CBgoM=";
// What a deployment gives the API's login, and nothing more: it acts for tenants.
constexpr std::string_view kLogin =
    "do $$ begin "
    "if not exists (select from pg_roles where rolname = 'api_test') then create role api_test "
    "login; end if; "
    "exception when unique_violation or duplicate_object then null; end $$; "
    "grant jobforge_gateway to api_test";

Status prepare(const std::string& url) {
    if (auto report = engine::migrate(url); !report.ok()) {
        return std::move(report).error();
    }
    auto connection = pg::Connection::connect({.url = url});
    return connection.ok() ? connection->script("api_login", kLogin)
                           : Status(std::move(connection).error());
}

Uuid create_tenant(pg::Connection& connection, const std::string& name) {
    pg::Params params;
    params.text(name);
    auto rows =
        connection.exec({"test_create_tenant", "select jobforge.create_tenant($1)"}, params);
    EXPECT_TRUE(rows.ok()) << rows.error().describe();
    return rows.ok() ? rows->uuid(0, 0) : Uuid{};
}

}  // namespace

Json Reply::json() const {
    auto value = Json::parse(body);
    EXPECT_TRUE(value.ok()) << status << " " << body;
    return value.ok() ? *std::move(value) : Json();
}

std::string Reply::member(std::string_view path) const {
    const Json root = json();
    const Json* at = &root;
    while (at != nullptr && !path.empty()) {
        const std::size_t dot = path.find('.');
        at = at->find(path.substr(0, dot));
        path.remove_prefix(dot == std::string_view::npos ? path.size() : dot + 1);
    }
    if (at == nullptr || at->is_null()) {
        return {};
    }
    const std::string* text = at->as_string();
    return text == nullptr ? at->dump() : *text;
}

std::string Reply::header(std::string_view name) const {
    const std::string* value = http::find_header(response, name);
    return value == nullptr ? std::string() : *value;
}

ApiWorld::ApiWorld() : database_("api_tests", &prepare), superuser_(database_.connect()) {
    tenant_ = create_tenant(superuser_, "acme");
    other_tenant_ = create_tenant(superuser_, "globex");
    options_.database_url = database_.url("api_test");
    options_.pool_size = 4;
    options_.pepper_base64 = kPepper;
    options_.tools.environment = "test";
    options_.tools.signing_key_id = "test-key-1";
    auto box = services::SecretBox::from_base64(kMasterKey);
    EXPECT_TRUE(box.ok());
    options_.tools.secrets = std::make_shared<services::SecretBox>(*std::move(box));
    admin_ = make_key(tenant_, {"Admin"});
    other_admin_ = make_key(other_tenant_, {"Admin"});
}

ApiWorld::~ApiWorld() = default;

api::ApiService& ApiWorld::service() {
    if (!service_) {
        auto started = api::ApiService::start(options_);
        EXPECT_TRUE(started.ok()) << started.error().describe();
        service_ = *std::move(started);
    }
    return *service_;
}

Reply ApiWorld::ask(std::string_view method, std::string_view target, Ask ask) {
    http::Request request;
    request.method = method;
    request.target = target;
    const auto decoded = http::decode_target(target);
    EXPECT_EQ(decoded.fault, "") << target;
    request.path = decoded.path;
    request.query = decoded.query;
    request.correlation_id = "test-request";
    request.remote_address = ask.address;
    request.headers = std::move(ask.headers);
    if (!ask.key.empty()) {
        request.headers.push_back({"authorization", "Bearer " + ask.key});
    }
    if (!ask.body.empty()) {
        request.headers.push_back({"content-type", ask.media_type});
        request.body = std::move(ask.body);
    }
    // As the server does it: the plan first, then the short way or the handler.
    http::Plan plan = service().plan(request);
    Reply reply;
    reply.response = plan.answer_now ? *plan.answer_now : answer(plan);
    reply.status = reply.response.status;
    reply.body = reply.response.body;
    return reply;
}

http::Response ApiWorld::answer(const http::Plan& plan) {
    using State = http::PendingAnswer::State;
    const auto pending = plan.may_begin ? plan.exchange->begin() : nullptr;
    begun_ = pending != nullptr;
    http::Response response;
    State state = pending ? State::waiting : State::handle;
    while (state == State::waiting) {
        pollfd entry{pending->descriptor(), POLLIN, 0};
        EXPECT_EQ(::poll(&entry, 1, 20'000), 1) << "the database does not answer";
        state = pending->resume(response);
    }
    return state == State::ready ? response : plan.exchange->handle();
}

engine::TenantCalls ApiWorld::calls(const Uuid& tenant) {
    engine::TenantCallsOptions options;
    options.database_url = database_.url("api_test");
    options.tenant_id = tenant;
    options.pool_size = 1;
    auto calls = engine::TenantCalls::connect(std::move(options));
    EXPECT_TRUE(calls.ok()) << calls.error().describe();
    return *std::move(calls);
}

std::string ApiWorld::make_key(const Uuid& tenant, std::vector<std::string> roles) {
    const auto pepper = services::Pepper::from_base64(kPepper);
    auto as_tenant = calls(tenant);
    services::NewApiKey key;
    key.name = "of a test";
    key.roles = std::move(roles);
    key.actor_id = "test";
    auto created = services::create_api_key(as_tenant, *pepper, "test", key);
    EXPECT_TRUE(created.ok()) << created.error().describe();
    return created.ok() ? created->text : std::string();
}

std::string ApiWorld::make_platform_key() {
    const auto pepper = services::Pepper::from_base64(kPepper);
    auto created =
        services::create_platform_key(superuser_, *pepper, "test", {.name = "of a test"});
    EXPECT_TRUE(created.ok()) << created.error().describe();
    return created.ok() ? created->text : std::string();
}

std::string ApiWorld::key_id(const std::string& key) {
    auto text = services::ApiKeyText::parse(key);
    EXPECT_TRUE(text.ok()) << key;
    return text.ok() ? text->key_id : std::string();
}

std::string ApiWorld::one(const std::string& sql) {
    auto rows = superuser_.exec({"test_one", "select (" + sql + ")::text"});
    EXPECT_TRUE(rows.ok()) << sql << ": " << rows.error().describe();
    return rows.ok() && !rows->empty() ? rows->opt_text(0, 0).value_or("") : "";
}

void ApiWorld::run(const std::string& sql) {
    const auto done = superuser_.script("test_run", sql);
    EXPECT_TRUE(done.ok()) << sql << ": " << done.error().describe();
}

std::string ApiWorld::events_of_key(const std::string& key) {
    return one(
        "select string_agg(p.payload ->> 'route' || ' ' || (p.payload ->> 'reason'), ', ' order by "
        "e.event_seq) from jobforge.events e cross join lateral (select "
        "convert_from(e.payload_canonical, 'UTF8')::jsonb as payload) p "
        "where e.event_type = 'ACCESS_DENIED' and p.payload ->> 'key_id' = '" +
        key_id(key) + "'");
}

}  // namespace jobforge::test
