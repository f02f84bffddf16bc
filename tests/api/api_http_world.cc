#include "api_http_world.h"

#include <fmt/format.h>

namespace jobforge::test {

http::Server& ApiHttpWorld::server() {
    if (!server_) {
        http::ServerOptions options;
        options.party_slots = api::ApiService::party_slots(this->options().pool_size);
        options.handler_threads = api::ApiService::handler_threads(this->options().pool_size);
        options.pending_timeout = pending_timeout_;
        // Comments would keep a client waiting for ever for an event that does not come.
        options.stream_keep_alive = std::chrono::hours(1);
        if (change_server) {
            change_server(options);
        }
        server_ = std::move(http::Server::start(service(), std::move(options))).value();
    }
    return *server_;
}

HttpReply ApiHttpWorld::ask_http(std::string_view target, std::string_view headers,
                                 std::string_view method) {
    HttpConnection connection(port());
    connection.send(request_text(method, target, fmt::format("Connection: close\r\n{}", headers)));
    return connection.receive();
}

}  // namespace jobforge::test
