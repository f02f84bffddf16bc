#include "connect/amqp/amqp_message.h"

#include <fmt/format.h>

#include <jobforge/json.h>

namespace jobforge::connect {

std::string wake_message(const Uuid& job_id) {
    return fmt::format(R"({{"job_id":"{}"}})", job_id.to_string());
}

bool is_wake_message(std::string_view body) {
    if (body.size() > kLongestWakeMessage) {
        return false;
    }
    const auto parsed = Json::parse(body);
    if (!parsed.ok()) {
        return false;
    }
    const Json::Object* members = parsed->as_object();
    if (members == nullptr || members->size() != 1 || members->front().first != "job_id") {
        return false;
    }
    const std::string* id = members->front().second.as_string();
    return id != nullptr && Uuid::parse(*id).ok();
}

}  // namespace jobforge::connect
