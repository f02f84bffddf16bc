#include "connect/guard/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "base/text/trimmed.h"

namespace jobforge::connect {

namespace {

Error not_a_network(std::string_view text, std::string_view why) {
    Error error = Error::of(ErrorCode::VALIDATION_ERROR,
                            fmt::format("\"{}\" is not a network: {}", text, why));
    error.hint = "write ADDRESS/LENGTH, several separated by commas: 127.0.0.0/8,::1/128";
    return error;
}

// Whether the first `count` bits are equal.
bool same_bits(const std::uint8_t* a, const std::uint8_t* b, unsigned count) noexcept {
    const unsigned whole = count / 8;
    if (std::memcmp(a, b, whole) != 0) {
        return false;
    }
    const unsigned rest = count % 8;
    const auto mask = static_cast<std::uint8_t>(0xff00U >> rest);
    return rest == 0 || (a[whole] & mask) == (b[whole] & mask);
}

bool has_bits_behind(std::span<const std::uint8_t> bytes, unsigned length) noexcept {
    for (unsigned bit = length; bit < bytes.size() * 8; ++bit) {
        if ((bytes[bit / 8] & (0x80U >> (bit % 8))) != 0) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
    if (text.size() > INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) {
        return std::nullopt;
    }
    const std::string terminated(text);
    IpAddress address;
    // inet_pton takes neither 127.1 nor leading zeros, unlike inet_aton and getaddrinfo.
    if (::inet_pton(AF_INET, terminated.c_str(), address.bytes_.data()) == 1) {
        return address;
    }
    if (::inet_pton(AF_INET6, terminated.c_str(), address.bytes_.data()) == 1) {
        address.size_ = 16;
        return address;
    }
    return std::nullopt;
}

std::optional<IpAddress> IpAddress::of(const sockaddr& address) {
    IpAddress result;
    if (address.sa_family == AF_INET) {
        sockaddr_in in{};
        std::memcpy(&in, &address, sizeof in);
        std::memcpy(result.bytes_.data(), &in.sin_addr, 4);
        return result;
    }
    if (address.sa_family == AF_INET6) {
        sockaddr_in6 in{};
        std::memcpy(&in, &address, sizeof in);
        std::memcpy(result.bytes_.data(), &in.sin6_addr, 16);
        result.size_ = 16;
        return result;
    }
    return std::nullopt;
}

IpAddress IpAddress::v4(std::uint32_t bits) {
    IpAddress result;
    for (unsigned i = 0; i < 4; ++i) {
        result.bytes_[i] = static_cast<std::uint8_t>(bits >> (24 - 8 * i));
    }
    return result;
}

std::string IpAddress::text() const {
    char buffer[INET6_ADDRSTRLEN] = {};
    (void)::inet_ntop(is_v4() ? AF_INET : AF_INET6, bytes_.data(), buffer, sizeof buffer);
    return buffer;
}

Result<Network> Network::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    const auto address = IpAddress::parse(text.substr(0, slash));
    if (!address) {
        return not_a_network(text, "the part before the slash is not an IP address");
    }
    if (slash == std::string_view::npos) {
        return not_a_network(
            text, fmt::format("the length is missing (for this one address: {}/{})", text,
                              address->is_v4() ? 32 : 128));
    }
    Network network{*address, 0};
    const std::string_view digits = text.substr(slash + 1);
    const char* end = digits.data() + digits.size();
    const auto [stop, fault] = std::from_chars(digits.data(), end, network.prefix_length);
    if (fault != std::errc{} || stop != end ||
        network.prefix_length > address->bytes().size() * 8) {
        return not_a_network(text, fmt::format("the length is not a number from 0 to {}",
                                               address->bytes().size() * 8));
    }
    if (has_bits_behind(address->bytes(), network.prefix_length)) {
        return not_a_network(text, "bits are set behind the length");
    }
    return network;
}

bool Network::contains(const IpAddress& candidate) const noexcept {
    return candidate.is_v4() == address.is_v4() &&
           same_bits(candidate.bytes().data(), address.bytes().data(), prefix_length);
}

std::string Network::text() const {
    return fmt::format("{}/{}", address.text(), prefix_length);
}

Result<std::vector<Network>> parse_networks(std::string_view list) {
    std::vector<Network> networks;
    if (trimmed(list, kLineBlanks).empty()) {
        return networks;
    }
    while (true) {
        const std::size_t comma = std::min(list.find(','), list.size());
        const std::string_view part = trimmed(list.substr(0, comma), kLineBlanks);
        auto network = Network::parse(part);
        if (!network.ok()) {
            return std::move(network).error();
        }
        if (network->prefix_length == 0) {
            return not_a_network(part, "it is every address there is");
        }
        networks.push_back(*network);
        if (comma == list.size()) {
            return networks;
        }
        list.remove_prefix(comma + 1);
    }
}

}  // namespace jobforge::connect
