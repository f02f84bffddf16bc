// The guard at the place that no spelling of a name evades: where libcurl opens or reuses a socket.
// Internal to the HTTP transport.
#pragma once

#include <optional>
#include <string>

#include <curl/curl.h>

#include "connect/guard/address_guard.h"

namespace jobforge::connect {

// Watches one transfer. After the first address that is refused, every socket of the transfer is:
// curl would otherwise quietly go on with the name's next address.
class SocketGuard final {
public:
    // `guard` must outlive it.
    explicit SocketGuard(const AddressGuard& guard) : guard_(guard) {}
    SocketGuard(const SocketGuard&) = delete;
    SocketGuard& operator=(const SocketGuard&) = delete;

    // Sets the callbacks. The handle must not be used after this object is gone, unless it is
    // reset.
    void watch(CURL* easy);

    struct Refusal {
        std::optional<IpAddress> address;  // nullopt: no internet address at all
        std::string reason;
    };
    [[nodiscard]] const std::optional<Refusal>& refusal() const noexcept { return refusal_; }
    // Whether a socket was missing because this process or machine has no more of them. curl calls
    // that a failed connection, which would be the peer's failure.
    [[nodiscard]] bool short_of_sockets() const noexcept { return short_of_sockets_; }

private:
    [[nodiscard]] bool refuses(const std::optional<IpAddress>& address);
    static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
    static int before_request(void* self, char* remote, char* local, int remote_port,
                              int local_port);

    const AddressGuard& guard_;
    std::optional<Refusal> refusal_;
    bool short_of_sockets_ = false;
};

}  // namespace jobforge::connect
