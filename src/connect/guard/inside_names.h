// Host names that mean the inside of a network. Pure; any thread.
//
// Such a name says that its caller wants something private. What it resolves to is not asked: a
// name server that is wrong, or hostile, or behind a split horizon answers metadata.google.internal
// with a public address today and with the metadata service's tomorrow, and a proxy or service mesh
// on the way may route by the name in the Host header and not by the address at all.
#pragma once

#include <optional>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge::connect {

// Why this name means the inside; nullopt if it does not. `host` as in CheckedUrl: a lower-case
// ASCII name without a dot at its end. Inside are: names without a dot; localhost, localdomain,
// local, internal, intranet, private, corp, home, lan, home.arpa, svc, consul and every name below
// them; kubernetes.default.
[[nodiscard]] std::optional<std::string_view> why_inside(std::string_view host) noexcept;

// SSRF_BLOCKED, permanent; details {"host","reason"}.
[[nodiscard]] Error blocked_name(std::string_view host, std::string_view reason);

}  // namespace jobforge::connect
