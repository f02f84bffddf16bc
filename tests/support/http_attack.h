// Clients that mean harm, against an HTTP server on this machine.
//
//   malformed   random and mutated requests at a rate, each on a connection of its own
//   slow        many connections that send a byte of their head now and then, opened again when cut
//   heavy       10,000 headers, bodies of 100 MB (announced and chunked, with a key nobody has and
//               with one that may upload), CL+TE, bare LF, a negative chunk size: one after the
//               other, again and again
//
// Threads: all members from any thread. The destructor ends it.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace jobforge::test {

struct HttpAttackOptions {
    int port = 0;
    std::string uploader;  // an API key whose large bodies are read
    int malformed_per_second = 200;
    int slow_connections = 500;  // both this process and the server need as many descriptors
    std::uint32_t seed = 1;
};

class HttpAttack final {
public:
    explicit HttpAttack(HttpAttackOptions options);
    HttpAttack(const HttpAttack&) = delete;
    HttpAttack& operator=(const HttpAttack&) = delete;
    ~HttpAttack();

    [[nodiscard]] int malformed() const noexcept { return malformed_; }  // sent so far
    [[nodiscard]] int rounds() const noexcept { return rounds_; }        // of the heavy ones
    [[nodiscard]] int slow() const noexcept { return slow_; }            // open at the last look
    // How often each status was the answer; 0: closed without one.
    [[nodiscard]] std::map<int, int> answers() const;

private:
    void send_malformed();
    void hold_slow();
    void send_heavy();
    void send_large(const std::string& key);
    void send(const std::string& text);
    void count(int status);

    const HttpAttackOptions options_;
    std::atomic<bool> over_ = false;
    std::atomic<int> malformed_ = 0;
    std::atomic<int> rounds_ = 0;
    std::atomic<int> slow_ = 0;
    mutable std::mutex mutex_;
    std::map<int, int> answers_;
    std::vector<std::thread> threads_;
};

}  // namespace jobforge::test
