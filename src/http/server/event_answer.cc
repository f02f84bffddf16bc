#include "http/server/event_answer.h"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "http/server/transfer_pace.h"

namespace jobforge::http {

namespace {

// How long a client has to close after the stream's end was sent.
constexpr std::chrono::milliseconds kFarewell{1000};
// A client has nothing to say here; some bytes (a pipelined request) are ignored.
constexpr std::size_t kMaxIgnored = 65536;

class EventAnswer final : public std::enable_shared_from_this<EventAnswer> {
public:
    EventAnswer(std::shared_ptr<ByteStream> stream, std::shared_ptr<EventStream> events,
                const EventAnswerOptions& options, std::shared_ptr<void> owner)
        : stream_(std::move(stream)),
          events_(std::move(events)),
          options_(options),
          owner_(std::move(owner)) {}
    EventAnswer(const EventAnswer&) = delete;
    EventAnswer& operator=(const EventAnswer&) = delete;
    ~EventAnswer() { events_->abandon(); }

    void begin() {
        const auto weak = weak_from_this();
        stream_->on_deadline([weak] {
            if (const auto self = weak.lock()) {
                self->on_deadline();
            }
        });
        rest();
        watch();
        // Called on a producer's thread, which must not get to write.
        events_->attach([weak] {
            if (const auto self = weak.lock()) {
                self->stream_->post([self] { self->pump(); });
            }
        });
    }

private:
    void rest() { stream_->set_deadline(ByteStream::Clock::now() + options_.keep_alive); }

    // This read is also what keeps us alive between events.
    void watch() {
        stream_->read_some(ignored_.data(), ignored_.size(),
                           [self = shared_from_this()](bool good, std::size_t count) {
                               self->heard_ += count;
                               if (good && self->heard_ <= kMaxIgnored) {
                                   self->watch();
                               } else {
                                   self->close();
                               }
                           });
    }

    void pump() {
        if (events_->too_slow()) {
            return close();
        }
        if (writing_ || finishing_) {
            return;
        }
        const EventStream::Taken taken = events_->take();
        finishing_ = taken.finished;
        std::string text = framed(taken.bytes);
        if (finishing_ && options_.chunked) {
            text += "0\r\n\r\n";
        }
        if (!text.empty()) {
            write(std::move(text));
        } else if (finishing_) {
            say_farewell();
        }
    }

    [[nodiscard]] std::string framed(const std::string& bytes) const {
        return bytes.empty() || !options_.chunked
                   ? bytes
                   : fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
    }

    void write(std::string text) {
        writing_ = true;
        out_ = std::move(text);
        pace_ = {ByteStream::Clock::now(), options_.grace, options_.min_bytes_per_second};
        write_rest(0);
    }

    void write_rest(std::size_t written) {
        stream_->set_deadline(pace_.deadline(written));
        stream_->write_some(std::string_view(out_).substr(written), {},
                            [self = shared_from_this(), written](bool good, std::size_t count) {
                                if (!good) {
                                    self->close();
                                } else if (written + count < self->out_.size()) {
                                    self->write_rest(written + count);
                                } else {
                                    self->on_written();
                                }
                            });
    }

    void on_written() {
        writing_ = false;
        if (finishing_) {
            return say_farewell();
        }
        rest();
        pump();
    }

    void on_deadline() {
        if (writing_ || finishing_) {
            close();  // reads too slowly, or does not go
        } else {
            write(framed(":\n\n"));
        }
    }

    void say_farewell() {
        stream_->set_deadline(ByteStream::Clock::now() + kFarewell);
        stream_->shutdown_send([self = shared_from_this()](bool, std::size_t) {});
    }

    void close() {
        events_->abandon();
        stream_->close();
    }

    const std::shared_ptr<ByteStream> stream_;
    const std::shared_ptr<EventStream> events_;
    const EventAnswerOptions options_;
    const std::shared_ptr<void> owner_;
    std::array<char, 512> ignored_{};
    std::size_t heard_ = 0;
    std::string out_;
    TransferPace pace_{};
    bool writing_ = false;
    bool finishing_ = false;
};

}  // namespace

void send_events(std::shared_ptr<ByteStream> stream, std::shared_ptr<EventStream> events,
                 const EventAnswerOptions& options, std::shared_ptr<void> owner) {
    std::make_shared<EventAnswer>(std::move(stream), std::move(events), options, std::move(owner))
        ->begin();
}

}  // namespace jobforge::http
