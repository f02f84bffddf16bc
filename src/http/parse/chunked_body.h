// Decodes a chunked body (RFC 9112, 7.1) as it arrives, strictly and within limits.
//
// Chunk sizes are 1 to 16 hex digits and nothing else; extensions are read past, but only visible
// characters, and little of them; trailers are read past within a limit and never become headers.
// Pure: bytes in, bytes out. Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace jobforge::http {

class ChunkedBody final {
public:
    enum class State { more, complete, malformed, too_large };

    // `body_limit`: bytes of data; one more is too_large.
    explicit ChunkedBody(std::uint64_t body_limit) : body_limit_(body_limit) {}

    // Takes bytes and appends their data to `body`. Returns how many bytes were taken: all, unless
    // the body ended before (what follows is the next request's) or the state became a refusal.
    [[nodiscard]] std::size_t feed(std::string_view bytes, std::string& body);
    [[nodiscard]] State state() const noexcept { return state_; }

private:
    enum class Place { size, extension, size_lf, data, data_cr, data_lf, trailer };
    bool take_control(char c, const std::string& body);
    bool take_size(char c);
    bool take_trailer(char c);
    bool begin_chunk(const std::string& body);

    std::uint64_t body_limit_;
    State state_ = State::more;
    Place place_ = Place::size;
    std::uint64_t left_ = 0;        // of the current chunk; while its size is read: the size so far
    std::size_t digits_ = 0;        // of the size
    std::size_t overhead_ = 0;      // bytes of this chunk's extension, or of the trailers
    std::size_t trailer_line_ = 0;  // characters of the current trailer line
    bool after_cr_ = false;
};

}  // namespace jobforge::http
