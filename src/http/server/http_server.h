// The HTTP/1.1 server below the API: sockets, time and limits; it knows no route.
//
// Life of a request:
//   1. An I/O thread reads the head, refuses what is not exactly HTTP (request_head_check.h: 400,
//      and the connection ends, because what follows a doubtful request cannot be trusted) and
//      asks the application for a plan (application.h): how large the body may be, or an answer
//      right away.
//   2. It reads the body: a Content-Length above the limit is refused before a byte of it is read
//      or allocated, a chunked body as soon as it grows past the limit. All bodies together have a
//      limit too, and each party's a share of it: what would go beyond is a 503 or a 429. Before a
//      large body is read, or read on, Exchange::admit() says on a handler thread whether its
//      sender may ask at all.
//   3. If Exchange::begin() can send the request on to the database, no thread waits for the rows:
//      the I/O thread that finds them has the answer. All others wait in one bounded queue for a
//      handler thread. If the queue is full, or its oldest request waits longer than shed_after,
//      the answer is 503 with Retry-After at once: what cannot be served soon should go elsewhere,
//      not time out here. Each party (Plan::party) has its own line in it and a share of the
//      handlers; 429 if only its own requests keep it waiting.
//   4. handle() runs on a handler thread, the only ones that may block. An exception is a 500 that
//      shows nothing; the log has it under the correlation id. Large answers are compressed here.
//   5. The thread that has the answer writes what the system takes of it at once, so that no I/O
//      thread is woken for most answers (turns.h). Then the connection's next request begins: a
//      connection has at most one request under way, so pipelined requests are answered in order
//      and cannot pile up.
//
// Connections are limited, of all clients and of each address; beyond the limits there is a small
// reserve in which health is still answered (http_listener.h).
//
// A slow client can hold a connection, never a handler thread: only I/O threads wait
// for clients, for all of them at once, with deadlines. While a request waits or is
// handled, nothing is read from its client.
//
// HTTP's grammar is our own (request_head_check.h, chunked_body.h), because a lenient parser behind
// a strict check is two opinions about one message, which is what request smuggling lives from. The
// fuzzer compares ours with Boost.Beast's.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include <jobforge/error.h>
#include <jobforge/log.h>

#include "http/server/application.h"

namespace jobforge::http {

struct ServerOptions {
    std::string address = "127.0.0.1";  // an IP address; 0.0.0.0 or :: for all
    int port = 0;                       // 0: a free one, see Server::port()

    Logger log = {};

    // PEM files; both or neither. The certificate file holds the chain, leaf first. Over TLS each
    // answer has Strict-Transport-Security.
    std::string tls_certificate_file = {};
    std::string tls_key_file = {};

    int io_threads = 1;       // 1..64; parsing and copying only: one serves tens of thousands/s
    int handler_threads = 8;  // 1..1024
    // How many requests of all parties are at work at once, with begin() and handle() together;
    // fewer than handler_threads, so that others find one. 0: parties are not limited.
    std::size_t party_slots = 0;
    std::size_t eager_handlers = 8;  // how many of them take a request at once (work_queue.h)
    std::size_t queue_limit = 256;   // requests of a party waiting for a handler; at least 1
    std::chrono::milliseconds shed_after{1000};  // see 3. above

    // Connections at a time, and of them those of one address (http_listener.h says what becomes of
    // further ones). Both are reduced to what the process has file descriptors for.
    std::size_t max_connections = 4096;
    std::size_t max_connections_per_address = 0;  // 0: a quarter of max_connections
    // Places beyond the limits, for one request each that must come within reserve_timeout: vital
    // ones are answered, others get 503.
    std::size_t reserve_connections = 64;
    std::chrono::milliseconds reserve_timeout{2000};
    // At the limit a connection that has waited longer for a request ends for a new one.
    std::chrono::milliseconds idle_gives_way_after{1000};
    std::chrono::milliseconds flood_log_every{10'000};  // lines about connections beyond the limits
    std::size_t max_header_bytes = 16384;               // request line and headers; 431 above
    std::size_t max_header_count = 100;                 // 431 above
    std::size_t max_target_bytes = 8192;                // 414 above
    // Of all bodies in memory together (body_budget.h); 503 above. A party has two thirds of it at
    // most, 429 above: at least one and a half times the largest body_limit of plan(), or that one
    // is never served.
    std::size_t max_bodies_bytes = std::size_t{96} << 20;

    std::size_t admit_above = 65536;  // bytes of a body; see Exchange::admit

    // Deadlines. A client that misses one is closed without an answer: it would not read it.
    // First to last byte of a head; a new connection's first byte must come within it too.
    std::chrono::milliseconds header_timeout{10'000};
    std::chrono::milliseconds idle_timeout{60'000};  // between requests
    std::chrono::milliseconds tls_handshake_timeout{10'000};
    // For an answer that begin() has left pending; then it is given up (PendingAnswer::give_up).
    std::chrono::milliseconds pending_timeout{10'000};
    // A body may take `transfer_grace`, plus a second for every `min_bytes_per_second` that have
    // arrived: a slower sender is cut off, however large the body. Answers likewise.
    std::chrono::milliseconds transfer_grace{10'000};
    // No body may pause for longer, however much of it came before (transfer_pace.h).
    std::chrono::milliseconds longest_pause{30'000};
    std::size_t min_bytes_per_second = 4096;
    // One body comes no faster, after its first 64 KiB; 0: as fast as it comes.
    std::size_t max_bytes_per_second = std::size_t{64} << 20;
    // A quiet event stream gets a comment this often; a client that takes nothing for
    // transfer_grace is cut off.
    std::chrono::milliseconds stream_keep_alive{15'000};
};

// Threads: all members from any thread, but drain(), stop() and the destructor not from a callback.
class Server final {
public:
    // Listens and serves the application, which must outlive the server (or its stop()).
    // VALIDATION_ERROR for bad options, CONFIG_MISSING for certificate files
    // that cannot be used, INTERNAL_ERROR if the address cannot be listened on; the message says
    // which and why.
    [[nodiscard]] static Result<std::unique_ptr<Server>> start(Application& application,
                                                               ServerOptions options);

    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server();  // stop()

    // The port it listens on.
    [[nodiscard]] int port() const noexcept { return port_; }

    // Reads the certificate files again (on SIGHUP): connections made from now on get the new
    // certificate, open ones keep theirs. If the files cannot be used the old ones stay and the
    // error says why. Nothing happens without TLS.
    [[nodiscard]] Status reload_certificate();

    struct Load {
        std::size_t connections = 0;
        std::size_t waiting = 0;   // requests in the queue
        std::size_t handling = 0;  // handler threads at work
    };
    [[nodiscard]] Load load() const;

    // Stops listening, closes idle connections, ends event streams in good order, and waits until
    // every request that was begun has its answer (with Connection: close), but no longer than
    // `limit`. True if all were finished. stop() may follow.
    [[nodiscard]] bool drain(std::chrono::milliseconds limit);
    // Closes everything; waits only for handlers that are running. May be repeated.
    void stop();

private:
    class Core;
    Server(std::unique_ptr<Core> core, int port);
    int port_;
    std::unique_ptr<Core> core_;
};

}  // namespace jobforge::http
