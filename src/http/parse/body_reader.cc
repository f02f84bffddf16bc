#include "http/parse/body_reader.h"

#include <algorithm>

namespace jobforge::http {

namespace {

// Up to here a body grows as it arrives: an announcement costs nothing.
constexpr std::size_t kFirstRoom = 1 << 20;

}  // namespace

BodyReader::BodyReader(BodyFraming framing, std::uint64_t content_length, std::uint64_t limit)
    : chunked_(framing == BodyFraming::chunked),
      chunks_(limit),
      left_(framing == BodyFraming::length ? content_length : 0),
      room_(chunked_ ? limit : left_) {
    if (left_ == 0) {
        state_ = State::complete;
    } else if (left_ > limit) {
        state_ = State::too_large;
    }
}

std::size_t BodyReader::feed(std::string_view bytes, std::string& body) {
    std::size_t count = 0;
    if (chunked_) {
        count = chunks_.feed(bytes, body);
    } else if (state_ == State::more) {
        count = std::min<std::uint64_t>(left_, bytes.size());
        body.append(bytes.substr(0, count));
        left_ -= count;
        state_ = left_ == 0 ? State::complete : State::more;
    }
    taken_ += count;
    // Then it gets all the room it may need, which is memory only where it is written. Growing
    // would copy it again and again, 32 MiB at a time, while other clients wait for this thread.
    if (body.size() > kFirstRoom && body.capacity() < room_) {
        body.reserve(room_);
    }
    return count;
}

}  // namespace jobforge::http
