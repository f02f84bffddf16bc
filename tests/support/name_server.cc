#include "name_server.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace jobforge::test {

namespace {

constexpr std::size_t kHeader = 12;

// The name in a query's question, and where the question ends.
std::pair<std::string, std::size_t> question_of(const std::string& query) {
    std::string name;
    std::size_t at = kHeader;
    while (at < query.size() && query[at] != 0) {
        const auto length = static_cast<unsigned char>(query[at]);
        name += (name.empty() ? "" : ".") + query.substr(at + 1, length);
        at += length + 1U;
    }
    return {name, at + 5};  // the empty label, type and class
}

// A question for the IPv4 address of a host; recursion is desired.
std::string query_for(const std::string& host) {
    std::string query("\0\1\1\0\0\1\0\0\0\0\0\0", kHeader);
    for (std::size_t at = 0; at <= host.size();) {
        const std::size_t dot = std::min(host.find('.', at), host.size());
        query += static_cast<char>(dot - at);
        query += host.substr(at, dot - at);
        at = dot + 1;
    }
    return query + std::string("\0\0\1\0\1", 5);  // the empty label, type A, class IN
}

// An answer with one address, or SERVFAIL.
std::string answer_to(const std::string& query, bool fails) {
    const std::size_t end = question_of(query).second;
    std::string answer = query.substr(0, 2) + (fails ? std::string("\x81\x82", 2) : "\x81\x80");
    answer += std::string("\0\1\0", 3) + (fails ? '\0' : '\1') + std::string(4, '\0');
    answer += query.substr(kHeader, end - kHeader);
    if (!fails) {  // the name above, type A, class IN, no time to live, four bytes
        answer += std::string("\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1", 16);
    }
    return answer;
}

std::vector<std::string> addresses_in(const unsigned char* answer, int size) {
    std::vector<std::string> addresses;
    ns_msg message;
    if (size < 0 || ns_initparse(answer, size, &message) != 0) {
        return addresses;
    }
    for (int i = 0; i < ns_msg_count(message, ns_s_an); ++i) {
        ns_rr record;
        if (ns_parserr(&message, ns_s_an, i, &record) == 0 && ns_rr_type(record) == ns_t_a) {
            std::array<char, INET_ADDRSTRLEN> text{};
            ::inet_ntop(AF_INET, ns_rr_rdata(record), text.data(), text.size());
            addresses.emplace_back(text.data());
        }
    }
    return addresses;
}

sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
}

}  // namespace

NameServer::NameServer(std::string silent) : silent_("." + std::move(silent)) {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    socket_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0 ||
        ::bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        std::perror("the name server has no socket");
        std::abort();
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
}

NameServer::~NameServer() {
    // An empty datagram ends the thread: shutdown() does not wake a UDP socket's reader everywhere.
    const sockaddr_in address = loopback(port_);
    (void)::sendto(socket_, "", 0, 0, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    thread_.join();
    ::close(socket_);
}

void NameServer::serve() {
    std::array<char, 4096> buffer{};
    for (;;) {
        sockaddr_in from{};
        socklen_t size = sizeof from;
        const ssize_t got = ::recvfrom(socket_, buffer.data(), buffer.size(), 0,
                                       reinterpret_cast<sockaddr*>(&from), &size);
        if (got <= 0) {
            break;
        }
        const std::string query(buffer.data(), static_cast<std::size_t>(got));
        if (question_of(query).first.ends_with(silent_)) {
            waiting_.emplace_back(std::string(reinterpret_cast<const char*>(&from), size), query);
            ++hanging_;
            continue;
        }
        const std::string answer = answer_to(query, false);
        (void)::sendto(socket_, answer.data(), answer.size(), 0,
                       reinterpret_cast<const sockaddr*>(&from), size);
        ++answered_;
    }
    for (const auto& [from, query] : waiting_) {
        const std::string answer = answer_to(query, true);
        (void)::sendto(socket_, answer.data(), answer.size(), 0,
                       reinterpret_cast<const sockaddr*>(from.data()),
                       static_cast<socklen_t>(from.size()));
    }
}

// The question of libc's resolver, asked by hand: its own state is guarded by locks that the thread
// sanitizer cannot see, so that two look-ups at once are reported as a race inside libc.
NameServer::LookUp NameServer::look_up() const {
    return [port = port_](const std::string& host) -> std::vector<std::string> {
        const int asker = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        const sockaddr_in server = loopback(port);
        const timeval patience{.tv_sec = 120, .tv_usec = 0};
        const std::string query = query_for(host);
        std::array<unsigned char, 4096> answer{};
        ssize_t got = -1;
        if (asker >= 0 &&
            ::setsockopt(asker, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
            ::connect(asker, reinterpret_cast<const sockaddr*>(&server), sizeof server) == 0 &&
            ::send(asker, query.data(), query.size(), 0) == static_cast<ssize_t>(query.size())) {
            got = ::recv(asker, answer.data(), answer.size(), 0);
        }
        if (asker >= 0) {
            ::close(asker);
        }
        return addresses_in(answer.data(), static_cast<int>(got));
    };
}

}  // namespace jobforge::test
