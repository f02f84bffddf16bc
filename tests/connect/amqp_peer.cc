#include "amqp_peer.h"

#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>

#include <cstdio>
#include <cstdlib>

namespace jobforge::test {

namespace {

constexpr amqp_channel_t kChannel = 1;

amqp_bytes_t bytes(const std::string& text) {
    return {text.size(), const_cast<char*>(text.data())};
}

std::string text(amqp_bytes_t bytes) {
    return {static_cast<const char*>(bytes.bytes), bytes.len};
}

void check(amqp_rpc_reply_t reply, const char* what) {
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) {
        std::fprintf(stderr, "test peer: %s failed\n", what);
        std::abort();
    }
}

}  // namespace

AmqpPeer::AmqpPeer(int port) : state_(amqp_new_connection()) {
    amqp_socket_t* socket = amqp_tcp_socket_new(state_);
    if (amqp_socket_open(socket, "127.0.0.1", port) != AMQP_STATUS_OK) {
        std::fprintf(stderr, "test peer: cannot connect\n");
        std::abort();
    }
    check(amqp_login(state_, "/", 0, AMQP_DEFAULT_FRAME_SIZE, 0, AMQP_SASL_METHOD_PLAIN, "guest",
                     "guest"),
          "login");
    amqp_channel_open(state_, kChannel);
    check(amqp_get_rpc_reply(state_), "channel");
}

AmqpPeer::~AmqpPeer() {
    amqp_connection_close(state_, AMQP_REPLY_SUCCESS);
    amqp_destroy_connection(state_);
}

void AmqpPeer::declare_exchange(const std::string& exchange, const std::string& type) {
    amqp_exchange_declare(state_, kChannel, bytes(exchange), bytes(type), 0, 1, 0, 0,
                          amqp_empty_table);
    check(amqp_get_rpc_reply(state_), "exchange");
}

void AmqpPeer::delete_exchange(const std::string& exchange) {
    amqp_exchange_delete(state_, kChannel, bytes(exchange), 0);
    check(amqp_get_rpc_reply(state_), "delete");
}

bool AmqpPeer::is_durable_exchange(const std::string& exchange, const std::string& type) {
    constexpr amqp_channel_t kProbe = 2;  // a disagreement costs the channel
    amqp_channel_open(state_, kProbe);
    check(amqp_get_rpc_reply(state_), "channel");
    amqp_exchange_declare(state_, kProbe, bytes(exchange), bytes(type), 0, 1, 0, 0,
                          amqp_empty_table);
    const bool same = amqp_get_rpc_reply(state_).reply_type == AMQP_RESPONSE_NORMAL;
    if (same) {
        amqp_channel_close(state_, kProbe, AMQP_REPLY_SUCCESS);
    }
    return same;
}

void AmqpPeer::listen(const std::string& exchange, const std::string& routing_key) {
    const auto* queue =
        amqp_queue_declare(state_, kChannel, amqp_empty_bytes, 0, 0, 1, 1, amqp_empty_table);
    check(amqp_get_rpc_reply(state_), "queue");
    const std::string name = text(queue->queue);
    amqp_queue_bind(state_, kChannel, bytes(name), bytes(exchange), bytes(routing_key),
                    amqp_empty_table);
    check(amqp_get_rpc_reply(state_), "bind");
    amqp_basic_consume(state_, kChannel, bytes(name), amqp_empty_bytes, 0, 1, 1, amqp_empty_table);
    check(amqp_get_rpc_reply(state_), "consume");
}

std::optional<AmqpPeer::Message> AmqpPeer::receive() {
    amqp_envelope_t envelope{};
    const timeval limit{20, 0};
    const auto reply = amqp_consume_message(state_, &envelope, &limit, 0);
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) {
        return std::nullopt;
    }
    Message message{text(envelope.message.body), text(envelope.message.properties.content_type),
                    envelope.message.properties.delivery_mode};
    amqp_destroy_envelope(&envelope);
    return message;
}

void AmqpPeer::publish(const std::string& exchange, const std::string& routing_key,
                       const std::string& body, std::size_t header_bytes) {
    const std::string filler(header_bytes, 'h');
    amqp_table_entry_t entry{};
    entry.key = amqp_cstring_bytes("filler");
    entry.value.kind = AMQP_FIELD_KIND_UTF8;
    entry.value.value.bytes = bytes(filler);
    amqp_basic_properties_t properties{};
    properties._flags = AMQP_BASIC_HEADERS_FLAG;
    properties.headers = {header_bytes > 0 ? 1 : 0, &entry};
    if (amqp_basic_publish(state_, kChannel, bytes(exchange), bytes(routing_key), 0, 0, &properties,
                           bytes(body)) != AMQP_STATUS_OK) {
        std::fprintf(stderr, "test peer: cannot publish\n");
        std::abort();
    }
}

}  // namespace jobforge::test
