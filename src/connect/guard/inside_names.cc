#include "connect/guard/inside_names.h"

#include <string>

#include <fmt/format.h>
#include <jobforge/json.h>

namespace jobforge::connect {

namespace {

struct InsideName {
    std::string_view name;  // itself and everything below it
    std::string_view reason;
};

constexpr InsideName kInsideNames[] = {
    {"localhost", "the name means this machine: loopback (RFC 6761)"},
    {"localdomain", "the name means this machine"},
    {"local", "the name is found by multicast in the local network (RFC 6762)"},
    // metadata.google.internal, *.compute.internal (AWS), host.docker.internal.
    {"internal", "the name is reserved for private networks (ICANN, 2024)"},
    {"intranet", "the name is in use inside private networks (RFC 6762, appendix G)"},
    {"private", "the name is in use inside private networks (RFC 6762, appendix G)"},
    {"corp", "the name is in use inside private networks (RFC 6762, appendix G)"},
    {"home", "the name is in use inside private networks (RFC 6762, appendix G)"},
    {"lan", "the name is in use inside private networks (RFC 6762, appendix G)"},
    {"home.arpa", "the name is reserved for home networks (RFC 8375)"},
    // Pods look names up below cluster.local too: NAME.NAMESPACE.svc is a service's short name.
    {"svc", "the name means a service of a Kubernetes cluster"},
    {"kubernetes.default", "the name means the API server of a Kubernetes cluster"},
    {"consul", "the name means a service that Consul knows"},
};

bool is_or_is_below(std::string_view host, std::string_view name) noexcept {
    return host.ends_with(name) &&
           (host.size() == name.size() || host[host.size() - name.size() - 1] == '.');
}

}  // namespace

std::optional<std::string_view> why_inside(std::string_view host) noexcept {
    for (const InsideName& inside : kInsideNames) {
        if (is_or_is_below(host, inside.name)) {
            return inside.reason;
        }
    }
    if (host.find('.') == std::string_view::npos) {
        return "a name without a dot means a machine of the local network";
    }
    return std::nullopt;
}

Error blocked_name(std::string_view host, std::string_view reason) {
    Error error =
        Error::of(ErrorCode::SSRF_BLOCKED, fmt::format("{} may not be reached: {}", host, reason));
    error.hint =
        "use a public name; for development, name the network of its addresses in "
        "JOBFORGE_ALLOW_NETWORKS";
    error.details =
        Json::object({{"host", std::string(host)}, {"reason", std::string(reason)}}).dump();
    return error;
}

}  // namespace jobforge::connect
