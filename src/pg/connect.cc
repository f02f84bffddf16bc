#include "pg/connect.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "pg/errors.h"

namespace jobforge::pg {

namespace {

using Clock = std::chrono::steady_clock;

struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
using OwnedConnection = std::unique_ptr<PGconn, Finish>;

// What of the connection string decides where to go; empty: libpq's default.
struct Target {
    std::vector<std::string> hosts;
    std::vector<std::string> addresses;
    std::vector<std::string> ports;
    std::string session_attributes;
};

struct Endpoint {
    std::string host;
    std::string address;
    std::string port;
};

std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> items;
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        items.emplace_back(list.substr(0, comma));
        if (comma == std::string_view::npos) {
            return items;
        }
        list.remove_prefix(comma + 1);
        if (list.empty()) {
            items.emplace_back();
        }
    }
    return items;
}

// libpq's own message may quote the string, password included, so it is not passed on.
Result<Target> parse_target(const std::string& url) {
    char* message = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
        PQconninfoParse(url.c_str(), &message), &PQconninfoFree);
    PQfreemem(message);
    if (!options) {
        Error error = Error::of(ErrorCode::VALIDATION_ERROR,
                                "the database URL is neither a postgresql:// URI nor a list of "
                                "keyword=value pairs");
        error.hint =
            "write postgresql://user@host:5432/database; percent-encode special "
            "characters in the password";
        return error;
    }
    Target target;
    for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
        const std::string_view keyword = option->keyword;
        const std::string_view value = option->val == nullptr ? "" : option->val;
        if (keyword == "host") {
            target.hosts = split(value);
        } else if (keyword == "hostaddr") {
            target.addresses = split(value);
        } else if (keyword == "port") {
            target.ports = split(value);
        } else if (keyword == "target_session_attrs") {
            target.session_attributes = value;
        }
    }
    // A raw '@' in a password ends the user part early and the rest of the secret becomes the
    // "host name", which libpq and the resolver would then print.
    for (const std::string& host : target.hosts) {
        if (host.find('@') != std::string::npos) {
            Error error = Error::of(ErrorCode::VALIDATION_ERROR,
                                    "the host name in the database URL holds an '@'");
            error.hint = "percent-encode '@' in the password as %40";
            return error;
        }
    }
    return target;
}

// Empty for a single host, and for lists of different lengths, which libpq itself explains best.
std::vector<Endpoint> endpoints_of(const Target& target) {
    const std::size_t count = std::max(target.hosts.size(), target.addresses.size());
    const auto fits = [count](const std::vector<std::string>& list) {
        return list.empty() || list.size() == count;
    };
    if (count < 2 || !fits(target.hosts) || !fits(target.addresses) ||
        (target.ports.size() > 1 && target.ports.size() != count)) {
        return {};
    }
    std::vector<Endpoint> endpoints(count);
    for (std::size_t i = 0; i < count; ++i) {
        endpoints[i].host = target.hosts.empty() ? "" : target.hosts[i];
        endpoints[i].address = target.addresses.empty() ? "" : target.addresses[i];
        if (!target.ports.empty()) {
            endpoints[i].port = target.ports.size() == 1 ? target.ports[0] : target.ports[i];
        }
    }
    return endpoints;
}

// libpq's keyword and value arrays. What stands before dbname are defaults that the URL may
// override; what stands after it wins over the URL.
class Keywords final {
public:
    Keywords(const ConnectOptions& options, const Endpoint* endpoint,
             std::string_view session_attributes) {
        // A dead peer is noticed after 5 + 3 * 2 s when idle, 10 s when data is unacknowledged.
        add("keepalives", "1");
        add("keepalives_idle", "5");
        add("keepalives_interval", "2");
        add("keepalives_count", "3");
        add("tcp_user_timeout", "10000");
        add("fallback_application_name", options.application_name);
        add("dbname", options.url);
        add("client_encoding", "UTF8");
        if (options.force_application_name) {
            add("application_name", options.application_name);
        }
        if (endpoint != nullptr) {
            add("host", endpoint->host);
            add("hostaddr", endpoint->address);
            add("port", endpoint->port);
        }
        if (!session_attributes.empty()) {
            add("target_session_attrs", std::string(session_attributes));
        }
    }

    [[nodiscard]] PGconn* start() {
        std::vector<const char*> values;
        for (const std::string& value : values_) {
            values.push_back(value.c_str());
        }
        names_.push_back(nullptr);
        values.push_back(nullptr);
        return PQconnectStartParams(names_.data(), values.data(), /*expand_dbname=*/1);
    }

private:
    void add(const char* name, std::string value) {
        names_.push_back(name);
        values_.push_back(std::move(value));
    }

    std::vector<const char*> names_;
    std::vector<std::string> values_;
};

constexpr std::chrono::milliseconds kStep{100};  // how often a wait asks whether it is wanted
constexpr std::chrono::milliseconds kSignOfLife{2000};
// What each of several hosts has in a first round, so that a hung one does not hold up the others.
constexpr std::chrono::milliseconds kFirstRound{1500};

// True once connected; false when libpq gave up; nullopt when the deadline passed or the wait is no
// longer wanted.
std::optional<bool> drive_handshake(PGconn* connection, const ConnectOptions& options,
                                    Clock::time_point deadline) {
    PostgresPollingStatusType wanted = PGRES_POLLING_WRITING;
    while (true) {
        auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0 || (options.give_up && options.give_up())) {
            return std::nullopt;
        }
        if (options.give_up) {
            left = std::min(left, kStep);
        }
        // The socket may change between calls: libpq tries every address of a host.
        const short events = wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        pollfd entry{PQsocket(connection), events, 0};
        const int ready = ::poll(&entry, 1, static_cast<int>(left.count()));
        if (ready == 0 || (ready < 0 && errno == EINTR)) {
            continue;
        }
        wanted = PQconnectPoll(connection);
        if (wanted == PGRES_POLLING_OK || wanted == PGRES_POLLING_FAILED) {
            return wanted == PGRES_POLLING_OK;
        }
    }
}

Result<PGconn*> open_one(const ConnectOptions& options, const Endpoint* endpoint,
                         std::string_view session_attributes) {
    OwnedConnection connection(Keywords(options, endpoint, session_attributes).start());
    if (!connection) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "out of memory");
    }
    // So that the handshake's error message carries the SQLSTATE (see error_from_handshake).
    PQsetErrorVerbosity(connection.get(), PQERRORS_VERBOSE);
    if (PQstatus(connection.get()) == CONNECTION_BAD) {
        return error_from_handshake(connection.get());
    }
    const auto connected =
        drive_handshake(connection.get(), options, Clock::now() + options.connect_timeout);
    if (!connected) {
        Error error = Error::of(
            ErrorCode::DB_UNAVAILABLE,
            fmt::format("no answer from Postgres at {} within {} ms",
                        PQhost(connection.get()) == nullptr ? "?" : PQhost(connection.get()),
                        options.connect_timeout.count()));
        error.connection_lost = true;
        return error;
    }
    if (!*connected) {
        return error_from_handshake(connection.get());
    }
    PQsetErrorVerbosity(connection.get(), PQERRORS_DEFAULT);
    return connection.release();
}

Result<PGconn*> open_any(const ConnectOptions& options, const std::vector<Endpoint>& endpoints,
                         std::string_view session_attributes) {
    if (endpoints.empty()) {
        return open_one(options, nullptr, session_attributes);
    }
    std::optional<Error> kept;
    for (const Endpoint& endpoint : endpoints) {
        auto connection = open_one(options, &endpoint, session_attributes);
        if (connection.ok()) {
            return connection;
        }
        if (!kept || kept->retryable) {
            kept = connection.error();
        }
    }
    return *kept;
}

// Of several hosts the one that takes writes, unless the URL says otherwise.
std::string_view wanted_attributes(const Target& target, const std::vector<Endpoint>& endpoints) {
    return target.session_attributes.empty() && !endpoints.empty() ? "read-write" : "";
}

}  // namespace

Result<PGconn*> open_connection(const ConnectOptions& options) {
    const auto target = parse_target(options.url);
    if (!target.ok()) {
        return target.error();
    }
    const std::vector<Endpoint> endpoints = endpoints_of(*target);
    if (target->session_attributes == "prefer-standby" && !endpoints.empty()) {
        auto standby = open_any(options, endpoints, "standby");
        return standby.ok() ? std::move(standby) : open_any(options, endpoints, "any");
    }
    const std::string_view attributes = wanted_attributes(*target, endpoints);
    if (endpoints.empty() || options.connect_timeout <= kFirstRound) {
        return open_any(options, endpoints, attributes);
    }
    ConnectOptions quick = options;
    quick.connect_timeout = kFirstRound;
    auto opened = open_any(quick, endpoints, attributes);
    const bool again =
        !opened.ok() && opened.error().retryable && !(options.give_up && options.give_up());
    return again ? open_any(options, endpoints, attributes) : std::move(opened);
}

bool server_lives(PGconn* connection, const ConnectOptions& options) {
    const Endpoint endpoint{PQhost(connection), PQhostaddr(connection), PQport(connection)};
    ConnectOptions probe = options;
    probe.connect_timeout = std::min(options.connect_timeout, kSignOfLife);
    probe.application_name = "jobforge sign of life";
    const auto deadline = Clock::now() + probe.connect_timeout;
    // One of several servers that no longer takes writes has been replaced: a COMMIT there may wait
    // for ever for its standby.
    const auto target = parse_target(options.url);
    const std::string_view attributes =
        target.ok() ? wanted_attributes(*target, endpoints_of(*target)) : "";
    auto opened = open_one(probe, &endpoint, attributes.empty() ? "any" : attributes);
    if (!opened.ok()) {
        // "Too many connections" is an answer, too.
        return !opened.error().sqlstate.empty();
    }
    const OwnedConnection second(*opened);
    if (PQsendQuery(second.get(), "select 1") == 0) {
        return false;
    }
    while (PQisBusy(second.get()) != 0) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd entry{PQsocket(second.get()), POLLIN, 0};
        if (left.count() <= 0 || (options.give_up && options.give_up())) {
            return false;
        }
        (void)::poll(&entry, 1, static_cast<int>(std::min(left, kStep).count()));
        if (PQconsumeInput(second.get()) == 0) {
            return false;
        }
    }
    return true;
}

}  // namespace jobforge::pg
