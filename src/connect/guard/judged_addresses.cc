#include "connect/guard/judged_addresses.h"

#include <optional>
#include <string_view>
#include <utility>

#include "connect/guard/inside_names.h"

namespace jobforge::connect {

namespace {

Result<std::vector<IpAddress>> addresses_of(const CheckedUrl& url, const Resolver& resolver,
                                            NameQuery query) {
    if (url.address) {
        return std::vector{*url.address};
    }
    if (url.host == "localhost" || url.host.ends_with(".localhost")) {
        return std::vector{IpAddress::v4(0x7f000001U)};
    }
    query.host = url.host;
    return resolver(query);
}

}  // namespace

Result<std::vector<IpAddress>> judged_addresses(const CheckedUrl& url, const AddressGuard& guard,
                                                const Resolver& resolver, NameQuery query) {
    const auto inside = url.address ? std::nullopt : why_inside(url.host);
    if (inside && !guard.allows_any()) {
        return blocked_name(url.host, *inside);
    }
    auto addresses = addresses_of(url, resolver, std::move(query));
    if (!addresses.ok()) {
        return addresses;
    }
    for (const IpAddress& address : *addresses) {
        if (inside && !guard.allows(address)) {
            return blocked_name(url.host, *inside);
        }
        if (const auto reason = guard.refusal(address)) {
            return blocked_address(url.host, address, *reason);
        }
    }
    return addresses;
}

}  // namespace jobforge::connect
