// Only hosts that the list names.
#pragma once

#include <string>
#include <vector>

#include "connect/http/transport.h"

namespace jobforge::connect {

// Whether a pattern covers the host: "api.example.com" itself; "*.example.com" every name below
// example.com at any depth, but not example.com. ASCII letters in either case; an address is
// covered by the same address only. Both are ASCII, as CheckedUrl has hosts: a pattern names an
// international host as xn--... Pure.
[[nodiscard]] bool covers(std::string_view pattern, std::string_view host) noexcept;

// Inside Redirects, so that a hop cannot leave the list. Threads: any number.
class Allowlisted final : public Transport {
public:
    // Several lists: a host must be covered by each (a tenant's list, and the payload's that may
    // only narrow it). An empty list covers everything; no lists too. `inner` must outlive it.
    Allowlisted(Transport& inner, std::vector<std::vector<std::string>> lists);

    // As `inner`, and SSRF_BLOCKED, permanent, for a host that is not on a list.
    [[nodiscard]] Result<HttpResponse> send(const HttpRequest& request,
                                            const std::stop_token& stop = {}) override;

private:
    Transport& inner_;
    std::vector<std::vector<std::string>> lists_;
};

}  // namespace jobforge::connect
