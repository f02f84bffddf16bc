#include "connect/amqp/amqp_connection.h"

#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "connect/amqp/amqp_message.h"
#include "connect/amqp/amqp_socket.h"

namespace jobforge::connect {

namespace {

constexpr amqp_channel_t kChannel = 1;
constexpr amqp_channel_t kProbeChannel = 2;
// The broker's own default. It sends a message's headers as one frame even to a client that asked
// for smaller ones, and librabbitmq takes a frame that is too large for a broken connection: with a
// smaller limit, one message with large headers would throw every worker out.
constexpr int kFrameMax = 131072;
constexpr std::chrono::milliseconds kServiceStep{1000};
constexpr std::chrono::milliseconds kGoodbye{1000};
// A queue that is not read for a while may not fill the broker's memory: one wake-up is as good as
// many.
constexpr std::int32_t kQueueLength = 1024;
constexpr std::size_t kLongestQuote = 200;

timeval to_timeval(std::chrono::milliseconds time) noexcept {
    return {static_cast<time_t>(time.count() / 1000),
            static_cast<suseconds_t>(time.count() % 1000 * 1000)};
}

amqp_bytes_t bytes(const std::string& text) noexcept {
    return {text.size(), const_cast<char*>(text.data())};
}

// What a broker says is foreign text: no control characters into the log, and not too much of it.
std::string quote(amqp_bytes_t text) {
    std::string result(static_cast<const char*>(text.bytes), std::min(text.len, kLongestQuote));
    for (char& c : result) {
        if (c < 0x20 || c > 0x7e) {
            c = '?';
        }
    }
    return result;
}

std::string describe_close(const amqp_method_t& method) {
    if (method.id == AMQP_CONNECTION_CLOSE_METHOD) {
        return quote(static_cast<const amqp_connection_close_t*>(method.decoded)->reply_text);
    }
    if (method.id == AMQP_CHANNEL_CLOSE_METHOD) {
        return quote(static_cast<const amqp_channel_close_t*>(method.decoded)->reply_text);
    }
    return fmt::format("unexpected method {:#x}", method.id);
}

amqp_table_entry_t entry(const char* key, const char* value) noexcept {
    amqp_table_entry_t result{};
    result.key = amqp_cstring_bytes(key);
    result.value.kind = AMQP_FIELD_KIND_UTF8;
    result.value.value.bytes = amqp_cstring_bytes(value);
    return result;
}

amqp_table_entry_t entry(const char* key, bool value) noexcept {
    amqp_table_entry_t result{};
    result.key = amqp_cstring_bytes(key);
    result.value.kind = AMQP_FIELD_KIND_BOOLEAN;
    result.value.value.boolean = value ? 1 : 0;
    return result;
}

void signal_event(int fd) noexcept {
    const std::uint64_t one = 1;
    (void)!::write(fd, &one, sizeof one);
}

int poll_for(pollfd* watched, nfds_t count, std::chrono::milliseconds limit) noexcept {
    return ::poll(watched, count, static_cast<int>(std::max<std::int64_t>(limit.count(), 0)));
}

}  // namespace

AmqpConnection::AmqpConnection(AmqpConnectionOptions options)
    : options_(std::move(options)),
      wake_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      stop_fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    redactor_.add(options_.url.password);
}

AmqpConnection::~AmqpConnection() {
    close();
    ::close(wake_fd_);
    ::close(stop_fd_);
}

Error AmqpConnection::failed(std::string_view what, std::string_view why) const {
    Error error =
        Error::of(ErrorCode::QUEUE_UNAVAILABLE, redactor_.apply(fmt::format("{}: {}", what, why)));
    error.connection_lost = true;
    return error;
}

Status AmqpConnection::open() {
    const AmqpUrl& url = options_.url;
    auto fd = connect_tcp(url.host, url.port, options_.connect_timeout, stop_fd_);
    if (!fd.ok()) {
        return std::move(fd).error();
    }
    state_ = amqp_new_connection();
    amqp_socket_t* socket = state_ != nullptr ? amqp_tcp_socket_new(state_) : nullptr;
    if (socket == nullptr) {
        ::close(*fd);
        return failed("connect", "out of memory");
    }
    amqp_tcp_socket_set_sockfd(socket, *fd);  // from here on the state owns it
    {
        const std::lock_guard guard(socket_mutex_);
        socket_ = *fd;
    }
    if (interrupted_) {
        return failed("connect", "stopped");
    }
    usable_ = true;
    return log_in();
}

Status AmqpConnection::log_in() {
    const timeval handshake = to_timeval(options_.connect_timeout);
    const timeval request = to_timeval(options_.request_timeout);
    (void)amqp_set_handshake_timeout(state_, &handshake);
    (void)amqp_set_rpc_timeout(state_, &request);

    // Without connection.blocked the broker would silently stop reading from us in an alarm.
    std::array capabilities = {entry("connection.blocked", true),
                               entry("consumer_cancel_notify", true)};
    std::array properties = {entry("connection_name", options_.name.c_str()),
                             entry("capabilities", true)};
    properties[1].value.kind = AMQP_FIELD_KIND_TABLE;
    properties[1].value.value.table = {static_cast<int>(capabilities.size()), capabilities.data()};
    const amqp_table_t table = {static_cast<int>(properties.size()), properties.data()};

    const AmqpUrl& url = options_.url;
    const amqp_rpc_reply_t reply = amqp_login_with_properties(
        state_, url.vhost.c_str(), AMQP_DEFAULT_MAX_CHANNELS, kFrameMax, options_.heartbeat_seconds,
        &table, AMQP_SASL_METHOD_PLAIN, url.user.c_str(), url.password.c_str());
    if (reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION) {
        return failed("log in", describe_close(reply.reply));
    }
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) {
        return failed("log in", amqp_error_string2(reply.library_error));
    }
    (void)amqp_channel_open(state_, kChannel);
    return check_reply("open a channel");
}

void AmqpConnection::close() noexcept {
    if (state_ == nullptr) {
        return;
    }
    if (usable_ && !blocked_ && !interrupted_) {
        const timeval limit = to_timeval(kGoodbye);
        (void)amqp_set_rpc_timeout(state_, &limit);
        (void)amqp_connection_close(state_, AMQP_REPLY_SUCCESS);
    }
    {
        const std::lock_guard guard(socket_mutex_);
        socket_ = -1;
        (void)amqp_destroy_connection(std::exchange(state_, nullptr));
    }
    usable_ = false;
    blocked_ = false;
    in_message_ = false;
}

// Turns the answer to the last request into a Status.
Status AmqpConnection::check_reply(std::string_view what) {
    const amqp_rpc_reply_t reply = amqp_get_rpc_reply(state_);
    switch (reply.reply_type) {
        case AMQP_RESPONSE_NORMAL:
            return ok_status();
        case AMQP_RESPONSE_SERVER_EXCEPTION:
            return failed(what, describe_close(reply.reply));
        default:
            break;
    }
    usable_ = false;
    return failed(what, amqp_error_string2(reply.library_error));
}

Status AmqpConnection::use_exchange(const std::string& exchange) {
    // Asking is allowed to users who may not make exchanges, and an exchange of another type than
    // ours serves as well. "There is none" costs the channel it was asked on: hence one of its own.
    (void)amqp_channel_open(state_, kProbeChannel);
    if (Status status = check_reply("open a channel"); !status.ok()) {
        return status;
    }
    (void)amqp_exchange_declare(state_, kProbeChannel, bytes(exchange), amqp_cstring_bytes("topic"),
                                1, 1, 0, 0, amqp_empty_table);
    const amqp_rpc_reply_t reply = amqp_get_rpc_reply(state_);
    if (reply.reply_type == AMQP_RESPONSE_NORMAL) {
        (void)amqp_channel_close(state_, kProbeChannel, AMQP_REPLY_SUCCESS);
        return ok_status();
    }
    if (reply.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION ||
        reply.reply.id != AMQP_CHANNEL_CLOSE_METHOD) {
        return check_reply("look for the exchange");
    }
    amqp_channel_close_ok_t confirmed{};
    (void)amqp_send_method(state_, kProbeChannel, AMQP_CHANNEL_CLOSE_OK_METHOD, &confirmed);
    (void)amqp_exchange_declare(state_, kChannel, bytes(exchange), amqp_cstring_bytes("topic"), 0,
                                1, 0, 0, amqp_empty_table);
    return check_reply("make the exchange");
}

Status AmqpConnection::consume(const std::string& exchange, const std::string& routing_key) {
    amqp_table_entry_t limit{};
    limit.key = amqp_cstring_bytes("x-max-length");
    limit.value.kind = AMQP_FIELD_KIND_I32;
    limit.value.value.i32 = kQueueLength;
    const amqp_table_t arguments = {1, &limit};
    const auto* queue =
        amqp_queue_declare(state_, kChannel, amqp_empty_bytes, 0, 0, 1, 1, arguments);
    if (queue == nullptr) {
        return check_reply("make a queue");
    }
    queue_.assign(static_cast<const char*>(queue->queue.bytes), queue->queue.len);
    if (Status status = bind_again(exchange, routing_key); !status.ok()) {
        return status;
    }
    (void)amqp_basic_consume(state_, kChannel, bytes(queue_), amqp_empty_bytes, 0, 1, 1,
                             amqp_empty_table);
    return check_reply("consume");
}

Status AmqpConnection::bind_again(const std::string& exchange, const std::string& routing_key) {
    (void)amqp_queue_bind(state_, kChannel, bytes(queue_), bytes(exchange), bytes(routing_key),
                          amqp_empty_table);
    return check_reply("bind the queue");
}

Status AmqpConnection::publish(const std::string& exchange, const std::string& routing_key,
                               const std::string& body) {
    // amqp_basic_publish waits for room in the socket without end. A message of ours is far smaller
    // than the room that poll() promises, so waiting here instead bounds it.
    pollfd watched = {amqp_get_sockfd(state_), POLLOUT, 0};
    if (poll_for(&watched, 1, options_.request_timeout) <= 0) {
        usable_ = false;
        return failed("publish", "the broker takes no data");
    }
    amqp_basic_properties_t properties{};
    properties._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG;
    properties.content_type = amqp_cstring_bytes("application/json");
    properties.delivery_mode = AMQP_DELIVERY_NONPERSISTENT;
    const int fault = amqp_basic_publish(state_, kChannel, bytes(exchange), bytes(routing_key), 0,
                                         0, &properties, bytes(body));
    if (fault != AMQP_STATUS_OK) {
        usable_ = false;
        return failed("publish", amqp_error_string2(fault));
    }
    return ok_status();
}

bool AmqpConnection::wait_readable(std::chrono::milliseconds limit) noexcept {
    if (amqp_frames_enqueued(state_) || amqp_data_in_buffer(state_)) {
        return true;
    }
    pollfd watched[3] = {
        {amqp_get_sockfd(state_), POLLIN, 0}, {wake_fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}};
    (void)poll_for(watched, 3, std::min(limit, kServiceStep));
    if (watched[1].revents != 0) {
        std::uint64_t count = 0;
        (void)!::read(wake_fd_, &count, sizeof count);
    }
    return watched[0].revents != 0;
}

Result<AmqpEvent> AmqpConnection::receive(std::chrono::milliseconds limit) {
    amqp_maybe_release_buffers(state_);
    (void)wait_readable(limit);
    // Also when nothing came: this call is what sends our heartbeats and misses the broker's.
    amqp_frame_t frame{};
    const timeval now{};
    const int fault = amqp_simple_wait_frame_noblock(state_, &frame, &now);
    if (fault == AMQP_STATUS_TIMEOUT) {
        return AmqpEvent(AmqpNothing{});
    }
    if (fault != AMQP_STATUS_OK) {
        usable_ = false;
        return failed("receive", amqp_error_string2(fault));
    }
    if (frame.frame_type == AMQP_FRAME_METHOD) {
        return on_method(&frame.payload.method);
    }
    if (frame.frame_type == AMQP_FRAME_HEADER && in_message_) {
        body_left_ = frame.payload.properties.body_size;
        message_.oversized = body_left_ > kLongestWakeMessage;
        return message_if_complete();
    }
    if (frame.frame_type == AMQP_FRAME_BODY && in_message_) {
        const amqp_bytes_t part = frame.payload.body_fragment;
        if (!message_.oversized) {
            message_.body.append(static_cast<const char*>(part.bytes), part.len);
        }
        body_left_ -= std::min<std::uint64_t>(part.len, body_left_);
        return message_if_complete();
    }
    return AmqpEvent(AmqpNothing{});
}

AmqpEvent AmqpConnection::message_if_complete() {
    if (body_left_ > 0) {
        return AmqpNothing{};
    }
    in_message_ = false;
    return std::exchange(message_, {});
}

Result<AmqpEvent> AmqpConnection::on_method(const void* method) {
    const auto& what = *static_cast<const amqp_method_t*>(method);
    switch (what.id) {
        case AMQP_BASIC_DELIVER_METHOD:
            in_message_ = true;
            message_ = {};
            return AmqpEvent(AmqpNothing{});
        case AMQP_CONNECTION_BLOCKED_METHOD:
            blocked_ = true;
            return AmqpEvent(AmqpBlocked{
                quote(static_cast<const amqp_connection_blocked_t*>(what.decoded)->reason)});
        case AMQP_CONNECTION_UNBLOCKED_METHOD:
            blocked_ = false;
            return AmqpEvent(AmqpUnblocked{});
        case AMQP_CONNECTION_CLOSE_METHOD: {
            // Without it the broker keeps the dead connection until its own timeout.
            amqp_connection_close_ok_t confirmed{};
            (void)amqp_send_method(state_, 0, AMQP_CONNECTION_CLOSE_OK_METHOD, &confirmed);
            usable_ = false;
            return failed("closed by the broker", describe_close(what));
        }
        case AMQP_CHANNEL_CLOSE_METHOD:
            return failed("closed by the broker", describe_close(what));
        case AMQP_BASIC_CANCEL_METHOD:
            return failed("receive", "the broker deleted our queue");
        default:
            return AmqpEvent(AmqpNothing{});
    }
}

void AmqpConnection::wake() noexcept {
    signal_event(wake_fd_);
}

void AmqpConnection::interrupt() noexcept {
    interrupted_ = true;
    signal_event(stop_fd_);
    const std::lock_guard guard(socket_mutex_);
    if (socket_ >= 0) {
        // Not close(): the owner may be in a system call on it. This ends those calls.
        (void)::shutdown(socket_, SHUT_RDWR);
    }
}

void AmqpConnection::wait(std::chrono::milliseconds limit) noexcept {
    pollfd watched[2] = {{wake_fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}};
    (void)poll_for(watched, 2, limit);
    if (watched[0].revents != 0) {
        std::uint64_t count = 0;
        (void)!::read(wake_fd_, &count, sizeof count);
    }
}

}  // namespace jobforge::connect
