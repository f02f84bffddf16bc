// The one message we send through a broker: {"job_id":"<uuid>"}. Pure.
//
// It says "look into the database now" and nothing else: the receiver never uses the id, so that
// a writer to the exchange can make workers look, but not make them do anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <jobforge/uuid.h>

namespace jobforge::connect {

// Our own messages have 49 bytes. Other writers may add blanks; more than this is not a wake-up,
// and the consumer does not even keep the bytes.
inline constexpr std::size_t kLongestWakeMessage = 256;

// Exactly {"job_id":"<uuid>"}.
[[nodiscard]] std::string wake_message(const Uuid& job_id);

// Whether it is a JSON object with the single member job_id, a UUID. Any bytes may be passed.
[[nodiscard]] bool is_wake_message(std::string_view body);

}  // namespace jobforge::connect
