// From a URL to the addresses that may be dialled for it: the guard's whole judgement before a
// socket exists. HttpClient and `jobforge net check` share it, so that they cannot disagree.
#pragma once

#include <vector>

#include <jobforge/error.h>

#include "connect/guard/address_guard.h"
#include "connect/guard/resolve.h"
#include "connect/guard/url_check.h"

namespace jobforge::connect {

// The host's own address, or the answer of `resolver`, which is asked once. localhost and names
// below it are 127.0.0.1 whatever a resolver says (RFC 6761). SSRF_BLOCKED if one of the addresses
// may not be dialled: a name with a public and a private address is an attempt to get at the
// private one. A name that means the inside (inside_names.h) is SSRF_BLOCKED whatever it resolves
// to, unless development allows networks and all its addresses are in them: then `http://localhost`
// and the name of a container work, and a public address for such a name does not. Else the
// resolver's errors. `query`: everything but the host, which is the URL's.
[[nodiscard]] Result<std::vector<IpAddress>> judged_addresses(const CheckedUrl& url,
                                                              const AddressGuard& guard,
                                                              const Resolver& resolver,
                                                              NameQuery query = {});

}  // namespace jobforge::connect
