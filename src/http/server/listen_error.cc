#include "http/server/listen_error.h"

#include <fmt/format.h>

namespace jobforge::http {

Error not_an_address(const std::string& port_name, const std::string& address) {
    return Error::of(ErrorCode::CONFIG_MISSING,
                     fmt::format("{}: \"{}\" is not an IP address", port_name, address));
}

Error cannot_listen(const std::string& address, int port, const std::error_code& why) {
    ErrorCode code = ErrorCode::INTERNAL_ERROR;
    std::string hint;
    if (why == std::errc::address_in_use) {
        code = ErrorCode::ADDRESS_IN_USE;
        hint = fmt::format(
            "Stop the program that listens there (`ss -ltnp 'sport = :{}'` names it), "
            "or choose another port; 0 takes a free one.",
            port);
    } else if (why == std::errc::address_not_available) {
        code = ErrorCode::CONFIG_MISSING;
        hint = "This machine does not have that address.";
    } else if (why == std::errc::permission_denied) {
        code = ErrorCode::CONFIG_MISSING;
        hint = "Ports below 1024 need a right that this user does not have.";
    }
    Error error = Error::of(
        code, fmt::format("cannot listen on {} port {}: {}", address, port, why.message()));
    error.hint = hint;
    return error;
}

}  // namespace jobforge::http
