#include "connect/guard/address_guard.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <jobforge/json.h>

namespace jobforge::connect {

namespace {

// The first `length` bits of an address that is special, and why. Literals in network order.
struct SpecialV4 {
    std::uint32_t bits;
    unsigned length;
    std::string_view reason;
};

constexpr std::uint32_t v4(unsigned a, unsigned b = 0, unsigned c = 0, unsigned d = 0) {
    return (a << 24U) | (b << 16U) | (c << 8U) | d;
}

// https://www.iana.org/assignments/iana-ipv4-special-registry, everything that is not globally
// reachable, and what the registry does not know.
constexpr SpecialV4 kSpecialV4[] = {
    {v4(0), 8, "\"this network\""},
    {v4(10), 8, "private network"},
    {v4(100, 64), 10, "shared address space of carriers (and Alibaba's metadata service)"},
    {v4(127), 8, "loopback"},
    {v4(168, 63, 129, 16), 32, "Azure's platform address"},  // reachable from every Azure machine
    {v4(169, 254), 16, "link-local (and the metadata service of most clouds)"},
    {v4(172, 16), 12, "private network"},
    {v4(192, 0, 0), 24, "protocol assignments (and Oracle's metadata service)"},
    {v4(192, 0, 2), 24, "documentation"},
    {v4(192, 88, 99), 24, "6to4 relay"},
    {v4(192, 168), 16, "private network"},
    {v4(198, 18), 15, "benchmarking"},
    {v4(198, 51, 100), 24, "documentation"},
    {v4(203, 0, 113), 24, "documentation"},
    {v4(224), 4, "multicast"},
    {v4(240), 4, "reserved or broadcast"},
};

struct SpecialV6 {
    std::array<std::uint8_t, 16> bits;
    unsigned length;
    std::string_view reason;
};

// https://www.iana.org/assignments/iana-ipv6-special-registry. The first match counts; what is
// not listed is judged by "inside 2000::/3", the only block that IANA gives out so far.
constexpr SpecialV6 kSpecialV6[] = {
    {{}, 128, "unspecified"},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 128, "loopback"},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, "an IPv4 address inside (IPv4-mapped)"},
    {{}, 96, "an IPv4 address inside (IPv4-compatible)"},
    {{0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff}, 96, "an IPv4 address inside (IPv4-translated)"},
    {{0x00, 0x64, 0xff, 0x9b}, 96, "an IPv4 address inside (NAT64)"},
    {{0x00, 0x64, 0xff, 0x9b, 0, 1}, 48, "an IPv4 address inside (local NAT64)"},
    {{0x01, 0x00}, 64, "discard-only"},
    {{0x20, 0x01}, 32, "an IPv4 address inside (Teredo)"},
    {{0x20, 0x01}, 23, "protocol assignments"},  // benchmarking, ORCHID and others
    {{0x20, 0x01, 0x0d, 0xb8}, 32, "documentation"},
    {{0x20, 0x02}, 16, "an IPv4 address inside (6to4)"},
    {{0x3f, 0xff}, 20, "documentation"},
    {{0xfc}, 7, "unique local network (and AWS's and Google's metadata services)"},
    {{0xfe, 0x80}, 10, "link-local"},
    {{0xfe, 0xc0}, 10, "site-local"},
    {{0xff}, 8, "multicast"},
};
constexpr SpecialV6 kGlobalUnicast = {{0x20}, 3, ""};

bool starts_with(const std::uint8_t* bytes, const SpecialV6& block) noexcept {
    const unsigned whole = block.length / 8;
    const auto mask = static_cast<std::uint8_t>(0xff00U >> (block.length % 8));
    return std::memcmp(bytes, block.bits.data(), whole) == 0 &&
           (whole == 16 || ((bytes[whole] ^ block.bits[whole]) & mask) == 0);
}

std::optional<std::string_view> why_not_public_v4(std::span<const std::uint8_t> bytes) noexcept {
    const std::uint32_t bits = v4(bytes[0], bytes[1], bytes[2], bytes[3]);
    for (const SpecialV4& block : kSpecialV4) {
        if (((bits ^ block.bits) >> (32U - block.length)) == 0) {
            return block.reason;
        }
    }
    return std::nullopt;
}

// ISATAP (RFC 5214): any prefix, then 0000:5efe or 0200:5efe, then an IPv4 address.
bool is_isatap(const std::uint8_t* bytes) noexcept {
    return (bytes[8] & 0xfdU) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
}

}  // namespace

std::optional<std::string_view> why_not_public(const IpAddress& address) noexcept {
    if (address.is_v4()) {
        return why_not_public_v4(address.bytes());
    }
    const std::uint8_t* bytes = address.bytes().data();
    for (const SpecialV6& block : kSpecialV6) {
        if (starts_with(bytes, block)) {
            return block.reason;
        }
    }
    if (!starts_with(bytes, kGlobalUnicast)) {
        return "outside the global unicast block 2000::/3";
    }
    if (is_isatap(bytes)) {
        return "an IPv4 address inside (ISATAP)";
    }
    return std::nullopt;
}

AddressGuard::AddressGuard(std::vector<Network> allowed) : allowed_(std::move(allowed)) {}

std::optional<std::string_view> AddressGuard::refusal(const IpAddress& address) const noexcept {
    const auto reason = why_not_public(address);
    return reason && !allows(address) ? reason : std::nullopt;
}

bool AddressGuard::allows(const IpAddress& address) const noexcept {
    return std::any_of(allowed_.begin(), allowed_.end(),
                       [&](const Network& block) { return block.contains(address); });
}

Error blocked_address(std::string_view host, const IpAddress& address, std::string_view reason) {
    const std::string text = address.text();
    Error error = Error::of(
        ErrorCode::SSRF_BLOCKED,
        host == text ? fmt::format("{} may not be reached: {}", text, reason)
                     : fmt::format("{} may not be reached: its address {} is not public: {}", host,
                                   text, reason));
    error.hint =
        "use a server with a public address; for development, name its network in "
        "JOBFORGE_ALLOW_NETWORKS";
    error.details =
        Json::object(
            {{"address", text}, {"host", std::string(host)}, {"reason", std::string(reason)}})
            .dump();
    return error;
}

}  // namespace jobforge::connect
