#include <jobforge/log.h>

namespace jobforge {

namespace {

const std::shared_ptr<const std::vector<Json::Member>>& no_fields() {
    static const auto kEmpty = std::make_shared<const std::vector<Json::Member>>();
    return kEmpty;
}

}  // namespace

Logger::Logger() : fields_(no_fields()) {}

Logger::Logger(std::shared_ptr<LogSink> sink) : sink_(std::move(sink)), fields_(no_fields()) {}

Logger Logger::with(std::vector<Json::Member> fields) const {
    Logger child(sink_);
    std::vector<Json::Member> all = *fields_;
    all.insert(all.end(), std::make_move_iterator(fields.begin()),
               std::make_move_iterator(fields.end()));
    child.fields_ = std::make_shared<const std::vector<Json::Member>>(std::move(all));
    return child;
}

bool Logger::enabled(LogLevel level) const noexcept {
    return sink_ != nullptr && sink_->enabled(level);
}

// A line that cannot be written for lack of memory is dropped: logging never hurts the work.
void Logger::write(LogLevel level, std::string_view message,
                   std::vector<Json::Member> fields) const noexcept {
    if (!enabled(level)) {
        return;
    }
    try {
        if (fields.empty()) {
            sink_->write(LogRecord{level, message, *fields_});
            return;
        }
        std::vector<Json::Member> all;
        all.reserve(fields_->size() + fields.size());
        all = *fields_;
        all.insert(all.end(), std::make_move_iterator(fields.begin()),
                   std::make_move_iterator(fields.end()));
        sink_->write(LogRecord{level, message, all});
    } catch (const std::bad_alloc&) {
        return;
    }
}

void Logger::debug(std::string_view message, std::vector<Json::Member> fields) const noexcept {
    write(LogLevel::debug, message, std::move(fields));
}

void Logger::info(std::string_view message, std::vector<Json::Member> fields) const noexcept {
    write(LogLevel::info, message, std::move(fields));
}

void Logger::warn(std::string_view message, std::vector<Json::Member> fields) const noexcept {
    write(LogLevel::warn, message, std::move(fields));
}

void Logger::error(std::string_view message, std::vector<Json::Member> fields) const noexcept {
    write(LogLevel::error, message, std::move(fields));
}

}  // namespace jobforge
