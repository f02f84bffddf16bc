#include "connect/resolve.h"

#include <netdb.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/format.h>

namespace jobforge::connect {

namespace {

using Addresses = Result<std::vector<IpAddress>>;

constexpr int kMostLookups = 64;

// Shared by the caller and the thread that looks up; whoever is last frees it.
struct Lookup {
    explicit Lookup(std::string name) : host(std::move(name)) {}

    const std::string host;
    std::mutex mutex;
    std::condition_variable_any done;
    std::optional<Addresses> answer;  // under mutex
};

std::atomic<int>& lookups_under_way() {
    static std::atomic<int> count{0};
    return count;
}

Error no_address(std::string_view host, std::string_view why) {
    return Error::of(ErrorCode::CONNECTION_FAILED,
                     fmt::format("the name {} has no address: {}", host, why));
}

Addresses ask_machine(const std::string& host) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int fault = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); fault != 0) {
        return no_address(host, ::gai_strerror(fault));
    }
    std::vector<IpAddress> addresses;
    for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
        const auto address = IpAddress::of(*entry->ai_addr);
        if (address && std::find(addresses.begin(), addresses.end(), *address) == addresses.end()) {
            addresses.push_back(*address);
        }
    }
    ::freeaddrinfo(found);
    if (addresses.empty()) {
        return no_address(host, "the answer was empty");
    }
    return addresses;
}

void look_up(const std::shared_ptr<Lookup>& lookup) {
    Addresses answer = ask_machine(lookup->host);
    {
        const std::lock_guard lock(lookup->mutex);
        lookup->answer.emplace(std::move(answer));
    }
    lookup->done.notify_all();
    lookups_under_way().fetch_sub(1);
}

bool start_thread(const std::shared_ptr<Lookup>& lookup) {
    try {
        std::thread(look_up, lookup).detach();
        return true;
    } catch (const std::system_error&) {
        return false;  // no thread to be had: as if too many were under way
    }
}

bool start(const std::shared_ptr<Lookup>& lookup) {
    if (lookups_under_way().fetch_add(1) < kMostLookups && start_thread(lookup)) {
        return true;
    }
    lookups_under_way().fetch_sub(1);
    return false;
}

Addresses resolve_by_machine(const std::string& host, Deadline deadline, std::stop_token stop) {
    const auto lookup = std::make_shared<Lookup>(host);
    if (!start(lookup)) {
        return no_address(host, "too many look-ups wait for the name server already");
    }
    std::unique_lock lock(lookup->mutex);
    const bool answered = lookup->done.wait_until(lock, std::move(stop), deadline,
                                                  [&] { return lookup->answer.has_value(); });
    if (!answered) {
        return Error::of(ErrorCode::TIMEOUT,
                         fmt::format("the look-up of the name {} took too long", host));
    }
    return std::move(*lookup->answer);
}

}  // namespace

Resolver system_resolver() {
    return resolve_by_machine;
}

Resolver fixed_resolver(std::map<std::string, std::vector<IpAddress>> answers) {
    return [answers = std::move(answers)](const std::string& host, Deadline,
                                          const std::stop_token&) -> Addresses {
        auto found = answers.find(host);
        if (found == answers.end()) {
            found = answers.find("*");
        }
        if (found == answers.end() || found->second.empty()) {
            return no_address(host, "nobody fixed one");
        }
        return found->second;
    };
}

}  // namespace jobforge::connect
