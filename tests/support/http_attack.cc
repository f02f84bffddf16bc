#include "http_attack.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "http_client.h"

namespace jobforge::test {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHundredMegabytes = 100'000'000;
// The form of a key, so that the server reads a small body.
const std::string kNobody = "jf_dev_" + std::string(16, 'a') + "_" + std::string(52, 'a');
const std::string kNobodysKey = "Authorization: Bearer " + kNobody + "\r\n";
const std::string kHost = "Host: x\r\n";

std::string random_bytes(std::mt19937& random, std::size_t size) {
    std::string text(size, '\0');
    std::generate(text.begin(), text.end(), [&] { return static_cast<char>(random() & 0xff); });
    return text;
}

// A right request with a few bytes changed, taken out, doubled or put in.
std::string mutated(std::mt19937& random) {
    static const std::vector<std::string> kRight = {
        "GET /v1/jobs?limit=1 HTTP/1.1\r\n" + kHost + kNobodysKey + "\r\n",
        "POST /v1/jobs HTTP/1.1\r\n" + kHost + kNobodysKey +
            "Content-Type: application/json\r\nContent-Length: 20\r\n\r\n{\"type\":\"test.echo\"}",
        "POST /v1/jobs HTTP/1.1\r\n" + kHost + kNobodysKey +
            "Transfer-Encoding: chunked\r\n\r\n14\r\n{\"type\":\"test.echo\"}\r\n0\r\n\r\n",
        "HEAD /v1/health/live HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    };
    std::string text = kRight[random() % kRight.size()];
    for (unsigned times = 1 + random() % 4; times > 0; --times) {
        const std::size_t at = random() % text.size();
        switch (random() % 4) {
            case 0:
                text[at] = static_cast<char>(random() & 0xff);
                break;
            case 1:
                text.erase(at, 1 + random() % 8);
                break;
            case 2:
                text.insert(at, text.substr(at, random() % 64));
                break;
            default:
                text.insert(at, random_bytes(random, 1 + random() % 8));
        }
        if (text.empty()) {
            return "\n";
        }
    }
    return text;
}

std::vector<std::string> heavy_requests() {
    std::string headers = "GET /v1/jobs HTTP/1.1\r\n" + kHost;
    for (int i = 0; i < 10'000; ++i) {
        headers += "X-" + std::to_string(i) + ": y\r\n";
    }
    const std::string post =
        "POST /v1/documents?kind=BATTERY_DATA&name=x HTTP/1.1\r\n" + kHost + kNobodysKey;
    const std::string chunked = post + "Transfer-Encoding: chunked\r\n";
    return {headers + "\r\n",
            chunked + "Content-Length: 5\r\n\r\n0\r\n\r\nGET /v1/jobs HTTP/1.1\r\n\r\n",
            "GET /v1/jobs HTTP/1.1\nHost: x\n\n",
            chunked + "\r\n-5\r\nhello\r\n0\r\n\r\n",
            chunked + "\r\nffffffffffffffff\r\nhello",
            post + "Content-Length: 100000000\r\n\r\n" + std::string(1'000'000, 'b')};
}

}  // namespace

HttpAttack::HttpAttack(HttpAttackOptions options) : options_(std::move(options)) {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = std::min<rlim_t>(files.rlim_max, 4096);
        (void)::setrlimit(RLIMIT_NOFILE, &files);
    }
    threads_.emplace_back([this] { send_malformed(); });
    threads_.emplace_back([this] { hold_slow(); });
    threads_.emplace_back([this] { send_heavy(); });
}

HttpAttack::~HttpAttack() {
    over_ = true;
    for (std::thread& thread : threads_) {
        thread.join();
    }
}

void HttpAttack::count(int status) {
    const std::lock_guard guard(mutex_);
    ++answers_[status];
}

std::map<int, int> HttpAttack::answers() const {
    const std::lock_guard guard(mutex_);
    return answers_;
}

// What is unfinished is ended by us: the server need not wait for the rest.
void HttpAttack::send(const std::string& text) {
    HttpConnection connection(options_.port);
    (void)connection.send(text);
    connection.finish();
    count(connection.receive().status);
}

void HttpAttack::send_malformed() {
    std::mt19937 random(options_.seed);
    const auto pause = std::chrono::microseconds(1'000'000 / options_.malformed_per_second);
    auto next = Clock::now();
    while (!over_) {
        send(random() % 4 == 0 ? random_bytes(random, 1 + random() % 2000) : mutated(random));
        ++malformed_;
        next += pause;
        std::this_thread::sleep_until(next);
    }
}

void HttpAttack::hold_slow() {
    std::vector<std::unique_ptr<HttpConnection>> held(
        static_cast<std::size_t>(options_.slow_connections));
    while (!over_) {
        int open = 0;
        for (auto& connection : held) {
            if (connection == nullptr || !connection->send("x")) {
                connection = std::make_unique<HttpConnection>(options_.port);
                (void)connection->send("GET /v1/jobs HTTP/1.1\r\n" + kHost + "X-Slow: ");
            }
            open += connection->connected() ? 1 : 0;
        }
        slow_ = open;
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
}

void HttpAttack::send_large(const std::string& key) {
    static const std::string kPiece = "100000\r\n" + std::string(0x100000, 'b') + "\r\n";
    HttpConnection chunked(options_.port);
    bool open =
        chunked.send("POST /v1/documents?kind=BATTERY_DATA&name=x HTTP/1.1\r\n" + kHost +
                     "Authorization: Bearer " + key + "\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (std::size_t sent = 0; open && sent < kHundredMegabytes; sent += kPiece.size()) {
        open = chunked.send(kPiece);
    }
    chunked.finish();
    count(chunked.receive().status);
}

void HttpAttack::send_heavy() {
    const std::vector<std::string> requests = heavy_requests();
    while (!over_) {
        for (const std::string& request : requests) {
            send(request);
        }
        send_large(kNobody);
        send_large(options_.uploader);
        ++rounds_;
        std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
}

}  // namespace jobforge::test
