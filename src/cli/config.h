// The environment, read once, checked completely before anything is touched.
//
// One table (variables()) says which variables there are, their defaults, ranges and meaning;
// docs/configuration.md shows the same table and a test compares the two. A bad value is
// CONFIG_MISSING with one sentence: the variable, its value (never a secret's) and what is allowed.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>
#include <jobforge/log.h>

#include "base/crypto/ed25519.h"
#include "connect/guard/ip_address.h"

namespace jobforge::cli {

struct Variable {
    enum class Kind { text, secret, integer, boolean, choice };
    std::string_view name;
    Kind kind;
    std::string_view default_value;  // as the documents show it; "" for none
    std::string_view allowed;        // for people; choices separated by " | "
    std::string_view meaning;
    std::int64_t least = 0;  // of integers
    std::int64_t most = 0;
};
[[nodiscard]] std::span<const Variable> variables() noexcept;

// A public key as people have it: base64, hex, PEM, or a verifier key of a signed note.
// INVALID_SIGNING_KEY.
[[nodiscard]] Result<Ed25519PublicKey> parse_public_key(std::string_view text);

struct Config {
    std::string environment = "dev";
    bool environment_given = false;  // else it is the default
    std::string database_url;        // DATABASE_URL or made of BPC_DB_*; empty: neither is set
    int pool_size = 10;
    std::string http_host = "127.0.0.1";
    std::optional<int> http_port;  // nullopt: 8080, of `up` a free one
    std::size_t http_connections = 4096;
    std::size_t http_connections_per_address = 0;  // 0: a quarter of them
    bool rate_limit_enabled = false;
    int rate_limit_rps = 50;
    int rate_limit_burst = 100;
    std::string tls_certificate;  // PEM files; both or neither
    std::string tls_key;
    std::string worker_id;  // empty: generated
    std::string build_id;
    std::chrono::milliseconds poll_interval{1000};
    std::chrono::seconds lease{60};
    std::chrono::seconds lease_renew{30};
    std::optional<int> max_attempts;  // of jobs that are enqueued; nullopt: the type's
    std::optional<std::chrono::seconds> source_lease;  // of COLLECT_PRICES; nullopt: the type's
    bool cache_enabled = true;                         // of what sources answer
    std::chrono::seconds cache_ttl{3600};
    int slots = 0;  // 0: cores x 4
    bool queue_enabled = false;
    std::string queue_url = "amqp://guest:guest@localhost:5672/";
    std::string queue_exchange = "bpc";
    std::string queue_routing_key = "jobs.trigger";
    bool health_requires_queue = false;
    std::size_t payload_max_bytes = 131'072;
    std::size_t proof_max_bytes = 524'288;
    std::size_t receipt_max_bytes = 16'384;
    std::string signing_key_id = "dev-key-1";  // signs what this program compiles from now on
    std::string signing_private_key;           // a secret; empty: see signing_keys_dir
    std::string signing_keys_dir;
    std::vector<Ed25519PublicKey> audit_keys;          // other signers of log heads
    std::string log_witness_url;                       // takes new log heads; empty: none
    std::string master_key;                            // a secret; encrypts stored webhook secrets
    std::string api_key_pepper;                        // a secret; empty: see access_service.h
    std::string secrets_dir;                           // of secrets that jobs may name; empty: none
    std::map<std::string, std::string> named_secrets;  // JOBFORGE_SECRET_<NAME>, by NAME
    std::string qr_base_url;                           // empty: QR codes say BPC1|...
    std::chrono::seconds webhook_timeout{30};
    std::vector<connect::Network> allowed_networks;  // private ones that may be called
    LogLevel log_level = LogLevel::info;
    std::optional<bool> log_json;  // nullopt: unless standard error is a terminal
    bool access_log = false;
    bool allow_debugger = false;
    bool metrics_enabled = true;
    bool metrics_by_tenant = true;  // tenant_id labels
    std::string data_dir = "./.jobforge";
    std::string tenant;  // id or name; empty: the only one there is

    // What must never be written anywhere.
    [[nodiscard]] std::vector<std::string> secrets() const;
};

// A variable's value; nullopt: not set. An empty value counts as not set.
using Environment = std::function<std::optional<std::string>(std::string_view)>;
[[nodiscard]] Environment process_environment();
// Every JOBFORGE_SECRET_<NAME> of this process, by NAME.
[[nodiscard]] std::map<std::string, std::string> process_secrets();

[[nodiscard]] Result<Config> read_config(const Environment& environment);

// The lease is renewed at most every half of it, or a single lost renewal would lose it.
[[nodiscard]] Status check_lease(std::chrono::seconds lease, std::chrono::seconds renew);

}  // namespace jobforge::cli
