#include "wire_proxy.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include <fmt/format.h>

#include "test_cluster.h"

namespace jobforge::test {

namespace {

[[noreturn]] void give_up(const std::string& what) {
    std::fprintf(stderr, "wire proxy: %s\n", what.c_str());
    std::abort();
}

int connect_unix(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(fd);
        return -1;
    }
    return fd;
}

int connect_tcp(const std::string& host, const std::string& port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) {
        return -1;
    }
    const int fd = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int connected = ::connect(fd, found->ai_addr, found->ai_addrlen);
    ::freeaddrinfo(found);
    if (connected != 0) {
        ::close(fd);
        return -1;
    }
    return fd;
}

int connect_server(const std::string& url) {
    auto server = connection_keywords(url);
    const std::string port = server["port"].empty() ? "5432" : server["port"];
    return server["host"].starts_with('/')
               ? connect_unix(fmt::format("{}/.s.PGSQL.{}", server["host"], port))
               : connect_tcp(server["host"], port);
}

bool send_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

// Cuts a stream into messages: a type byte (missing in a client's first message) and a length that
// counts itself.
class Messages final {
public:
    explicit Messages(bool starts_untyped) : untyped_(starts_untyped) {}

    // Calls `take(type, whole message)` for every complete message; stops when it answers false.
    bool feed(std::string_view bytes, const std::function<bool(char, std::string_view)>& take) {
        buffer_ += bytes;
        std::size_t at = 0;
        bool goes_on = true;
        while (goes_on) {
            const std::size_t head = untyped_ ? 0 : 1;
            if (buffer_.size() - at < head + 4) {
                break;
            }
            const std::size_t size = head + length_at(at + head);
            if (buffer_.size() - at < size) {
                break;
            }
            const char type = untyped_ ? '\0' : buffer_[at];
            goes_on = take(type, std::string_view(buffer_).substr(at, size));
            untyped_ = false;
            at += size;
        }
        buffer_.erase(0, at);
        return goes_on;
    }

private:
    [[nodiscard]] std::size_t length_at(std::size_t at) const {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            length = length << 8 | static_cast<unsigned char>(buffer_[at + i]);
        }
        return length;
    }

    bool untyped_;
    std::string buffer_;
};

}  // namespace

// One client and its connection to the server.
class WireProxy::Link final {
public:
    Link(WireProxy& proxy, int client, int server)
        : proxy_(proxy),
          client_(client),
          server_(server),
          upstream_([this] { pump(client_, server_, Messages(true), &Link::from_client); }),
          downstream_([this] { pump(server_, client_, Messages(false), &Link::from_server); }) {}
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link() {
        hang_up();
        upstream_.join();
        downstream_.join();
        ::close(client_);
        ::close(server_);
    }

private:
    using Take = bool (Link::*)(char type, std::string_view message);

    void pump(int from, int to, Messages messages, Take take) {
        std::array<char, 65536> buffer;
        while (true) {
            const ssize_t got = ::recv(from, buffer.data(), buffer.size(), 0);
            if (got <= 0) {
                break;
            }
            const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
            const bool goes_on = messages.feed(bytes, [&](char type, std::string_view message) {
                return (this->*take)(type, message) &&
                       (swallow_ && from == server_ ? true : send_all(to, message));
            });
            if (!goes_on) {
                break;
            }
        }
        hang_up();
    }

    // P Parse, B Bind and Q Query name a statement; E Execute and Q Query run it.
    bool from_client(char type, std::string_view message) {
        if (type == 'P' || type == 'B' || type == 'Q') {
            matches_ = proxy_.take_shot(message, lost_) || matches_;
        }
        if (!matches_ || (type != 'E' && type != 'Q')) {
            return true;
        }
        if (lost_ == Lost::request) {
            ++proxy_.cuts_;
            return false;
        }
        swallow_ = true;
        return true;
    }

    // Z ReadyForQuery: everything up to here has happened; 'I': and no transaction is open.
    bool from_server(char type, std::string_view message) {
        if (!swallow_ || type != 'Z') {
            return true;
        }
        if (message.back() != 'I') {
            give_up("the statement did not end its transaction");
        }
        ++proxy_.cuts_;
        return false;
    }

    void hang_up() const {
        ::shutdown(client_, SHUT_RDWR);
        ::shutdown(server_, SHUT_RDWR);
    }

    WireProxy& proxy_;
    int client_;
    int server_;
    bool matches_ = false;  // of the client's thread, like lost_
    Lost lost_ = Lost::answer;
    std::atomic<bool> swallow_ = false;
    std::thread upstream_;
    std::thread downstream_;
};

WireProxy::WireProxy(const std::string& server_url) : server_url_(server_url) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
        ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        give_up("cannot listen");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_clients(); });
}

WireProxy::~WireProxy() {
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    links_.clear();
}

std::string WireProxy::url(const std::string& direct_url) const {
    auto direct = connection_keywords(direct_url);
    return fmt::format(
        "host=127.0.0.1 port={} user='{}' dbname='{}' sslmode=disable gssencmode=disable", port_,
        direct["user"], direct["dbname"]);
}

void WireProxy::cut_at(std::string text, Lost lost) {
    const std::lock_guard guard(mutex_);
    wanted_ = std::move(text);
    lost_ = lost;
}

bool WireProxy::take_shot(std::string_view message, Lost& lost) {
    const std::lock_guard guard(mutex_);
    if (wanted_.empty() || message.find(wanted_) == std::string_view::npos) {
        return false;
    }
    wanted_.clear();
    lost = lost_;
    return true;
}

void WireProxy::accept_clients() {
    while (true) {
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) {
            return;
        }
        const int server = connect_server(server_url_);
        if (server < 0) {
            ::close(client);
            continue;
        }
        links_.push_back(std::make_unique<Link>(*this, client, server));
    }
}

}  // namespace jobforge::test
