#include "connect/http/decompress.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace jobforge::connect {

namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;  // zlib: a gzip header, and no other

Error not_gzip(std::string_view why) {
    return Error::of(ErrorCode::VALIDATION_ERROR, fmt::format("not gzip: {}", why));
}

// zlib's state with its end.
class Inflater final {
public:
    explicit Inflater(std::string_view input) {
        // zlib does not write to its input; the type is older than const.
        stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(input.data()));
        stream_.avail_in = static_cast<uInt>(input.size());
        ready_ = ::inflateInit2(&stream_, kGzipOnly) == Z_OK;
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    ~Inflater() { ::inflateEnd(&stream_); }

    [[nodiscard]] bool ready() const noexcept { return ready_; }
    [[nodiscard]] bool input_left() const noexcept { return stream_.avail_in > 0; }
    // The next bytes, valid until the next call; `state` is zlib's answer.
    [[nodiscard]] std::string_view step(int& state) {
        stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
        stream_.avail_out = static_cast<uInt>(piece_.size());
        state = ::inflate(&stream_, Z_NO_FLUSH);
        return {piece_.data(), piece_.size() - stream_.avail_out};
    }
    [[nodiscard]] bool next_member() noexcept { return ::inflateReset(&stream_) == Z_OK; }

private:
    z_stream stream_{};
    bool ready_ = false;
    std::array<char, 16'384> piece_;
};

}  // namespace

Result<Gunzipped> gunzip(std::string_view input, std::size_t limit, bool partial) {
    if (input.size() > std::numeric_limits<uInt>::max()) {
        return Error::of(ErrorCode::VALIDATION_ERROR, "more than 4 GiB are not decompressed");
    }
    Inflater inflater(input);
    if (!inflater.ready()) {
        return Error::of(ErrorCode::INTERNAL_ERROR, "no memory to decompress an answer");
    }
    Gunzipped result;
    while (true) {
        int state = Z_OK;
        const std::string_view piece = inflater.step(state);
        const std::size_t room = limit - result.bytes.size();
        result.bytes.append(piece.substr(0, room));
        if (piece.size() > room) {
            result.truncated = true;
            return result;
        }
        if (state == Z_STREAM_END) {
            if (!inflater.input_left()) {
                return result;
            }
            if (!inflater.next_member()) {
                return not_gzip("a member cannot follow");
            }
        } else if (state == Z_BUF_ERROR && partial) {
            result.truncated = true;
            return result;
        } else if (state != Z_OK) {
            return not_gzip(state == Z_BUF_ERROR ? "it ends too early" : "the data is damaged");
        }
    }
}

namespace {

constexpr std::string_view kEncoding = "content-encoding";

enum class Encoding { none, gzip, other };

bool is_gzip(std::string_view name) noexcept {
    return same_name(name, "gzip") || same_name(name, "x-gzip");  // RFC 9110, 8.4.1.3
}

Encoding encoding_of(const HttpResponse& response) {
    Encoding found = Encoding::none;
    for (const auto& [name, value] : response.headers) {
        if (name != kEncoding || value.empty() || same_name(value, "identity")) {
            continue;
        }
        // A list ("gzip, gzip") or a second header is another layer.
        found = found == Encoding::none && is_gzip(value) ? Encoding::gzip : Encoding::other;
    }
    return found;
}

Error undecodable(std::string_view why, bool retryable) {
    Error error = Error::of(ErrorCode::CONNECTION_FAILED,
                            fmt::format("the body of the answer cannot be decoded: {}", why));
    error.retryable = retryable;
    error.outcome_unknown = true;
    return error;
}

// The answer's body dropped, if its status says enough by itself; else the error.
Result<HttpResponse> without_body(HttpResponse response, Error error) {
    if (response.status >= 200 && response.status < 300) {
        return error;
    }
    response.body.clear();
    response.truncated = true;
    return response;
}

Result<HttpResponse> decoded(HttpResponse response, std::size_t limit) {
    const Encoding encoding = encoding_of(response);
    if (encoding == Encoding::none || response.body.empty()) {  // the answer to HEAD, 204, 304
        return response;
    }
    if (encoding == Encoding::other) {
        return without_body(std::move(response),
                            undecodable("it is encoded in another way than gzip", false));
    }
    auto plain = gunzip(response.body, limit, response.truncated);
    if (!plain.ok()) {
        return without_body(std::move(response), undecodable(plain.error().message, true));
    }
    response.body = std::move(plain->bytes);
    response.truncated = response.truncated || plain->truncated;
    std::erase_if(response.headers, [](const auto& header) {
        return header.first == kEncoding || header.first == "content-length";
    });
    return response;
}

}  // namespace

Result<HttpResponse> Decompress::send(const HttpRequest& request, const std::stop_token& stop) {
    if (!request.decompress) {
        return inner_.send(request, stop);
    }
    HttpRequest asking = request;
    std::erase_if(asking.headers,
                  [](const auto& header) { return same_name(header.first, "accept-encoding"); });
    asking.headers.emplace_back("Accept-Encoding", "gzip");
    auto response = inner_.send(asking, stop);
    return response.ok() ? decoded(*std::move(response), request.max_decoded_bytes) : response;
}

}  // namespace jobforge::connect
