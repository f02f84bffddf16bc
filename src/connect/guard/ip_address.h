// An IPv4 or IPv6 address, and blocks of them. Pure; any thread.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <jobforge/error.h>

namespace jobforge::connect {

class IpAddress final {
public:
    // The customary forms only: four decimal numbers without leading zeros, or RFC 4291's text.
    // nullopt for 127.1, 0x7f.1, 2130706433, zone ids, brackets and blanks.
    [[nodiscard]] static std::optional<IpAddress> parse(std::string_view text);
    // nullopt for another family (a unix socket).
    [[nodiscard]] static std::optional<IpAddress> of(const sockaddr& address);
    [[nodiscard]] static IpAddress v4(std::uint32_t bits);

    [[nodiscard]] bool is_v4() const noexcept { return size_ == 4; }
    // 4 or 16 bytes, in network order.
    [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept {
        return {bytes_.data(), size_};
    }
    // "192.0.2.1", "2001:db8::1": what parse() takes.
    [[nodiscard]] std::string text() const;

    friend bool operator==(const IpAddress&, const IpAddress&) = default;

private:
    std::array<std::uint8_t, 16> bytes_{};
    std::size_t size_ = 4;
};

// A block of addresses, "10.0.0.0/8". An IPv6 block never holds an IPv4 address, nor the reverse:
// ::ffff:10.0.0.1 is not an address of 10.0.0.0/8, although a kernel may dial the same machine.
struct Network {
    IpAddress address;
    unsigned prefix_length = 0;

    // VALIDATION_ERROR for anything but ADDRESS/LENGTH with no bit set behind the length.
    [[nodiscard]] static Result<Network> parse(std::string_view text);
    [[nodiscard]] bool contains(const IpAddress& candidate) const noexcept;
    [[nodiscard]] std::string text() const;
};

// JOBFORGE_ALLOW_NETWORKS: blocks separated by commas, blanks around them ignored; "" is none.
// VALIDATION_ERROR names the part that is wrong. A block of length 0 is refused: it would switch
// the guard off, not name a network.
[[nodiscard]] Result<std::vector<Network>> parse_networks(std::string_view list);

}  // namespace jobforge::connect
