// The API behind its server: what a client sees over a real socket.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "../http/http_server_world.h"
#include "api_world.h"
#include "http/server/http_server.h"

namespace jobforge::test {

class ApiHttpWorld : public ApiWorld {
protected:
    ~ApiHttpWorld() override {
        if (server_) {
            server_->stop();  // it calls the service until then
        }
    }

    // Started with the first call, with what `change_server` makes of its options.
    http::Server& server();
    std::function<void(http::ServerOptions&)> change_server;
    int port() { return server().port(); }
    // One request on a connection of its own; `headers` end with a line break each.
    HttpReply ask_http(std::string_view target, std::string_view headers = {},
                       std::string_view method = "GET");

    // Before the first call of server().
    std::chrono::milliseconds pending_timeout_{10'000};

private:
    std::unique_ptr<http::Server> server_;
};

}  // namespace jobforge::test
