// Where the QR codes of `up` lead when BPC_QR_BASE_URL does not say it: to the API of the same
// process.
#pragma once

#include <optional>
#include <string>

namespace jobforge::cli {

// Whether only this machine reaches what listens on `host`: a phone does not.
[[nodiscard]] bool only_this_machine(const std::string& host);
// The first IPv4 address of a network interface that is up and not loopback.
[[nodiscard]] std::optional<std::string> network_address();
// The URL under which other machines find what listens on `host` and `url` names: with an address
// of this machine where `host` means all of them (0.0.0.0, ::).
[[nodiscard]] std::string reachable_url(const std::string& url, const std::string& host);

}  // namespace jobforge::cli
