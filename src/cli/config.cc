#include "cli/config.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <map>

#include <fmt/format.h>
#include <jobforge/build_info.h>

#include "audit/signed_note.h"
#include "base/text/redact.h"

namespace jobforge::cli {

namespace {

using Kind = Variable::Kind;

constexpr std::array kVariables{
    Variable{
        "BPC_ENV", Kind::choice, "dev", "dev | test | prod",
        "which kind of deployment this is; prod makes no keys, needs the signing key and takes "
        "only https webhooks"},
    Variable{"DATABASE_URL", Kind::secret, "", "a libpq URL or keyword string",
             "the Postgres to use; several hosts for failover"},
    Variable{"BPC_DB_HOST", Kind::text, "", "a host name, address or socket directory",
             "another way to name the Postgres, when DATABASE_URL is not set"},
    Variable{"BPC_DB_PORT", Kind::integer, "5432", "1..65535", "its port", 1, 65535},
    Variable{"BPC_DB_USER", Kind::text, "postgres", "a login", "its login"},
    Variable{"BPC_DB_PASSWORD", Kind::secret, "", "any text", "its password"},
    Variable{"BPC_DB_NAME", Kind::text, "bpc", "a database", "its database"},
    Variable{"BPC_DB_SSLMODE", Kind::choice, "disable",
             "disable | allow | prefer | require | verify-ca | verify-full", "its TLS mode"},
    Variable{"BPC_DB_POOL_SIZE", Kind::integer, "10", "1..100",
             "connections for handlers' transactions", 1, 100},
    Variable{"BPC_HTTP_HOST", Kind::text, "127.0.0.1", "an IP address; 0.0.0.0 or :: for all",
             "address of the HTTP API"},
    Variable{"BPC_HTTP_PORT", Kind::integer, "8080; `up`: a free one", "0..65535",
             "its port; 0: a free one", 0, 65535},
    Variable{"JOBFORGE_HTTP_CONNECTIONS", Kind::integer, "4096", "16..1000000",
             "its connections at a time; fewer where the limit of open files says so", 16, 1000000},
    Variable{"JOBFORGE_HTTP_CONNECTIONS_PER_ADDRESS", Kind::integer, "a quarter of these",
             "1..1000000", "those of one address (IPv6: of one /64 network)", 1, 1000000},
    Variable{"BPC_RATE_LIMIT_ENABLED", Kind::boolean, "false", "true | false",
             "limit the requests of each API key on each node"},
    Variable{"BPC_RATE_LIMIT_RPS", Kind::integer, "50", "1..1000000", "its requests a second", 1,
             1000000},
    Variable{"BPC_RATE_LIMIT_BURST", Kind::integer, "100", "1..1000000",
             "its requests at once after a pause", 1, 1000000},
    Variable{"JOBFORGE_TLS_CERTIFICATE", Kind::text, "",
             "a PEM file, the chain with the leaf first",
             "serve the HTTP API over TLS; read again on SIGHUP"},
    Variable{"JOBFORGE_TLS_KEY", Kind::text, "", "a PEM file", "the certificate's private key"},
    Variable{"BPC_WORKER_ID", Kind::text, "host-pid-random", "1..200 characters",
             "the name a worker registers with"},
    Variable{"BPC_COMPILER_BUILD_ID", Kind::text, "the commit built in", "any text",
             "the build that receipts name"},
    Variable{"BPC_JOBS_POLL_INTERVAL_MS", Kind::integer, "1000", "10..60000",
             "longest pause between two looks of an idle worker", 10, 60000},
    Variable{"BPC_JOBS_LEASE_SECONDS", Kind::integer, "60", "2..86400",
             "how long a job belongs to a worker that does not renew its lease", 2, 86400},
    Variable{"BPC_JOBS_LEASE_RENEW_SECONDS", Kind::integer, "30",
             "1..43200, at most half the lease", "how often a worker renews its leases", 1, 43200},
    Variable{
        "BPC_JOBS_MAX_ATTEMPTS_DEFAULT", Kind::integer, "the type's policy (5)", "1..1000",
        "attempts of jobs that `jobforge enqueue` and the HTTP API enqueue without a number of "
        "their own",
        1, 1000},
    Variable{"BPC_JOBS_CONCURRENCY", Kind::integer, "cores x 4", "1..4096",
             "handlers that run at once", 1, 4096},
    Variable{"BPC_QUEUE_ENABLED", Kind::boolean, "false", "true | false",
             "wake workers through RabbitMQ too"},
    Variable{"BPC_QUEUE_URL", Kind::secret, "amqp://guest:guest@localhost:5672/", "an AMQP URL",
             "the broker"},
    Variable{"BPC_QUEUE_EXCHANGE", Kind::text, "bpc", "a name", "its exchange"},
    Variable{"BPC_QUEUE_ROUTING_KEY", Kind::text, "jobs.trigger", "a routing key",
             "its routing key"},
    Variable{"BPC_HEALTH_REQUIRE_QUEUE", Kind::boolean, "false", "true | false",
             "workers and the API are not ready while the broker is away; needs BPC_QUEUE_ENABLED"},
    Variable{"BPC_PAYLOAD_MAX_BYTES", Kind::integer, "131072", "1024..67108864",
             "largest payload of a compiled passport", 1024, 67108864},
    Variable{"BPC_PROOF_MAX_BYTES", Kind::integer, "524288", "1024..67108864",
             "largest proof of a compiled passport", 1024, 67108864},
    Variable{"BPC_RECEIPT_MAX_BYTES", Kind::integer, "16384", "1024..1048576",
             "largest receipt of a compiled passport", 1024, 1048576},
    Variable{"BPC_SIGNING_ED25519_PRIVATE_KEY_BASE64", Kind::secret,
             "a key of the data directory (not in prod)", "the base64 of a 32-byte seed, or a PEM",
             "the key that signs passports and log heads"},
    Variable{"BPC_SIGNING_KEY_ID", Kind::text, "dev-key-1", "letters, digits, dots, dashes",
             "its name, which receipts carry"},
    Variable{"BPC_SIGNING_KEYS_DIR", Kind::text, "", "a directory",
             "more keys, one file a key id: for rotation"},
    Variable{"JOBFORGE_AUDIT_KEYS", Kind::text, "", "public keys in base64, separated by commas",
             "who may have signed log heads besides this deployment's own keys: `audit verify` and "
             "the log keeper trust them"},
    Variable{"JOBFORGE_LOG_WITNESS_URL", Kind::text, "", "an https URL; http too except in prod",
             "takes each new log head as a POST, so that one is kept elsewhere"},
    Variable{"JOBFORGE_MASTER_KEY_BASE64", Kind::secret, "one of the data directory (not in prod)",
             "the base64 of 32 bytes", "encrypts the webhook secrets that the database keeps"},
    Variable{"BPC_API_KEY_PEPPER_BASE64", Kind::secret, "one of the data directory (not in prod)",
             "the base64 of 32 bytes or more",
             "what the stored hashes of API keys are made with; the same on all nodes"},
    Variable{"BPC_QR_BASE_URL", Kind::text, "", "an http or https URL",
             "QR codes become links to its page /p/PASSPORT; `up` in dev sets it to its API"},
    Variable{"BPC_WEBHOOK_TIMEOUT_SECONDS", Kind::integer, "30", "1..300",
             "longest wait for a webhook's receiver", 1, 300},
    Variable{"JOBFORGE_ALLOW_NETWORKS", Kind::text, "",
             "networks like 127.0.0.0/8, separated by commas",
             "private networks that outgoing calls may reach, by address or by names like "
             "localhost; refused in prod"},
    Variable{"JOBFORGE_ALLOW_DEBUGGER", Kind::boolean, "false", "true | false",
             "other processes of the same user may read the program's memory; refused in prod"},
    Variable{
        "JOBFORGE_SECRETS_DIR", Kind::text, "", "a directory",
        "secrets that jobs may name, one file each; below it a directory a tenant id, for that "
        "tenant alone"},
    Variable{"BPC_LOG_LEVEL", Kind::choice, "info", "debug | info | warn | error",
             "the least important lines that are written"},
    Variable{"BPC_LOG_JSON", Kind::boolean, "true, but false on a terminal", "true | false",
             "log lines as JSON"},
    Variable{"JOBFORGE_ACCESS_LOG", Kind::boolean, "false", "true | false",
             "a JSON line for each request to the HTTP API, whatever the level"},
    Variable{"BPC_METRICS_ENABLED", Kind::boolean, "true", "true | false",
             "serve metrics and health on the worker's port"},
    Variable{"BPC_METRICS_TENANT_LABELS", Kind::boolean, "true", "true | false",
             "a worker's metrics have a series for each tenant_id; false: sums over all tenants"},
    Variable{
        "JOB_LOCK_TIMEOUT_SECONDS", Kind::integer, "300", "2..86400",
        "lease of COLLECT_PRICES jobs; `migrate` and `up` store it as the type's lease_seconds", 2,
        86400},
    Variable{"CACHE_ENABLED", Kind::boolean, "true", "true | false",
             "keep what sources answered in the data directory"},
    Variable{"CACHE_TTL_SECONDS", Kind::integer, "3600", "1..2592000",
             "how long such an answer is used again", 1, 2592000},
    Variable{"JOBFORGE_DATA", Kind::text, "./.jobforge", "a directory",
             "home of the private Postgres"},
    Variable{"JOBFORGE_TENANT", Kind::text, "the only one there is", "a tenant's id or name",
             "the tenant that commands act for"},
};

Error bad_value(const Variable& variable, std::string_view value) {
    const std::string shown =
        variable.kind == Kind::secret ? "(hidden)" : fmt::format("\"{}\"", value);
    return Error::of(
        ErrorCode::CONFIG_MISSING,
        fmt::format("{} is {}, which is not {}", variable.name, shown, variable.allowed));
}

std::optional<std::int64_t> to_integer(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return number;
}

std::optional<bool> to_boolean(std::string_view text) {
    if (text == "true" || text == "1" || text == "yes" || text == "on") {
        return true;
    }
    if (text == "false" || text == "0" || text == "no" || text == "off") {
        return false;
    }
    return std::nullopt;
}

bool is_choice(std::string_view choices, std::string_view value) {
    while (!choices.empty()) {
        const std::size_t bar = choices.find(" | ");
        if (choices.substr(0, bar) == value) {
            return true;
        }
        choices = bar == std::string_view::npos ? std::string_view() : choices.substr(bar + 3);
    }
    return false;
}

bool is_allowed(const Variable& variable, std::string_view value) {
    switch (variable.kind) {
        case Kind::integer: {
            const auto number = to_integer(value);
            return number && *number >= variable.least && *number <= variable.most;
        }
        case Kind::boolean:
            return to_boolean(value).has_value();
        case Kind::choice:
            return is_choice(variable.allowed, value);
        case Kind::text:
        case Kind::secret:
            break;
    }
    const bool is_key = variable.name == "BPC_SIGNING_ED25519_PRIVATE_KEY_BASE64";  // may be a PEM
    return (is_key || value.find('\n') == std::string_view::npos) &&
           (variable.name != "BPC_WORKER_ID" || value.size() <= 200);
}

std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                           (byte >= 'A' && byte <= 'Z') || c == '-' || c == '_' || c == '.' ||
                           c == '~';
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return out;
}

// The values that are set, all known to be allowed.
class Values final {
public:
    [[nodiscard]] static Result<Values> read(const Environment& environment) {
        Values values;
        for (const Variable& variable : kVariables) {
            auto value = environment(variable.name);
            if (!value || value->empty()) {
                continue;
            }
            if (!is_allowed(variable, *value)) {
                return bad_value(variable, *value);
            }
            values.set_.emplace(variable.name, *std::move(value));
        }
        return values;
    }

    [[nodiscard]] bool has(std::string_view name) const { return set_.contains(name); }
    [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise) const {
        const auto found = set_.find(name);
        return found == set_.end() ? std::string(otherwise) : found->second;
    }
    [[nodiscard]] int integer(std::string_view name, int otherwise) const {
        const auto found = set_.find(name);
        return found == set_.end() ? otherwise : static_cast<int>(*to_integer(found->second));
    }
    [[nodiscard]] std::size_t size(std::string_view name, std::size_t otherwise) const {
        const auto found = set_.find(name);
        return found == set_.end() ? otherwise
                                   : static_cast<std::size_t>(*to_integer(found->second));
    }
    [[nodiscard]] bool boolean(std::string_view name, bool otherwise) const {
        const auto found = set_.find(name);
        return found == set_.end() ? otherwise : *to_boolean(found->second);
    }

private:
    std::map<std::string, std::string, std::less<>> set_;
};

std::string database_url(const Values& values) {
    if (values.has("DATABASE_URL") || !values.has("BPC_DB_HOST")) {
        return values.text("DATABASE_URL", "");
    }
    std::string login = percent_encoded(values.text("BPC_DB_USER", "postgres"));
    if (values.has("BPC_DB_PASSWORD")) {
        login += ":" + percent_encoded(values.text("BPC_DB_PASSWORD", ""));
    }
    return fmt::format("postgresql://{}@{}:{}/{}?sslmode={}", login,
                       percent_encoded(values.text("BPC_DB_HOST", "")),
                       values.integer("BPC_DB_PORT", 5432),
                       percent_encoded(values.text("BPC_DB_NAME", "bpc")),
                       values.text("BPC_DB_SSLMODE", "disable"));
}

LogLevel log_level(const std::string& name) {
    if (name == "debug") {
        return LogLevel::debug;
    }
    if (name == "warn") {
        return LogLevel::warn;
    }
    if (name == "error") {
        return LogLevel::error;
    }
    return LogLevel::info;
}

void read_jobs(const Values& values, Config& config) {
    config.pool_size = values.integer("BPC_DB_POOL_SIZE", config.pool_size);
    config.worker_id = values.text("BPC_WORKER_ID", "");
    config.build_id = values.text("BPC_COMPILER_BUILD_ID", build_commit());
    config.poll_interval =
        std::chrono::milliseconds(values.integer("BPC_JOBS_POLL_INTERVAL_MS", 1000));
    config.lease = std::chrono::seconds(values.integer("BPC_JOBS_LEASE_SECONDS", 60));
    // A shorter lease alone must not need a second variable.
    const int renew = std::min(30, static_cast<int>(config.lease.count() / 2));
    config.lease_renew =
        std::chrono::seconds(values.integer("BPC_JOBS_LEASE_RENEW_SECONDS", renew));
    if (values.has("BPC_JOBS_MAX_ATTEMPTS_DEFAULT")) {
        config.max_attempts = values.integer("BPC_JOBS_MAX_ATTEMPTS_DEFAULT", 5);
    }
    config.cache_enabled = values.boolean("CACHE_ENABLED", true);
    config.cache_ttl = std::chrono::seconds(values.integer("CACHE_TTL_SECONDS", 3600));
    if (values.has("JOB_LOCK_TIMEOUT_SECONDS")) {
        config.source_lease = std::chrono::seconds(values.integer("JOB_LOCK_TIMEOUT_SECONDS", 300));
    }
    config.slots = values.integer("BPC_JOBS_CONCURRENCY", 0);
}

void read_surroundings(const Values& values, Config& config) {
    config.environment = values.text("BPC_ENV", config.environment);
    config.environment_given = values.has("BPC_ENV");
    config.database_url = database_url(values);
    config.queue_enabled = values.boolean("BPC_QUEUE_ENABLED", false);
    config.queue_url = values.text("BPC_QUEUE_URL", config.queue_url);
    config.queue_exchange = values.text("BPC_QUEUE_EXCHANGE", config.queue_exchange);
    config.queue_routing_key = values.text("BPC_QUEUE_ROUTING_KEY", config.queue_routing_key);
    config.health_requires_queue = values.boolean("BPC_HEALTH_REQUIRE_QUEUE", false);
    config.log_level = log_level(values.text("BPC_LOG_LEVEL", "info"));
    if (values.has("BPC_LOG_JSON")) {
        config.log_json = values.boolean("BPC_LOG_JSON", true);
    }
    config.access_log = values.boolean("JOBFORGE_ACCESS_LOG", false);
    config.allow_debugger = values.boolean("JOBFORGE_ALLOW_DEBUGGER", false);
    config.metrics_enabled = values.boolean("BPC_METRICS_ENABLED", true);
    config.metrics_by_tenant = values.boolean("BPC_METRICS_TENANT_LABELS", true);
    config.data_dir = values.text("JOBFORGE_DATA", config.data_dir);
    config.tenant = values.text("JOBFORGE_TENANT", "");
}

void read_http(const Values& values, Config& config) {
    config.http_host = values.text("BPC_HTTP_HOST", config.http_host);
    if (values.has("BPC_HTTP_PORT")) {
        config.http_port = values.integer("BPC_HTTP_PORT", 0);
    }
    config.http_connections = values.size("JOBFORGE_HTTP_CONNECTIONS", config.http_connections);
    config.http_connections_per_address = values.size("JOBFORGE_HTTP_CONNECTIONS_PER_ADDRESS", 0);
    config.rate_limit_enabled = values.boolean("BPC_RATE_LIMIT_ENABLED", false);
    config.rate_limit_rps = values.integer("BPC_RATE_LIMIT_RPS", config.rate_limit_rps);
    config.rate_limit_burst = values.integer("BPC_RATE_LIMIT_BURST", config.rate_limit_burst);
    config.tls_certificate = values.text("JOBFORGE_TLS_CERTIFICATE", "");
    config.tls_key = values.text("JOBFORGE_TLS_KEY", "");
}

void read_passports(const Values& values, Config& config) {
    config.payload_max_bytes = values.size("BPC_PAYLOAD_MAX_BYTES", config.payload_max_bytes);
    config.proof_max_bytes = values.size("BPC_PROOF_MAX_BYTES", config.proof_max_bytes);
    config.receipt_max_bytes = values.size("BPC_RECEIPT_MAX_BYTES", config.receipt_max_bytes);
    config.signing_key_id = values.text("BPC_SIGNING_KEY_ID", config.signing_key_id);
    config.signing_private_key = values.text("BPC_SIGNING_ED25519_PRIVATE_KEY_BASE64", "");
    config.signing_keys_dir = values.text("BPC_SIGNING_KEYS_DIR", "");
    config.master_key = values.text("JOBFORGE_MASTER_KEY_BASE64", "");
    config.api_key_pepper = values.text("BPC_API_KEY_PEPPER_BASE64", "");
    config.secrets_dir = values.text("JOBFORGE_SECRETS_DIR", "");
    config.qr_base_url = values.text("BPC_QR_BASE_URL", "");
    config.webhook_timeout =
        std::chrono::seconds(values.integer("BPC_WEBHOOK_TIMEOUT_SECONDS", 30));
}

Status read_audit(const Values& values, Config& config) {
    const std::string keys = values.text("JOBFORGE_AUDIT_KEYS", "");
    for (std::size_t begin = 0; !keys.empty() && begin <= keys.size();) {
        const std::size_t comma = std::min(keys.find(',', begin), keys.size());
        const auto key = parse_public_key(std::string_view(keys).substr(begin, comma - begin));
        if (!key.ok()) {
            return Error::of(ErrorCode::CONFIG_MISSING,
                             "JOBFORGE_AUDIT_KEYS: " + key.error().message);
        }
        config.audit_keys.push_back(*key);
        begin = comma + 1;
    }
    config.log_witness_url = values.text("JOBFORGE_LOG_WITNESS_URL", "");
    const bool plain = config.log_witness_url.starts_with("http://");
    if (!config.log_witness_url.empty() && !config.log_witness_url.starts_with("https://") &&
        (!plain || config.environment == "prod")) {
        return Error::of(ErrorCode::CONFIG_MISSING, "JOBFORGE_LOG_WITNESS_URL is not an https URL");
    }
    return ok_status();
}

Status read_networks(const Values& values, Config& config) {
    const std::string list = values.text("JOBFORGE_ALLOW_NETWORKS", "");
    auto networks = connect::parse_networks(list);
    if (!networks.ok()) {
        return Error::of(ErrorCode::CONFIG_MISSING,
                         "JOBFORGE_ALLOW_NETWORKS: " + networks.error().message);
    }
    if (config.environment == "prod" && (!networks->empty() || config.allow_debugger)) {
        return Error::of(ErrorCode::CONFIG_MISSING,
                         "JOBFORGE_ALLOW_NETWORKS and _DEBUGGER are for "
                         "development, not for BPC_ENV=prod");
    }
    config.allowed_networks = *std::move(networks);
    return ok_status();
}

// A broker that is not used cannot be required.
Status check_queue(const Config& config) {
    if (config.health_requires_queue && !config.queue_enabled) {
        return Error::of(ErrorCode::CONFIG_MISSING,
                         "BPC_HEALTH_REQUIRE_QUEUE is true, but there is no queue to require: set "
                         "BPC_QUEUE_ENABLED=true too, or unset it");
    }
    return ok_status();
}

}  // namespace

std::span<const Variable> variables() noexcept {
    return kVariables;
}

Result<Ed25519PublicKey> parse_public_key(std::string_view text) {
    if (auto key = Ed25519PublicKey::parse(text); key.ok()) {
        return key;
    }
    while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) {
        text.remove_prefix(1);
    }
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) {
        text.remove_suffix(1);
    }
    auto named = parse_note_verifier_key(text);
    return named.ok() ? Result<Ed25519PublicKey>(named->key)
                      : Result<Ed25519PublicKey>(std::move(named).error());
}

std::vector<std::string> Config::secrets() const {
    std::vector<std::string> all = passwords_in_url(database_url);
    // The default is not a secret, and blanking "guest" out of every line would hurt.
    if (queue_url != Config().queue_url) {
        for (std::string& password : passwords_in_url(queue_url)) {
            all.push_back(std::move(password));
        }
    }
    for (const std::string& key : {signing_private_key, master_key, api_key_pepper}) {
        if (!key.empty()) {
            all.push_back(key);
        }
    }
    for (const auto& [name, secret] : named_secrets) {
        all.push_back(secret);
    }
    return all;
}

Environment process_environment() {
    return [](std::string_view name) -> std::optional<std::string> {
        // The environment of this program does not change while it runs.
        const char* value =
            std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
}

std::map<std::string, std::string> process_secrets() {
    constexpr std::string_view kPrefix = "JOBFORGE_SECRET_";
    std::map<std::string, std::string> secrets;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const auto equals = text.find('=');
        if (text.starts_with(kPrefix) && equals != std::string_view::npos) {
            secrets.emplace(text.substr(kPrefix.size(), equals - kPrefix.size()),
                            text.substr(equals + 1));
        }
    }
    return secrets;
}

Result<Config> read_config(const Environment& environment) {
    auto values = Values::read(environment);
    if (!values.ok()) {
        return std::move(values).error();
    }
    Config config;
    read_jobs(*values, config);
    read_surroundings(*values, config);
    read_passports(*values, config);
    read_http(*values, config);
    if (auto networks = read_networks(*values, config); !networks.ok()) {
        return std::move(networks).error();
    }
    if (auto audit = read_audit(*values, config); !audit.ok()) {
        return std::move(audit).error();
    }
    if (auto lease = check_lease(config.lease, config.lease_renew); !lease.ok()) {
        return std::move(lease).error();
    }
    if (auto queue = check_queue(config); !queue.ok()) {
        return std::move(queue).error();
    }
    return config;
}

Status check_lease(std::chrono::seconds lease, std::chrono::seconds renew) {
    if (renew * 2 <= lease) {
        return ok_status();
    }
    return Error::of(ErrorCode::CONFIG_MISSING,
                     fmt::format("BPC_JOBS_LEASE_RENEW_SECONDS is {}, which is more than half the "
                                 "lease (BPC_JOBS_LEASE_SECONDS {})",
                                 renew.count(), lease.count()));
}

}  // namespace jobforge::cli
