// Structured log lines.
//
// A Logger carries fields (worker_id, job_id, trace_id, ...) that stand in each of its lines; child
// loggers add more. Lines go to a LogSink, by default one JSON object per line on standard error.
// Threads: a Logger may be used and copied from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <jobforge/json.h>

namespace jobforge {

enum class LogLevel { debug, info, warn, error, off };

struct LogRecord {
    LogLevel level;
    std::string_view message;
    const std::vector<Json::Member>& fields;
};

// Where lines go. write() is called from many threads at once and must not throw.
class LogSink {
public:
    virtual ~LogSink() = default;
    virtual void write(const LogRecord& record) noexcept = 0;
    [[nodiscard]] virtual bool enabled(LogLevel level) const noexcept = 0;
    // Between the two, lines of the calling thread may be kept back and written together; calls
    // come in pairs. A sink that has no use for it does nothing.
    virtual void begin_batch() noexcept {}
    virtual void end_batch() noexcept {}
};

class Logger final {
public:
    Logger();  // drops everything
    explicit Logger(std::shared_ptr<LogSink> sink);
    [[nodiscard]] Logger with(std::vector<Json::Member> fields) const;
    void debug(std::string_view message, std::vector<Json::Member> fields = {}) const noexcept;
    void info(std::string_view message, std::vector<Json::Member> fields = {}) const noexcept;
    void warn(std::string_view message, std::vector<Json::Member> fields = {}) const noexcept;
    void error(std::string_view message, std::vector<Json::Member> fields = {}) const noexcept;
    [[nodiscard]] bool enabled(LogLevel level) const noexcept;

private:
    friend class LogBatch;
    void write(LogLevel level, std::string_view message,
               std::vector<Json::Member> fields) const noexcept;
    std::shared_ptr<LogSink> sink_;
    std::shared_ptr<const std::vector<Json::Member>> fields_;
};

// While it lives, lines that this thread writes by way of the logger (or its children) may wait for
// each other. For a thread that has thousands to say at once: a write(2) each cost more than the
// rest.
class LogBatch final {
public:
    explicit LogBatch(const Logger& logger) : sink_(logger.sink_) {
        if (sink_) {
            sink_->begin_batch();
        }
    }
    ~LogBatch() {
        if (sink_) {
            sink_->end_batch();
        }
    }
    LogBatch(const LogBatch&) = delete;
    LogBatch& operator=(const LogBatch&) = delete;

private:
    const std::shared_ptr<LogSink> sink_;
};

struct LogOptions {
    LogLevel level = LogLevel::info;
    bool json = true;  // false: readable lines for a terminal
    int fd = 2;
    std::vector<std::string> secrets = {};  // never written: replaced by "[redacted]"
};
// One write(2) per line, so lines of several threads and processes never mix; in a LogBatch one for
// as many lines as a pipe takes whole (4096 bytes).
[[nodiscard]] std::shared_ptr<LogSink> make_line_sink(LogOptions options);

}  // namespace jobforge
