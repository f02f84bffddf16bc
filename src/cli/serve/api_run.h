// The HTTP API with its surroundings (broker, keys) as commands start it: what `api` and `up`
// share.
#pragma once

#include <memory>
#include <string>

#include "cli/context.h"

namespace jobforge::cli {

// Threads: the main one. Ends in its destructor, after draining.
class ApiRun final {
public:
    // CONFIG_MISSING, DB_UNAVAILABLE, and what listening can fail with.
    [[nodiscard]] static Result<std::unique_ptr<ApiRun>> start(const Context& context,
                                                               const std::string& database_url,
                                                               int port);
    ApiRun(const ApiRun&) = delete;
    ApiRun& operator=(const ApiRun&) = delete;
    ~ApiRun();

    // "http://127.0.0.1:8080".
    [[nodiscard]] std::string url() const;
    [[nodiscard]] ApiServer& server() noexcept { return *server_; }

private:
    explicit ApiRun(const Context& context) : context_(context) {}
    [[nodiscard]] Status start_trigger();

    const Context& context_;
    std::unique_ptr<Trigger> trigger_;
    std::unique_ptr<ApiServer> server_;
};

}  // namespace jobforge::cli
