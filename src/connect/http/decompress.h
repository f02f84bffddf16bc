// Compressed answers, decoded within bounds.
#pragma once

#include "connect/http/transport.h"

namespace jobforge::connect {

// Bytes after gunzip(); at most the limit.
struct Gunzipped {
    std::string bytes;
    bool truncated = false;  // there was more
};

// Decodes gzip (RFC 1952, several members too), stopping at `limit` bytes: a bomb costs its limit,
// never its size. With `partial` the input was cut off, and its sudden end is not a fault.
// VALIDATION_ERROR for anything else that is not gzip: bad header, bad checksum, rubbish behind it.
// Pure.
[[nodiscard]] Result<Gunzipped> gunzip(std::string_view input, std::size_t limit,
                                       bool partial = false);

// For requests with `decompress`: asks for gzip and decodes it. Both bounds hold: at most
// max_response_bytes are read, at most max_decoded_bytes come out; beyond, the body is cut off and
// `truncated` true. A decoded answer has no content-encoding and content-length headers any more.
// Threads: any number.
class Decompress final : public Transport {
public:
    // `inner` must outlive it.
    explicit Decompress(Transport& inner) : inner_(inner) {}

    // As `inner`, and CONNECTION_FAILED for a 2xx answer whose body cannot be decoded: retryable
    // if the gzip is broken; permanent if it is encoded in another way, or twice. Of other answers
    // the status is what counts: their body is dropped instead, `truncated` true.
    [[nodiscard]] Result<HttpResponse> send(const HttpRequest& request,
                                            const std::stop_token& stop = {}) override;

private:
    Transport& inner_;
};

}  // namespace jobforge::connect
