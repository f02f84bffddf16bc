#include <unistd.h>

#include <chrono>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <jobforge/log.h>

#include "base/text/redact.h"
#include "base/text/time_text.h"

namespace jobforge {

namespace {

std::string_view level_name(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return "debug";
        case LogLevel::info:
            return "info";
        case LogLevel::warn:
            return "warn";
        case LogLevel::error:
            return "error";
        case LogLevel::off:
            break;
    }
    return "off";
}

std::string now_text() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return format_time(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

std::string json_line(const LogRecord& record) {
    std::string line = R"({"timestamp":")" + now_text() + R"(","level":")";
    line += level_name(record.level);
    line += '"';
    for (const auto& [key, value] : record.fields) {
        line += ',';
        line += json_quote(key);
        line += ':';
        line += value.dump();
    }
    line += R"(,"message":)";
    line += json_quote(record.message);
    line += '}';
    return line;
}

// One line for a terminal: strings are quoted by json_quote only where they hold control
// characters, so that no field can forge a second line or move the cursor.
std::string readable_line(const LogRecord& record) {
    const auto plain = [](std::string_view text) {
        for (const char c : text) {
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
                return json_quote(text);
            }
        }
        return std::string(text);
    };
    std::string line = now_text() + ' ';
    line += level_name(record.level);
    line.append(level_name(record.level).size() == 4 ? 2 : 1, ' ');
    line += plain(record.message);
    for (const auto& [key, value] : record.fields) {
        line += ' ';
        line += plain(key);
        line += '=';
        line += value.as_string() != nullptr ? plain(*value.as_string()) : value.dump();
    }
    return line;
}

class LineSink final : public LogSink {
public:
    explicit LineSink(LogOptions options)
        : options_(std::move(options)), redactor_(options_.secrets) {}

    [[nodiscard]] bool enabled(LogLevel level) const noexcept override {
        return level >= options_.level && level != LogLevel::off;
    }

    void write(const LogRecord& record) noexcept override {
        if (!enabled(record.level)) {
            return;
        }
        try {
            std::string line =
                redact_url(options_.json ? json_line(record) : readable_line(record));
            if (!redactor_.empty()) {
                line = redactor_.apply(line);
            }
            line += '\n';
            if (batch.sink != this) {
                put(line);
                return;
            }
            if (batch.text.size() + line.size() > kWholeInPipe) {
                put(std::exchange(batch.text, {}));
            }
            batch.text += line;
        } catch (const std::bad_alloc&) {
            return;  // the work goes on without the line
        }
    }

    // Batches within batches, and those of another sink, write as if there were none.
    void begin_batch() noexcept override {
        if (batch.sink == nullptr) {
            batch.sink = this;
        }
        batch.depth += batch.sink == this ? 1 : 0;
    }
    void end_batch() noexcept override {
        if (batch.sink == this && --batch.depth == 0) {
            put(batch.text);
            batch.text.clear();
            batch.sink = nullptr;
        }
    }

private:
    // Not less than POSIX's _POSIX_PIPE_BUF, and what Linux has.
    static constexpr std::size_t kWholeInPipe = 4096;
    struct Batch {
        const LineSink* sink = nullptr;
        int depth = 0;
        std::string text = {};
    };

    // A full disk or a closed pipe loses the lines; there is nowhere left to say so.
    void put(std::string_view text) const noexcept {
        if (!text.empty()) {
            [[maybe_unused]] const auto written = ::write(options_.fd, text.data(), text.size());
        }
    }

    static thread_local Batch batch;
    const LogOptions options_;
    const Redactor redactor_;
};

thread_local LineSink::Batch LineSink::batch;

}  // namespace

std::shared_ptr<LogSink> make_line_sink(LogOptions options) {
    return std::make_shared<LineSink>(std::move(options));
}

}  // namespace jobforge
