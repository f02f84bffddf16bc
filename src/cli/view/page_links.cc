#include "cli/view/page_links.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <memory>

namespace jobforge::cli {

bool only_this_machine(const std::string& host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::optional<std::string> network_address() {
    ifaddrs* list = nullptr;
    if (getifaddrs(&list) != 0) {
        return std::nullopt;
    }
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
    for (const ifaddrs* at = list; at != nullptr; at = at->ifa_next) {
        if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET ||
            (at->ifa_flags & IFF_UP) == 0 || (at->ifa_flags & IFF_LOOPBACK) != 0) {
            continue;
        }
        const auto* address = reinterpret_cast<const sockaddr_in*>(at->ifa_addr);
        std::array<char, INET_ADDRSTRLEN> text{};
        if (inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size()) != nullptr) {
            return std::string(text.data());
        }
    }
    return std::nullopt;
}

std::string reachable_url(const std::string& url, const std::string& host) {
    if (host != "0.0.0.0" && host != "::") {
        return url;
    }
    const auto address = network_address();
    const std::size_t begin = url.find("//") + 2;
    const std::size_t port = url.rfind(':');
    return address ? url.substr(0, begin) + *address + url.substr(port) : url;
}

}  // namespace jobforge::cli
