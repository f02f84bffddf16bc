#include "cli/usage.h"

#include <utility>

namespace jobforge::cli {

namespace {

constexpr const char* kMark = R"({"where":"command line"})";

}  // namespace

Error usage_error(std::string message, std::string hint) {
    Error error = Error::of(ErrorCode::VALIDATION_ERROR, std::move(message));
    error.hint = std::move(hint);
    error.details = kMark;
    return error;
}

bool is_usage_error(const Error& error) noexcept {
    return error.code == ErrorCode::VALIDATION_ERROR && error.details == kMark;
}

}  // namespace jobforge::cli
