// A wire between client and server that breaks at the worst moment.
//
// Forwards connections to a Postgres server and understands just enough of its protocol to cut one
// exactly around a commit: the statement has been executed and committed, and the answer never
// arrives; or the client has sent it, and the server never saw it. A client cannot tell these two
// apart, and must be right in both.
//
// Threads: all methods from any; two threads per connection inside. The destructor cuts what is
// open.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace jobforge::test {

class WireProxy final {
public:
    enum class Lost {
        request,  // the statement does not reach the server; its transaction ends without commit
        answer,   // the server has committed; nothing of its answer reaches the client
    };

    // In front of the server of this URL, on a free port of 127.0.0.1.
    explicit WireProxy(const std::string& server_url);
    WireProxy(const WireProxy&) = delete;
    WireProxy& operator=(const WireProxy&) = delete;
    ~WireProxy();

    // The same login and database as `direct_url`, through the proxy.
    [[nodiscard]] std::string url(const std::string& direct_url) const;

    // Cuts the next connection that executes a statement whose text or prepared name holds `text`,
    // once. With Lost::answer the statement must be one that ends its transaction, alone or with
    // what is sent in the same pipeline: the test is aborted otherwise, since it would not test
    // what it says.
    void cut_at(std::string text, Lost lost);
    // How many connections were cut so far.
    [[nodiscard]] int cuts() const noexcept { return cuts_; }

private:
    class Link;
    // Whether this text is what cut_at() waits for; true is answered once.
    [[nodiscard]] bool take_shot(std::string_view message, Lost& lost);
    void accept_clients();

    std::string server_url_;
    int listener_ = -1;
    int port_ = 0;
    std::mutex mutex_;
    std::string wanted_;  // empty: nothing is to be cut
    Lost lost_ = Lost::answer;
    std::atomic<int> cuts_ = 0;
    std::list<std::unique_ptr<Link>> links_;
    std::thread acceptor_;
};

}  // namespace jobforge::test
