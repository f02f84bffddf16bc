#include "http/parse/chunked_body.h"

#include <algorithm>

#include "base/text/hex_digit.h"

namespace jobforge::http {

namespace {

// Of all extensions of a body, and of its trailers. Neither is needed; what reads past them
// without end can be kept busy without end.
constexpr std::size_t kMaxOverhead = 4096;
constexpr std::size_t kMaxSizeDigits = 16;  // 64 bits: more would wrap around

bool may_stand_in_line(char c) noexcept {
    return (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) || c == '\t';
}

}  // namespace

std::size_t ChunkedBody::feed(std::string_view bytes, std::string& body) {
    std::size_t taken = 0;
    while (taken < bytes.size() && state_ == State::more) {
        if (place_ == Place::data) {
            const std::size_t count = std::min<std::uint64_t>(left_, bytes.size() - taken);
            body.append(bytes.substr(taken, count));
            taken += count;
            left_ -= count;
            place_ = left_ == 0 ? Place::data_cr : Place::data;
        } else {
            if (!take_control(bytes[taken], body) && state_ == State::more) {
                state_ = State::malformed;
            }
            ++taken;
        }
    }
    return taken;
}

// A byte between the data. False: it may not stand here.
bool ChunkedBody::take_control(char c, const std::string& body) {
    switch (place_) {
        case Place::size:
            return take_size(c);
        case Place::extension:
            place_ = c == '\r' ? Place::size_lf : Place::extension;
            return c == '\r' || (may_stand_in_line(c) && ++overhead_ <= kMaxOverhead);
        case Place::size_lf:
            return c == '\n' && begin_chunk(body);
        case Place::data_cr:
            place_ = Place::data_lf;
            return c == '\r';
        case Place::data_lf:
            place_ = Place::size;
            left_ = 0;
            digits_ = 0;
            return c == '\n';
        case Place::trailer:
            return take_trailer(c);
        case Place::data:
            break;
    }
    return false;
}

bool ChunkedBody::take_size(char c) {
    if (const int digit = hex_digit_value(c); digit >= 0) {
        left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
        return ++digits_ <= kMaxSizeDigits;
    }
    place_ = c == '\r' ? Place::size_lf : Place::extension;
    return digits_ > 0 && (c == '\r' || c == ';');
}

bool ChunkedBody::begin_chunk(const std::string& body) {
    if (left_ > body_limit_ - std::min<std::uint64_t>(body_limit_, body.size())) {
        state_ = State::too_large;
        return false;
    }
    place_ = left_ == 0 ? Place::trailer : Place::data;
    return true;
}

bool ChunkedBody::take_trailer(char c) {
    if (++overhead_ > kMaxOverhead) {
        return false;
    }
    if (after_cr_) {
        if (c == '\n' && trailer_line_ == 0) {
            state_ = State::complete;
        }
        after_cr_ = false;
        trailer_line_ = 0;
        return c == '\n';
    }
    after_cr_ = c == '\r';
    trailer_line_ += after_cr_ ? 0 : 1;
    return after_cr_ || may_stand_in_line(c);
}

}  // namespace jobforge::http
