#include "http/server/connection_limits.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace jobforge::http {

namespace {

constexpr std::size_t kNetworkBytes = 8;  // of an IPv6 address: what one subscriber has

}  // namespace

std::string address_group(std::string_view address) {
    std::string text(address.substr(0, address.find('%')));  // without the interface
    in6_addr ip{};
    if (::inet_pton(AF_INET6, text.c_str(), &ip) != 1) {
        return text;
    }
    char shown[INET6_ADDRSTRLEN] = "";
    if (IN6_IS_ADDR_V4MAPPED(&ip)) {
        (void)::inet_ntop(AF_INET, &ip.s6_addr[12], shown, sizeof shown);
        return shown;
    }
    std::fill(std::begin(ip.s6_addr) + kNetworkBytes, std::end(ip.s6_addr), std::uint8_t{0});
    (void)::inet_ntop(AF_INET6, &ip, shown, sizeof shown);
    return std::string(shown) + "/64";
}

ConnectionLimits::Seat::~Seat() {
    if (!counts_) {
        return;
    }
    const std::lock_guard guard(counts_->mutex);
    --counts_->all;
    const auto found = counts_->by_group.find(group_);
    if (--found->second == 0) {
        counts_->by_group.erase(found);
    }
}

ConnectionLimits::Seat ConnectionLimits::take(std::string group) {
    const std::lock_guard guard(counts_->mutex);
    if (counts_->all >= options_.all) {
        return {Place::over_all, std::move(group)};
    }
    const auto found = counts_->by_group.try_emplace(group, 0).first;
    if (found->second >= options_.per_address) {
        return {Place::over_address, std::move(group)};
    }
    ++found->second;
    ++counts_->all;
    Seat seat(Place::regular, std::move(group));
    seat.counts_ = counts_;
    return seat;
}

std::size_t ConnectionLimits::of(const std::string& group) const {
    const std::lock_guard guard(counts_->mutex);
    const auto found = counts_->by_group.find(group);
    return found == counts_->by_group.end() ? 0 : found->second;
}

}  // namespace jobforge::http
