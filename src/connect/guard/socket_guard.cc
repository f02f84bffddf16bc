#include "connect/guard/socket_guard.h"

#include <sys/socket.h>

#include <cerrno>

namespace jobforge::connect {

void SocketGuard::watch(CURL* easy) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, &SocketGuard::open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, this);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, &SocketGuard::before_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
}

bool SocketGuard::refuses(const std::optional<IpAddress>& address) {
    if (!refusal_ && !address) {
        refusal_ = Refusal{std::nullopt, "not an internet address"};
    } else if (!refusal_) {
        if (const auto reason = guard_.refusal(*address)) {
            refusal_ = Refusal{address, std::string(*reason)};
        }
    }
    return refusal_.has_value();
}

curl_socket_t SocketGuard::open_socket(void* self, curlsocktype /*purpose*/,
                                       curl_sockaddr* address) {
    auto& guard = *static_cast<SocketGuard*>(self);
    if (guard.refuses(IpAddress::of(address->addr))) {
        return CURL_SOCKET_BAD;
    }
    const int socket =
        ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    guard.short_of_sockets_ =
        socket < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM);
    return socket;
}

// Also called for a connection that is used again, which opens no socket.
int SocketGuard::before_request(void* self, char* remote, char* /*local*/, int /*remote_port*/,
                                int /*local_port*/) {
    return static_cast<SocketGuard*>(self)->refuses(IpAddress::parse(remote))
               ? CURL_PREREQFUNC_ABORT
               : CURL_PREREQFUNC_OK;
}

}  // namespace jobforge::connect
