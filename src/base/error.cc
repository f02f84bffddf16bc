#include <jobforge/error.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include <jobforge/json.h>

namespace jobforge {
namespace {

struct CodeRow {
    std::string_view name;
    std::string_view sqlstate;
    int http_status;
    bool retryable;
};

// In the order of the enumeration, since both are made from the same table.
constexpr std::array kCodes = {
#define JOBFORGE_ERROR(name, sqlstate, http, retryable) CodeRow{#name, sqlstate, http, retryable},
#include <jobforge/error_codes.def>
#undef JOBFORGE_ERROR
};

const CodeRow& row_of(ErrorCode code) noexcept {
    return kCodes[static_cast<std::size_t>(code)];
}

std::optional<ErrorCode> find_code(std::string_view CodeRow::* column,
                                   std::string_view wanted) noexcept {
    const auto found = std::ranges::find(kCodes, wanted, column);
    if (found == kCodes.end()) {
        return std::nullopt;
    }
    return static_cast<ErrorCode>(found - kCodes.begin());
}

}  // namespace

std::string_view to_string(ErrorCode code) noexcept {
    return row_of(code).name;
}

std::optional<ErrorCode> error_code_from_string(std::string_view name) noexcept {
    return find_code(&CodeRow::name, name);
}

std::optional<ErrorCode> error_code_from_sqlstate(std::string_view state) noexcept {
    return find_code(&CodeRow::sqlstate, state);
}

std::string_view sqlstate_of(ErrorCode code) noexcept {
    return row_of(code).sqlstate;
}

int http_status_of(ErrorCode code) noexcept {
    return row_of(code).http_status;
}

bool retryable_by_default(ErrorCode code) noexcept {
    return row_of(code).retryable;
}

Error Error::of(ErrorCode code, std::string message) {
    Error error;
    error.code = code;
    error.message = std::move(message);
    error.retryable = retryable_by_default(code);
    return error;
}

std::string Error::to_json() const {
    std::string text = "{\"code\":";
    text += json_quote(to_string(code));
    text += ",\"message\":";
    text += json_quote(message);
    text += retryable ? ",\"retryable\":true" : ",\"retryable\":false";
    if (!details.empty()) {
        // Details come from handlers too: what is not JSON is kept as a string, so that the error
        // itself can always be stored.
        const Result<Json> parsed = Json::parse(details);
        text += ",\"details\":";
        text += parsed.ok() ? parsed->dump() : json_quote(details);
    }
    text += '}';
    return text;
}

std::string Error::describe() const {
    std::string text(to_string(code));
    text += ": ";
    text += message;
    std::string origin;
    if (!statement.empty()) {
        origin += "statement " + statement;
    }
    if (!sqlstate.empty()) {
        origin += (origin.empty() ? "SQLSTATE " : ", SQLSTATE ") + sqlstate;
    }
    if (!origin.empty()) {
        text += " (" + origin + ")";
    }
    if (outcome_unknown) {
        text += "; whether it took effect is unknown";
    }
    if (!hint.empty()) {
        text += "; hint: " + hint;
    }
    // One line: a multi-line server message must not break a line-based log.
    std::ranges::replace(text, '\n', ' ');
    std::ranges::replace(text, '\r', ' ');
    return text;
}

}  // namespace jobforge
