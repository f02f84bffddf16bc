// URLs of tenants, read strictly. Pure; any thread.
//
// Parsers disagree about odd URLs (curl 7.88 dials loopback for http://example.com\@127.0.0.1/ and
// http://127.1/), and a program that checks with one and dials with another is deceived. So odd
// ones are refused, and what is dialled is put together anew from the parts that were checked.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <jobforge/error.h>

#include "connect/guard/ip_address.h"

namespace jobforge::connect {

struct CheckedUrl {
    std::string scheme;                // "http" or "https"
    std::string host;                  // a lower-case ASCII name, or an address without brackets
    std::optional<IpAddress> address;  // if the host is one
    int port = 0;                      // given, or the scheme's
    std::string target;                // "/path?query", without the fragment

    // scheme://host:port, the same text for the same server.
    [[nodiscard]] std::string origin() const;
    // The URL to dial: origin() and target.
    [[nodiscard]] std::string text() const;
};

// SSRF_BLOCKED, permanent, details {"reason"}, for everything but an absolute http or https URL in
// printable ASCII with a plain host: no user information, backslash, blank, control character,
// escape or zone in the host, number that is not a customary IPv4 address, empty host, port 0, or
// more than 8192 bytes. The host alone may be in UTF-8: it becomes its ASCII form (idna.h), which
// is then judged like any other; spellings that only look different from plain ASCII are refused.
[[nodiscard]] Result<CheckedUrl> check_url(std::string_view url);

}  // namespace jobforge::connect
