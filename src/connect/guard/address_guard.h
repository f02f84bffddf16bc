// Which addresses the program may dial on behalf of a tenant: those that are globally routable.
//
// A tenant chooses URLs, the program sits inside a private network: without a guard, a webhook is
// a way to read a cloud's metadata service or a neighbour's database (server-side request forgery).
// Default deny: an address passes only if no registry entry says that it is special. Judged is the
// address about to be dialled, never the URL's text, because there are endless ways to write one.
//
// Immutable after construction; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connect/guard/ip_address.h"

namespace jobforge::connect {

// Why this address is not globally routable ("loopback", "private network"...); nullopt if it is.
// The IANA special-purpose registries (RFC 6890 and what came since), clouds' metadata services at
// public-looking addresses, and every IPv6 form that carries an IPv4 address inside.
[[nodiscard]] std::optional<std::string_view> why_not_public(const IpAddress& address) noexcept;

class AddressGuard final {
public:
    // `allowed`: networks that pass although they are not public (JOBFORGE_ALLOW_NETWORKS; a
    // development machine's loopback). Configuration refuses it in production.
    explicit AddressGuard(std::vector<Network> allowed = {});

    // Why the address must not be dialled; nullopt if it may.
    [[nodiscard]] std::optional<std::string_view> refusal(const IpAddress& address) const noexcept;

    // Whether one of the allowed networks holds the address; a public address alone is not enough.
    [[nodiscard]] bool allows(const IpAddress& address) const noexcept;
    // Whether any network is allowed.
    [[nodiscard]] bool allows_any() const noexcept { return !allowed_.empty(); }

private:
    std::vector<Network> allowed_;
};

// SSRF_BLOCKED, permanent; details {"address","host","reason"}.
[[nodiscard]] Error blocked_address(std::string_view host, const IpAddress& address,
                                    std::string_view reason);

}  // namespace jobforge::connect
