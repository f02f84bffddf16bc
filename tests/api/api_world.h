// The API without sockets on a real database: two tenants, keys of every role, requests as values.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "api/api_service.h"
#include "engine/database/tenant_calls.h"
#include "test_cluster.h"

namespace jobforge::test {

// What a test knows about an answer.
struct Reply {
    int status = 0;
    std::string body;
    http::Response response;

    [[nodiscard]] Json json() const;
    // A member of the body, or of an object in it ("error.code"), as text; "" if there is none.
    [[nodiscard]] std::string member(std::string_view path) const;
    [[nodiscard]] std::string header(std::string_view name) const;
};

struct Ask {
    std::string key = {};   // "": no Authorization
    std::string body = {};  // JSON unless `media_type` says otherwise
    std::vector<http::Header> headers = {};
    std::string media_type = "application/json";
    std::string address = "192.0.2.1";
};

class ApiWorld : public ::testing::Test {
protected:
    ApiWorld();
    ~ApiWorld() override;

    // Changes what the service is made of: call it before the first request.
    api::ApiServiceOptions& options() { return options_; }
    api::ApiService& service();
    // The next request starts another one.
    void stop_service() { service_.reset(); }

    Reply ask(std::string_view method, std::string_view target, Ask ask);
    Reply get(std::string_view target) { return ask("GET", target, {.key = admin_}); }
    Reply post(std::string_view target, std::string body = {}) {
        return ask("POST", target, {.key = admin_, .body = std::move(body)});
    }
    // A new key of the tenant with these roles: "Admin", "Operator" ...
    std::string make_key(const Uuid& tenant, std::vector<std::string> roles);
    // A new platform key.
    std::string make_platform_key();
    static std::string key_id(const std::string& key);

    // The first column of the first row, as text; "" for none or NULL.
    std::string one(const std::string& sql);
    void run(const std::string& sql);
    // As a tenant's own client.
    engine::TenantCalls calls(const Uuid& tenant);
    // "ACCESS_DENIED ACCESS_DENIED": the types of a key's events.
    std::string events_of_key(const std::string& key);

    TestDatabase database_;
    pg::Connection superuser_;
    Uuid tenant_;
    Uuid other_tenant_;
    std::string admin_;        // a key of tenant_
    std::string other_admin_;  // a key of other_tenant_

    // Whether the last request was sent on to the database without a handler.
    [[nodiscard]] bool begun() const { return begun_; }

private:
    http::Response answer(const http::Plan& plan);

    std::atomic<bool> begun_ = false;  // some tests ask from several threads
    api::ApiServiceOptions options_;
    std::unique_ptr<api::ApiService> service_;
};

}  // namespace jobforge::test
