// Why a server cannot listen, in one place for the API and the port of a worker.
#pragma once

#include <string>
#include <system_error>

#include <jobforge/error.h>

namespace jobforge::http {

// `address` is not an IP address: a bad value of the configuration. CONFIG_MISSING.
[[nodiscard]] Error not_an_address(const std::string& port_name, const std::string& address);

// The system refused. ADDRESS_IN_USE with what to do about it, CONFIG_MISSING for an address that
// this machine does not have or a port that needs rights, else INTERNAL_ERROR.
[[nodiscard]] Error cannot_listen(const std::string& address, int port, const std::error_code& why);

}  // namespace jobforge::http
