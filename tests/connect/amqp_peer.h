// Another program at the same broker, written on librabbitmq alone: what it sees and sends does not
// depend on the code under test.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

struct amqp_connection_state_t_;

namespace jobforge::test {

class AmqpPeer final {
public:
    struct Message {
        std::string body;
        std::string content_type;
        int delivery_mode = 0;
    };

    explicit AmqpPeer(int port);
    AmqpPeer(const AmqpPeer&) = delete;
    AmqpPeer& operator=(const AmqpPeer&) = delete;
    ~AmqpPeer();

    void declare_exchange(const std::string& exchange, const std::string& type);
    void delete_exchange(const std::string& exchange);
    // Its type is asked by declaring it again: true if the broker agrees that it is this one.
    [[nodiscard]] bool is_durable_exchange(const std::string& exchange, const std::string& type);
    // From now on receive() sees what is published with this key.
    void listen(const std::string& exchange, const std::string& routing_key);
    [[nodiscard]] std::optional<Message> receive();
    // `header_bytes` of a header table go with it.
    void publish(const std::string& exchange, const std::string& routing_key,
                 const std::string& body, std::size_t header_bytes = 0);

private:
    amqp_connection_state_t_* state_;
};

}  // namespace jobforge::test
