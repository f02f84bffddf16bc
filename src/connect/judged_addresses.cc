#include "connect/judged_addresses.h"

#include <utility>

namespace jobforge::connect {

namespace {

Result<std::vector<IpAddress>> addresses_of(const CheckedUrl& url, const Resolver& resolver,
                                            Deadline deadline, std::stop_token stop) {
    if (url.address) {
        return std::vector{*url.address};
    }
    if (url.host == "localhost" || url.host.ends_with(".localhost")) {
        return std::vector{IpAddress::v4(0x7f000001U)};
    }
    return resolver(url.host, deadline, std::move(stop));
}

}  // namespace

Result<std::vector<IpAddress>> judged_addresses(const CheckedUrl& url, const AddressGuard& guard,
                                                const Resolver& resolver, Deadline deadline,
                                                std::stop_token stop) {
    auto addresses = addresses_of(url, resolver, deadline, std::move(stop));
    if (!addresses.ok()) {
        return addresses;
    }
    for (const IpAddress& address : *addresses) {
        if (const auto reason = guard.refusal(address)) {
            return blocked_address(url.host, address, *reason);
        }
    }
    return addresses;
}

}  // namespace jobforge::connect
