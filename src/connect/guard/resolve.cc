#include "connect/guard/resolve.h"

#include <netdb.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "connect/http/governor.h"

namespace jobforge::connect {

namespace {

using Addresses = Result<std::vector<IpAddress>>;

// Shared by the caller and the thread that looks up; the last of them frees it.
struct Lookup {
    explicit Lookup(std::string name) : host(std::move(name)) {}

    const std::string host;
    std::mutex mutex;
    std::condition_variable_any done;
    std::optional<Addresses> answer;  // under mutex
};

Error no_address(std::string_view host, std::string_view why) {
    return Error::of(ErrorCode::CONNECTION_FAILED,
                     fmt::format("the name {} has no address: {}", host, why));
}

// getaddrinfo says "no such name" when it cannot open a file or socket (glibc 2.36), or EAI_SYSTEM
// with the errno of some later call. Neither says anything about the name.
bool is_shortage(int fault, int system_error) noexcept {
    return fault == EAI_MEMORY || fault == EAI_SYSTEM || system_error == EMFILE ||
           system_error == ENFILE || system_error == ENOMEM || system_error == ENOBUFS;
}

Addresses ask_machine(const std::string& host) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    errno = 0;
    if (const int fault = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); fault != 0) {
        return is_shortage(fault, errno)
                   ? shortage("no memory or file descriptor to look up a name")
                   : no_address(host, ::gai_strerror(fault));
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

// False if there is no thread to be had. The slot is given back when the look-up ends.
bool start_thread(const std::shared_ptr<Lookup>& lookup, const BlockingLookup& look_up,
                  TenantSlots::Slot slot) {
    try {
        std::thread([lookup, look_up, slot = std::move(slot)]() mutable {
            Addresses answer = look_up(lookup->host);
            {
                const TenantSlots::Slot given_back = std::move(slot);
            }
            {
                const std::lock_guard lock(lookup->mutex);
                lookup->answer.emplace(std::move(answer));
            }
            lookup->done.notify_all();
        }).detach();
        return true;
    } catch (const std::system_error&) {
        return false;
    }
}

Addresses resolve_on_a_thread(const NameQuery& query, const BlockingLookup& look_up,
                              TenantSlots& slots) {
    auto slot = slots.take(query.tenant, query.stop);
    if (!slot.ok()) {
        return std::move(slot).error();
    }
    const auto lookup = std::make_shared<Lookup>(query.host);
    if (!start_thread(lookup, look_up, *std::move(slot))) {
        return shortage("no thread to look up a name");
    }
    std::unique_lock lock(lookup->mutex);
    const bool answered = lookup->done.wait_until(lock, query.stop, query.deadline,
                                                  [&] { return lookup->answer.has_value(); });
    if (!answered) {
        return Error::of(ErrorCode::TIMEOUT,
                         fmt::format("the look-up of the name {} took too long", query.host));
    }
    return std::move(*lookup->answer);
}

}  // namespace

Resolver threaded_resolver(BlockingLookup look_up, std::shared_ptr<TenantSlots> slots) {
    return [look_up = std::move(look_up), slots = std::move(slots)](const NameQuery& query) {
        return resolve_on_a_thread(query, look_up, *slots);
    };
}

Resolver system_resolver() {
    static const auto kSlots = std::make_shared<TenantSlots>(
        TenantSlotsOptions{.name = "look-ups of names", .total = kMostLookups});
    return threaded_resolver(ask_machine, kSlots);
}

Resolver fixed_resolver(std::map<std::string, std::vector<IpAddress>> answers) {
    return [answers = std::move(answers)](const NameQuery& query) -> Addresses {
        auto found = answers.find(query.host);
        if (found == answers.end()) {
            found = answers.find("*");
        }
        if (found == answers.end() || found->second.empty()) {
            return no_address(query.host, "it has no fixed address");
        }
        return found->second;
    };
}

}  // namespace jobforge::connect
