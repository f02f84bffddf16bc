// Compressed bytes for tests, made by zlib itself.
#pragma once

#include <zlib.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace jobforge::connect::test_support {

// `repeat` times `text`, compressed as one gzip member piece by piece: a bomb needs no memory to
// be made.
inline std::string gzip(std::string_view text, std::size_t repeat = 1) {
    z_stream stream{};
    if (::deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        std::abort();
    }
    std::string out;
    char piece[16'384];
    for (std::size_t i = 0; i < repeat; ++i) {
        stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
        stream.avail_in = static_cast<uInt>(text.size());
        const int flush = i + 1 == repeat ? Z_FINISH : Z_NO_FLUSH;
        do {
            stream.next_out = reinterpret_cast<Bytef*>(piece);
            stream.avail_out = sizeof piece;
            (void)::deflate(&stream, flush);
            out.append(piece, sizeof piece - stream.avail_out);
        } while (stream.avail_out == 0);
    }
    ::deflateEnd(&stream);
    return out;
}

}  // namespace jobforge::connect::test_support
