// Answers that somebody else is at work on: no thread waits for them, and none is forgotten.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "http_server_world.h"
#include "wait_until.h"

namespace jobforge::test {
namespace {

using http::PendingAnswer;
using http::Request;
using http::Response;
using State = PendingAnswer::State;

// Somebody who works on requests: a pipe each, and the test says what comes out of it.
class Elsewhere {
public:
    using Resume = std::function<State(Response&)>;

    std::unique_ptr<PendingAnswer> begin(Request& request) {
        if (!request.query_value("elsewhere")) {
            return nullptr;
        }
        auto pending = std::make_unique<Pending>(*this);
        const std::lock_guard guard(mutex_);
        writers_.push_back(pending->writer);
        changed_.notify_all();
        return pending;
    }

    // Lets one more look of the request that came `index`-th end so.
    void tell(std::size_t index, Resume resume) {
        std::unique_lock lock(mutex_);
        ASSERT_TRUE(changed_.wait_for(lock, kPatience, [&] { return writers_.size() > index; }));
        resume_[writers_[index]].push_back(std::move(resume));
        ASSERT_EQ(::write(writers_[index], "x", 1), 1);
    }
    void answer(std::size_t index, std::string body) {
        tell(index, [body](Response& response) {
            response.body = body;
            return State::ready;
        });
    }
    [[nodiscard]] bool has(std::size_t count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kPatience, [&] { return writers_.size() >= count; });
    }

    std::atomic<int> alive = 0;

private:
    struct Pending final : PendingAnswer {
        explicit Pending(Elsewhere& elsewhere) : owner(elsewhere) {
            int ends[2];
            EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
            reader = ends[0];
            writer = ends[1];
            ++owner.alive;
        }
        ~Pending() override {
            EXPECT_EQ(::close(reader), 0) << "somebody else has closed it";
            EXPECT_EQ(::close(writer), 0);
            --owner.alive;
        }
        [[nodiscard]] int descriptor() const override { return reader; }
        [[nodiscard]] State resume(Response& response) override {
            char byte = 0;
            EXPECT_EQ(::read(reader, &byte, 1), 1) << "called although nothing was there";
            Resume resume;
            {
                const std::lock_guard guard(owner.mutex_);
                resume = std::move(owner.resume_[writer].front());
                owner.resume_[writer].pop_front();
            }
            return resume(response);
        }
        void give_up() noexcept override {
            const std::lock_guard guard(owner.mutex_);
            owner.resume_[writer].push_back([](Response&) { return State::handle; });
            EXPECT_EQ(::write(writer, "x", 1), 1);
        }
        Elsewhere& owner;
        int reader = -1;
        int writer = -1;
    };

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<int> writers_;
    std::map<int, std::deque<Resume>> resume_;
};

class HttpServerPending : public ::testing::Test {
protected:
    static constexpr char kElsewhere[] = "/echo?elsewhere";

    explicit HttpServerPending(const HttpServerWorld::Change& change = {})
        : world([this, &change](WorldOptions& options) {
              options.handler_threads = 1;
              options.begin = [this](Request& request) { return elsewhere.begin(request); };
              if (change) {
                  change(options);
              }
          }) {}

    Elsewhere elsewhere;
    HttpServerWorld world;
};

TEST_F(HttpServerPending, is_answered_when_the_answer_is_there) {
    HttpConnection client(world.port());
    client.send(request_text("GET", kElsewhere));
    elsewhere.tell(0, [](Response&) { return State::waiting; });
    elsewhere.tell(0, [](Response&) { return State::waiting; });
    elsewhere.answer(0, "from elsewhere");
    EXPECT_EQ(client.receive_one().body, "from elsewhere");
    EXPECT_TRUE(wait_until([&] { return elsewhere.alive == 0; }));
    client.send(request_text("GET", "/echo"));
    EXPECT_EQ(client.receive_one().body, "GET /echo ") << "the connection goes on";
}

TEST_F(HttpServerPending, many_wait_at_once_without_a_thread) {
    constexpr std::size_t kMany = 50;
    std::vector<std::unique_ptr<HttpConnection>> clients;
    for (std::size_t i = 0; i < kMany; ++i) {
        clients.push_back(std::make_unique<HttpConnection>(world.port()));
        clients.back()->send(request_text("GET", kElsewhere));
        ASSERT_TRUE(elsewhere.has(i + 1));
    }
    EXPECT_EQ(world.server->load().handling, 0u);
    EXPECT_EQ(world.ask("/echo").status, 200) << "the only handler thread is free";
    for (std::size_t i = kMany; i-- > 0;) {
        elsewhere.answer(i, std::to_string(i));
        EXPECT_EQ(clients[i]->receive_one().body, std::to_string(i));
    }
    EXPECT_TRUE(wait_until([&] { return elsewhere.alive == 0; }));
}

TEST_F(HttpServerPending, what_was_not_done_is_handled) {
    HttpConnection client(world.port());
    client.send(request_text("POST", kElsewhere, {}, "body"));
    elsewhere.tell(0, [](Response&) { return State::handle; });
    EXPECT_EQ(client.receive_one().body, "POST /echo body");
    EXPECT_EQ(elsewhere.alive, 0);
}

class HttpServerPendingTooLong : public HttpServerPending {
protected:
    HttpServerPendingTooLong()
        : HttpServerPending([](WorldOptions& options) {
              options.pending_timeout = std::chrono::milliseconds(100);
          }) {}
};

TEST_F(HttpServerPendingTooLong, is_given_up_and_its_client_answered) {
    HttpConnection client(world.port());
    client.send(request_text("POST", kElsewhere, {}, "body"));
    EXPECT_EQ(client.receive_one().body, "POST /echo body");
    EXPECT_EQ(elsewhere.alive, 0);
    client.send(request_text("GET", "/echo"));
    EXPECT_EQ(client.receive_one().body, "GET /echo ") << "the connection goes on";
}

TEST_F(HttpServerPending, a_fault_is_a_500_and_not_a_second_try) {
    HttpConnection client(world.port());
    client.send(request_text("GET", kElsewhere));
    elsewhere.tell(0, [](Response&) -> State { throw std::runtime_error("the rows are odd"); });
    EXPECT_EQ(client.receive_one().status, 500);
    EXPECT_NE(world.witness->log().find("the rows are odd"), std::string::npos);
    client.send(request_text("GET", "/echo"));
    EXPECT_EQ(client.receive_one().status, 200);
}

TEST_F(HttpServerPending, pipelined_requests_are_answered_in_order) {
    HttpConnection client(world.port());
    client.send(request_text("GET", kElsewhere) + request_text("GET", "/echo") +
                request_text("GET", kElsewhere));
    elsewhere.answer(0, "first");
    EXPECT_EQ(client.receive_one().body, "first");
    EXPECT_EQ(client.receive_one().body, "GET /echo ");
    elsewhere.answer(1, "third");
    EXPECT_EQ(client.receive_one().body, "third");
}

TEST_F(HttpServerPending, a_large_answer_is_compressed_by_a_handler_thread) {
    std::string large;
    for (int i = 0; i < 20'000; ++i) {
        large += std::to_string(i);
    }
    HttpConnection client(world.port());
    const auto ask = [&](std::size_t index) {
        client.send(request_text("GET", kElsewhere, "Accept-Encoding: gzip\r\n"));
        elsewhere.answer(index, large);
        return client.receive_one();
    };
    const HttpReply reply = ask(0);
    EXPECT_EQ(header_of(reply, "Content-Encoding"), "gzip");
    EXPECT_LT(reply.body.size(), large.size());
    // The only handler thread is away: then it waits in the queue, like everything large.
    std::thread waiting([&] { EXPECT_EQ(world.ask("/wait").status, 200); });
    EXPECT_TRUE(world.gate.wait_for(1));
    client.send(request_text("GET", kElsewhere, "Accept-Encoding: gzip\r\n"));
    elsewhere.answer(1, large);
    EXPECT_TRUE(wait_until([&] { return world.server->load().waiting == 1; }));
    world.gate.open();
    EXPECT_EQ(client.receive_one().body, reply.body);
    waiting.join();
}

TEST_F(HttpServerPending, a_small_answer_is_compressed_at_once) {
    HttpConnection client(world.port());
    client.send(request_text("GET", kElsewhere, "Accept-Encoding: gzip\r\n"));
    elsewhere.answer(0, std::string(10'000, 'x'));
    EXPECT_EQ(header_of(client.receive_one(), "Content-Encoding"), "gzip");
}

TEST_F(HttpServerPending, stopping_does_not_wait_for_it) {
    HttpConnection client(world.port());
    client.send(request_text("GET", kElsewhere));
    ASSERT_TRUE(elsewhere.has(1));
    world.server->stop();
    EXPECT_EQ(elsewhere.alive, 0);
    EXPECT_EQ(client.receive().status, 0);
}

TEST_F(HttpServerPending, draining_does) {
    HttpConnection client(world.port());
    client.send(request_text("GET", kElsewhere));
    ASSERT_TRUE(elsewhere.has(1));
    EXPECT_FALSE(world.server->drain(std::chrono::milliseconds(1))) << "it has no answer yet";
    auto drained = std::async(std::launch::async,
                              [&] { return world.server->drain(std::chrono::seconds(20)); });
    elsewhere.answer(0, "at last");
    const HttpReply reply = client.receive_one();
    EXPECT_EQ(reply.body, "at last");
    EXPECT_EQ(header_of(reply, "Connection"), "close");
    client.finish();
    EXPECT_TRUE(drained.get());
}

class HttpServerPendingFull : public HttpServerPending {
protected:
    HttpServerPendingFull()
        : HttpServerPending([](WorldOptions& options) { options.queue_limit = 1; }) {}
};

TEST_F(HttpServerPendingFull, a_large_answer_does_not_wait_for_handlers_without_time) {
    std::thread handled([&] { EXPECT_EQ(world.ask("/wait").status, 200); });
    EXPECT_TRUE(world.gate.wait_for(1));
    std::thread queued([&] { EXPECT_EQ(world.ask("/echo").status, 200); });
    EXPECT_TRUE(wait_until([&] { return world.server->load().waiting == 1; }));
    HttpConnection client(world.port());
    client.send(request_text("GET", kElsewhere, "Accept-Encoding: gzip\r\n"));
    const std::string large(100'000, 'x');
    elsewhere.answer(0, large);
    EXPECT_EQ(client.receive_one().body, large);
    world.gate.open();
    handled.join();
    queued.join();
}

class HttpServerPendingFaults : public HttpServerPending {
protected:
    HttpServerPendingFaults()
        : HttpServerPending([](WorldOptions& options) {
              options.begin = [](Request&) -> std::unique_ptr<PendingAnswer> {
                  throw std::runtime_error("no memory to begin");
              };
          }) {}
};

TEST_F(HttpServerPendingFaults, what_cannot_be_begun_is_handled) {
    EXPECT_EQ(world.ask("/echo").status, 200);
    EXPECT_NE(world.witness->log().find("no memory to begin"), std::string::npos);
}

}  // namespace
}  // namespace jobforge::test
