// Where a RabbitMQ broker is and how to log in: amqp://user:password@host:port/vhost.
//
// Pure. Kept apart from librabbitmq's own parser, which reads the "/" at the end of the customary
// amqp://guest:guest@localhost:5672/ as a vhost with an empty name: no broker has one.
#pragma once

#include <string>
#include <string_view>

#include <jobforge/error.h>

namespace jobforge::connect {

struct AmqpUrl {
    std::string user = "guest";
    std::string password = "guest";
    std::string host = "localhost";  // a name, an IPv4 address, or an IPv6 address without brackets
    int port = 5672;
    std::string vhost = "/";

    // Parts left out keep their defaults; user, password and vhost are percent-decoded.
    // VALIDATION_ERROR for another scheme (amqps too: put a TLS proxy in front), a bad port or
    // escape, a control character, a query. The message never repeats the URL: it holds a password.
    [[nodiscard]] static Result<AmqpUrl> parse(std::string_view text);

    // amqp://user@host:port/vhost, for logs: everything but the password.
    [[nodiscard]] std::string without_password() const;
};

}  // namespace jobforge::connect
