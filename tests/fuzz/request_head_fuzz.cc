// Any bytes as what a client sends on a connection: a head and a body. What must hold: the outcome
// does not depend on how the bytes are cut into pieces; what is accepted is plain (a path without
// tricks, values without line breaks); and a foreign parser, Boost.Beast's, reads the same message
// in it, to the byte where the next request begins: two opinions about that are request smuggling.
// A violation aborts.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "http/parse/body_reader.h"
#include "http/parse/http_text.h"
#include "http/parse/request_head_check.h"

namespace {

using namespace jobforge::http;
namespace http = boost::beast::http;

constexpr std::uint64_t kBodyLimit = 100'000;

void require(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
    }
}

struct Body {
    BodyReader::State state;
    std::string bytes;
    std::size_t taken;
};

Body read_body(const CheckedHead& head, std::string_view text, std::size_t piece) {
    BodyReader reader(head.framing, head.content_length, kBodyLimit);
    Body body{reader.state(), "", 0};
    while (reader.state() == BodyReader::State::more && body.taken < text.size()) {
        body.taken += reader.feed(text.substr(body.taken, piece), body.bytes);
    }
    body.state = reader.state();
    return body;
}

void check_plainness(const RequestHead& head) {
    require(head.path == "*" || head.path.starts_with('/'), "a path begins with a slash");
    require(head.path.find('\0') == std::string::npos, "no NUL in a path");
    require(head.path.find('\\') == std::string::npos, "no backslash in a path");
    require((head.path + "/").find("/../") == std::string::npos, "no .. segment");
    require((head.path + "/").find("/./") == std::string::npos, "no . segment");
    const auto slashes = [](std::string_view text) {
        return std::count(text.begin(), text.end(), '/');
    };
    require(slashes(head.path) <= slashes(head.target) + 1, "decoding makes no segments");
    for (const Header& header : head.headers) {
        require(is_token(header.name) && is_field_value(header.value), "headers are plain");
    }
}

// Beast's opinion about an accepted head and what follows it.
void compare(const CheckedHead& ours, std::string_view text, std::size_t head_size) {
    http::request_parser<http::string_body> theirs;
    theirs.header_limit(std::numeric_limits<std::uint32_t>::max());
    theirs.body_limit(boost::none);
    theirs.eager(true);
    boost::system::error_code fault;
    std::size_t used = theirs.put(boost::asio::buffer(text.substr(0, head_size)), fault);
    require(!fault || fault == http::error::need_more, "beast accepts the head");
    require(theirs.is_header_done(), "beast sees the same end of the head");
    require(used == head_size, "beast takes the whole head");
    const auto& message = theirs.get();
    require(message.method_string() == ours.head.method, "beast sees the same method");
    require(message.target() == ours.head.target, "beast sees the same target");
    require(static_cast<std::size_t>(std::distance(message.begin(), message.end())) ==
                ours.head.headers.size(),
            "beast sees as many headers");
    require(theirs.chunked() == (ours.framing == BodyFraming::chunked), "the same framing");
    require(theirs.content_length().value_or(0) == ours.content_length, "the same length");
    const Body body = read_body(ours, text.substr(head_size), text.size());
    if (body.state != BodyReader::State::complete) {
        return;
    }
    while (!theirs.is_done() && !fault && used < text.size()) {
        used += theirs.put(boost::asio::buffer(text.substr(used)), fault);
    }
    if (!fault && theirs.is_done()) {  // it is stricter about extensions and trailers
        require(used == head_size + body.taken, "the next request begins at the same byte");
        require(theirs.get().body() == body.bytes, "the same body");
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const HeadLimits limits;
    HeadScan whole(limits);
    const std::size_t head_size = whole.find_end(text);
    HeadScan pieces(limits);
    std::size_t found = 0;
    for (std::size_t arrived = 1; arrived <= size && found == 0 && pieces.refusal().status == 0;
         ++arrived) {
        found = pieces.find_end(text.substr(0, arrived));
    }
    require(found == head_size, "the head's end does not depend on the pieces");
    require(pieces.refusal().status == whole.refusal().status, "nor does a refusal");
    if (head_size == 0) {
        return 0;
    }
    HeadRefusal refusal;
    const auto head = check_request_head(text.substr(0, head_size), limits, refusal);
    require(head.has_value() == (refusal.status == 0), "accepted or refused, not both");
    if (!head) {
        return 0;
    }
    check_plainness(head->head);
    const Body at_once = read_body(*head, text.substr(head_size), size);
    const Body by_byte = read_body(*head, text.substr(head_size), 1);
    require(at_once.state == by_byte.state && at_once.taken == by_byte.taken &&
                at_once.bytes == by_byte.bytes,
            "the body does not depend on the pieces");
    require(at_once.bytes.size() <= kBodyLimit, "a body keeps to its limit");
    compare(*head, text, head_size);
    return 0;
}
