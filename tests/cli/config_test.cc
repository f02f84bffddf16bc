// The environment: every variable documented, every bad value refused by name.
#include "cli/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "cli/serve/service_run.h"
#include "test_paths.h"

namespace jobforge::cli {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Result<Config> read(std::map<std::string, std::string, std::less<>> values) {
    return read_config([values = std::move(values)](std::string_view name) {
        const auto found = values.find(name);
        return found == values.end() ? std::nullopt : std::optional(found->second);
    });
}

TEST(Config, an_empty_environment_gives_the_defaults) {
    auto config = read({});
    ASSERT_TRUE(config.ok());
    EXPECT_EQ(config->database_url, "");
    EXPECT_EQ(config->lease.count(), 60);
    EXPECT_EQ(config->lease_renew.count(), 30);
    EXPECT_FALSE(config->max_attempts.has_value());
    EXPECT_FALSE(config->queue_enabled);
}

TEST(Config, the_database_is_made_of_its_parts_with_everything_escaped) {
    auto config = read({{"BPC_DB_HOST", "db"}, {"BPC_DB_PASSWORD", "p@ss/w:rd"}});
    ASSERT_TRUE(config.ok());
    EXPECT_EQ(config->database_url,
              "postgresql://postgres:p%40ss%2Fw%3Ard@db:5432/bpc?sslmode=disable");
    EXPECT_THAT(config->secrets(), Contains("p@ss/w:rd"));
}

TEST(Config, every_number_and_choice_refuses_what_is_outside_and_names_the_variable) {
    for (const Variable& variable : variables()) {
        std::vector<std::string> bad;
        if (variable.kind == Variable::Kind::integer) {
            bad = {"x", "1.5", std::to_string(variable.least - 1),
                   std::to_string(variable.most + 1)};
        } else if (variable.kind == Variable::Kind::boolean ||
                   variable.kind == Variable::Kind::choice) {
            bad = {"perhaps"};
        }
        for (const std::string& value : bad) {
            auto refused = read({{std::string(variable.name), value}});
            ASSERT_FALSE(refused.ok()) << variable.name << "=" << value;
            EXPECT_EQ(refused.error().code, ErrorCode::CONFIG_MISSING);
            EXPECT_THAT(refused.error().message, HasSubstr(std::string(variable.name)));
            EXPECT_THAT(refused.error().message, HasSubstr(std::string(variable.allowed)));
        }
    }
}

TEST(Config, a_bad_secret_is_not_repeated) {
    auto refused = read({{"DATABASE_URL", "postgresql://u:topsecret@h/\nx"}});
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message, Not(HasSubstr("topsecret")));
}

TEST(Config, a_renewal_may_take_at_most_half_the_lease) {
    EXPECT_TRUE(read({{"BPC_JOBS_LEASE_SECONDS", "10"}}).ok());
    EXPECT_FALSE(read({{"BPC_JOBS_LEASE_RENEW_SECONDS", "31"}}).ok());
}

TEST(Config, private_networks_are_for_development) {
    auto config = read({{"JOBFORGE_ALLOW_NETWORKS", "127.0.0.0/8, ::1/128"}});
    ASSERT_TRUE(config.ok()) << config.error().message;
    EXPECT_EQ(config->allowed_networks.size(), 2U);
    const auto wrong = read({{"JOBFORGE_ALLOW_NETWORKS", "127.0.0.1/8"}});
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().code, ErrorCode::CONFIG_MISSING);
    EXPECT_THAT(wrong.error().message, HasSubstr("JOBFORGE_ALLOW_NETWORKS"));
    const auto prod = read({{"BPC_ENV", "prod"}, {"JOBFORGE_ALLOW_NETWORKS", "127.0.0.0/8"}});
    ASSERT_FALSE(prod.ok());
    EXPECT_EQ(prod.error().code, ErrorCode::CONFIG_MISSING);
}

TEST(Config, a_debugger_is_for_development) {
    EXPECT_FALSE(read({})->allow_debugger);
    EXPECT_TRUE(read({{"JOBFORGE_ALLOW_DEBUGGER", "true"}})->allow_debugger);
    EXPECT_FALSE(read({{"BPC_ENV", "prod"}, {"JOBFORGE_ALLOW_DEBUGGER", "true"}}).ok());
}

TEST(Config, keys_for_the_audit_are_public_keys) {
    const std::string key = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";
    const auto config = read(
        {{"JOBFORGE_AUDIT_KEYS", key + ", jobforge/0191d3a0-7c11-7000-8000-000000000001+bd112828+"
                                       "AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4"}});
    ASSERT_TRUE(config.ok()) << config.error().message;
    ASSERT_EQ(config->audit_keys.size(), 2U);
    EXPECT_EQ(config->audit_keys[0], config->audit_keys[1]);
    for (const std::string& wrong : {key + ",", key + ",nonsense", std::string("AAAA")}) {
        const auto refused = read({{"JOBFORGE_AUDIT_KEYS", wrong}});
        ASSERT_FALSE(refused.ok()) << wrong;
        EXPECT_EQ(refused.error().code, ErrorCode::CONFIG_MISSING);
        EXPECT_THAT(refused.error().message, HasSubstr("JOBFORGE_AUDIT_KEYS"));
    }
}

TEST(Config, the_witness_of_logs_is_reached_over_https) {
    EXPECT_TRUE(read({{"JOBFORGE_LOG_WITNESS_URL", "https://witness.example/"}}).ok());
    EXPECT_TRUE(read({{"JOBFORGE_LOG_WITNESS_URL", "http://127.0.0.1:1/"}}).ok());
    for (const std::string url : {"http://witness.example/", "witness.example", "ftp://w/"}) {
        const auto prod = read({{"BPC_ENV", "prod"}, {"JOBFORGE_LOG_WITNESS_URL", url}});
        ASSERT_FALSE(prod.ok()) << url;
        EXPECT_THAT(prod.error().message, HasSubstr("JOBFORGE_LOG_WITNESS_URL"));
    }
}

TEST(Config, a_broker_that_is_not_used_cannot_be_required) {
    const auto refused = read({{"BPC_HEALTH_REQUIRE_QUEUE", "true"}});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::CONFIG_MISSING);
    EXPECT_THAT(refused.error().message, HasSubstr("BPC_QUEUE_ENABLED=true"));
    const auto both = read({{"BPC_HEALTH_REQUIRE_QUEUE", "true"}, {"BPC_QUEUE_ENABLED", "true"}});
    ASSERT_TRUE(both.ok());
    EXPECT_TRUE(both->health_requires_queue);
}

TEST(Config, the_label_of_the_tenant_reaches_the_workers_metrics) {
    const Services services;
    Context context(services);
    EXPECT_TRUE(worker_options(context, "url").tenant_metrics);
    context.config = read({{"BPC_METRICS_TENANT_LABELS", "false"}}).value();
    EXPECT_FALSE(worker_options(context, "url").tenant_metrics);
}

TEST(Config, keys_are_secrets) {
    auto config = read({{"BPC_SIGNING_ED25519_PRIVATE_KEY_BASE64", "planted-signing-key"},
                        {"JOBFORGE_MASTER_KEY_BASE64", "planted-master-key"},
                        {"BPC_API_KEY_PEPPER_BASE64", "planted-pepper"}});
    ASSERT_TRUE(config.ok());
    EXPECT_THAT(config->secrets(), Contains("planted-signing-key"));
    EXPECT_THAT(config->secrets(), Contains("planted-master-key"));
    EXPECT_THAT(config->secrets(), Contains("planted-pepper"));
}

TEST(Config, the_documented_table_is_the_table_of_the_code) {
    std::ifstream file(std::string(JOBFORGE_SOURCE_DIR) + "/docs/configuration.md");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    std::size_t rows = 0;
    for (std::size_t at = text.find("\n| `"); at != std::string::npos;
         at = text.find("\n| `", at + 1)) {
        ++rows;
    }
    EXPECT_EQ(rows, variables().size());
    for (const Variable& variable : variables()) {
        std::string allowed(variable.allowed);
        for (std::size_t at = allowed.find(" | "); at != std::string::npos;
             at = allowed.find(" | ", at)) {
            allowed.replace(at, 3, ", ");
        }
        EXPECT_THAT(text, HasSubstr(fmt::format(
                              "| `{}` | {} | {} | {} |\n", variable.name,
                              variable.default_value.empty() ? "none" : variable.default_value,
                              allowed, variable.meaning)));
    }
}

}  // namespace
}  // namespace jobforge::cli
